"""A home, and a state directory, that cannot be used: named in one line."""

from __future__ import annotations

import os
import pwd
import re
from typing import TYPE_CHECKING

import pytest

from tests.small_disks import as_root

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Refused

pytestmark = pytest.mark.usefixtures("nothing_written")


@pytest.fixture
def _homeless(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the user one of whom the system knows neither name nor home."""

    def unknown(_: int) -> None:
        raise KeyError

    del environment["HOME"]
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)


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
@pytest.mark.usefixtures("_homeless")
def test_a_user_without_a_home_is_told_what_to_set(refused: Refused, line: str, said: str) -> None:
    assert refused(*line.split()).startswith(said)


@pytest.mark.parametrize("named", ["", "a/home"])
@pytest.mark.parametrize(
    "line", ["", "--demo", "key list", "backup copy.tar", "list --config ~/c", "list --config ~"]
)
def test_a_home_that_is_no_whole_path_is_refused_and_not_replaced(
    refused: Refused, line: str, named: str
) -> None:
    """Neither by the home that the system knows of the user nor by the root directory."""
    said = refused(*line.split(), HOME=named)
    assert said == f"HOME {named!r}: must be the whole path of a directory"


@pytest.fixture
def state(home: Path, environment: dict[str, str]) -> Path:
    """A state directory of pettui's, as it is when pettui has made it."""
    path = home / "state" / "pettui"
    path.mkdir(parents=True)
    path.chmod(0o700)
    environment |= {"XDG_STATE_HOME": str(path.parent), "PETTUI_DATA_DIRECTORY": str(home.parent)}
    return path


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_state_directory_that_others_can_write_is_refused(
    refused: Refused, state: Path, mode: int
) -> None:
    state.chmod(mode)
    assert re.search(f"state directory .*{state}.* chmod go-w", refused())
    assert refused("--demo").startswith("standard input")  # which keeps nothing


@as_root
def test_a_state_directory_of_another_user_is_refused(refused: Refused, state: Path) -> None:
    os.chown(state, 4242, 4242)
    assert re.search("state directory .*another user", refused())
