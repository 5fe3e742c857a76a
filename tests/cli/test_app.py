"""``pettui`` itself, where it cannot draw: one line, before anything is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pexpect
import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_files import open_database
from tests.cli.conftest import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("nothing_written")


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
