"""Bad input: one clear line, exit 2, nothing changed on disk."""

from __future__ import annotations

import os
import shutil
import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Refused

pytestmark = pytest.mark.usefixtures("nothing_written")


def test_a_key_of_the_environment_is_masked_in_a_wrong_place_too(
    refused: Refused, configure: Callable[[str], Path]
) -> None:
    path = configure('theme = "correct-horse-battery"')
    line = refused("--config", str(path), PETTUI_API_KEY="correct-horse-battery")
    assert "theme" in line
    assert "horse" not in line


TAKES_A_FILE = [
    "list --config {}",
    "export {}",
    "import {}",
    "import animals.csv --result {}",
    "--demo --animals {}",
    "--demo --welcome {}",
    "serve --port 0 --keys {}",
    "serve --port 0 --database {}",
    "serve --port 0 --tls-cert {}",
    "serve --port 0 --tls-cert certificate.pem --tls-key {}",
    "key add till --keys {}",
    "backup {}",
    "backup copy.tar --keys {}",
    "backup copy.tar --database {}",
    "backup copy.tar --host-key {}",
    "restore {}",
    "ssh --port 0 --host-key {}",
    "ssh --port 0 --profile embedded --authorized-keys {}",
]
STREAMS = ("export", "import", "backup {}", "restore {}")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (line, kind)
        for line in TAKES_A_FILE
        for kind in ("fifo", "directory", "/dev/zero", "socket", "-")
        if kind != "-" or not line.startswith(STREAMS)
    ],
)
def test_where_a_file_is_taken_nothing_else_is_read_or_written(
    refused: Refused, home: Path, line: str, kind: str
) -> None:
    """Nor waited for, as a FIFO without a writer would be; "-" is a stream, or no file."""
    (home / "animals.csv").write_text("name,category\n")
    with socket.socket(socket.AF_UNIX) as listener:
        if kind == "fifo":
            os.mkfifo(home / kind)
        elif kind == "directory":
            (home / kind).mkdir()
        elif kind == "socket":
            listener.bind(str(home / kind))
        try:
            said = refused(*line.format(kind).split())
        finally:
            shutil.rmtree(home)
            home.mkdir()
    assert kind != "-" or "is no stream here" in said
