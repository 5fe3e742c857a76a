"""Bad input: one clear line, exit 2, nothing changed on disk."""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING

import pexpect
import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_files import open_database
from tests.cli.conftest import PROGRAM

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.cli.conftest import Run

KEY = "sekrit-0123456789"


@pytest.fixture(autouse=True)
def _unchanged(tmp_path: Path) -> Iterator[None]:
    """Nothing stands under the test's directory afterwards that did not before the program ran."""
    yield
    written = {path.name for path in tmp_path.rglob("*")}
    assert written <= {"home", "config.toml", "store.sqlite3"}


def says(finished: subprocess.CompletedProcess[str], *words: str) -> None:
    """Check that the program refused in one line, which holds these words and no key."""
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr.startswith("pettui: ")
    assert finished.stderr.endswith("\n")
    assert finished.stderr.count("\n") == 1
    assert KEY not in finished.stderr
    for word in words:
        assert word in finished.stderr


@pytest.fixture
def homeless(environment: dict[str, str], run_here: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pettui as a user of whom the system knows neither name nor home."""

    def unknown(_: int) -> None:
        raise KeyError

    del environment["HOME"]
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    return run_here


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "PETTUI_DATA_DIRECTORY: is not set, and there is no home directory"),
        ("key list", "PETTUI_DATA_DIRECTORY: is not set, and there is no home directory"),
        ("serve --port 0", "PETTUI_DATA_DIRECTORY: is not set, and there is no home directory"),
        ("ssh --port 0", "XDG_STATE_HOME: is not set, and there is no home directory"),
        ("--demo", "standard input: is not a terminal"),  # which keeps nothing
    ],
)
def test_a_user_without_a_home_is_told_what_to_set(homeless: Run, line: str, said: str) -> None:
    says(homeless(*line.split()), said)


@pytest.fixture
def state(home: Path) -> Iterator[Path]:
    """A state directory of pettui's, as it is when pettui has made it."""
    path = home / "state" / "pettui"
    path.mkdir(parents=True)
    path.chmod(0o700)
    yield path
    for directory in (path, path.parent):
        directory.rmdir()


@pytest.fixture
def places(state: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(state.parent), "PETTUI_DATA_DIRECTORY": str(state.parents[2])}


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_state_directory_that_others_can_write_is_refused(
    run_here: Run, state: Path, places: dict[str, str], mode: int
) -> None:
    state.chmod(mode)
    says(run_here(**places), "state directory", str(state), "chmod go-w")
    says(run_here("--demo", **places), "standard input")  # which keeps nothing


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give a directory away")
def test_a_state_directory_of_another_user_is_refused(
    run_here: Run, state: Path, places: dict[str, str]
) -> None:
    os.chown(state, 4242, 4242)
    says(run_here(**places), "state directory", "another user")


def test_a_key_of_the_environment_is_masked_in_a_wrong_place_too(
    run_here: Run, configure: Callable[[str], Path]
) -> None:
    path = configure('theme = "correct-horse-battery"')
    finished = run_here("--config", str(path), PETTUI_API_KEY="correct-horse-battery")
    says(finished, "theme")
    assert "horse" not in finished.stderr


def test_a_damaged_database_is_refused_before_anything_is_drawn(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    database = tmp_path / "store.sqlite3"
    open_database(database, sample_pets()).close()
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)
    content = database.read_bytes()
    code, screen = in_terminal(
        str(PROGRAM), {**environment, "PETTUI_DATA_DIRECTORY": str(tmp_path)}
    )
    assert code == 2
    assert screen.startswith("pettui: PETTUI_DATA_DIRECTORY: database ")
    assert screen.count("\n") == 1
    assert database.read_bytes() == content


def test_a_standard_error_that_is_not_a_terminal_is_refused(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    errors = tmp_path / "home" / "errors"
    code, screen = in_terminal(f"sh -c '{PROGRAM} --demo 2>{errors}'", environment)
    assert (code, screen) == (2, "")
    assert errors.read_text().startswith("pettui: standard error: is not a terminal")
    errors.unlink()


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_that_cannot_draw_is_refused(environment: Mapping[str, str], kind: str) -> None:
    code, screen = in_terminal(f"{PROGRAM} --demo", {**environment, "TERM": kind})
    assert code == 2
    assert screen.startswith(f"pettui: TERM {kind!r}: cannot draw screens")
    assert screen.count("\n") == 1


def in_terminal(command: str, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a command in a pseudo-terminal; return its exit code and output."""
    screen, code = pexpect.run(
        command, env=environment, withexitstatus=True, encoding="utf-8", dimensions=(24, 500)
    )
    return code, screen.replace("\r\n", "\n")
