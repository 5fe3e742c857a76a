"""Bad input: one clear line, exit 2, nothing changed on disk."""

from __future__ import annotations

import os
import shutil
import socket
from typing import TYPE_CHECKING

import pexpect
import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_files import open_database
from tests.cli.conftest import PROGRAM, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


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


# Where the app itself cannot draw


def test_a_damaged_database_is_refused_before_anything_is_drawn(
    environment: dict[str, str], tmp_path: Path
) -> None:
    database = tmp_path / "store.sqlite3"
    open_database(database, sample_pets()).close()
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)
    content = database.read_bytes()
    environment |= {"PETTUI_DATA_DIRECTORY": str(tmp_path)}
    said = refused_in_terminal(str(PROGRAM), environment)
    assert said.startswith("pettui: PETTUI_DATA_DIRECTORY: database ")
    assert database.read_bytes() == content


def test_a_standard_error_that_is_not_a_terminal_is_refused(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    errors = tmp_path / "home" / "errors"
    assert refused_in_terminal(f"sh -c '{PROGRAM} --demo 2>{errors}'", environment) == ""
    assert errors.read_text().startswith("pettui: standard error: is not a terminal")
    errors.unlink()


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_that_cannot_draw_is_refused(environment: Mapping[str, str], kind: str) -> None:
    said = refused_in_terminal(f"{PROGRAM} --demo", {**environment, "TERM": kind})
    assert said.startswith(f"pettui: TERM {kind!r}: cannot draw screens")


def refused_in_terminal(command: str, environment: Mapping[str, str]) -> str:
    """Run a command in a pseudo-terminal, which refuses; return its one line, if any."""
    screen, code = pexpect.run(
        command, env=environment, withexitstatus=True, encoding="utf-8", dimensions=(24, 500)
    )
    assert code == 2
    assert screen.count("\n") <= 1
    return screen
