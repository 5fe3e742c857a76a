"""The file to import is opened at once, or refused in one line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.transfer.files import TransferError, open_file
from pettui.transfer.lines import check_import

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Rex,3\n")
    with open_file(tmp_path / "a.csv") as source:
        (line,) = check_import(source, "a.csv", {}).lines
    assert line.position.label == "line 1"


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Rex,3\n")
    (tmp_path / "link").symlink_to("a.csv")
    with open_file(tmp_path / "link") as source:
        assert source.read() == b"Rex,3\n"


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (lambda path: path.exists(), "no such file or directory"),
    "a directory": (lambda path: path.mkdir(), "it is a directory"),
    "a pipe": (os.mkfifo, "it is not a regular file"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "it is not a regular file"),
    "a link to itself": (lambda path: path.symlink_to(path), "it is a symbolic link"),
}


@pytest.mark.parametrize(("put", "reason"), REFUSED.values(), ids=REFUSED)
def test_anything_but_a_regular_file_is_refused_at_once(
    tmp_path: Path, put: Callable[[Path], object], reason: str
) -> None:
    put(tmp_path / "a.csv")
    before = sorted(Path("/dev/fd").iterdir())
    with pytest.raises(TransferError, match=rf"^cannot read .*a\.csv: {reason}$"):
        open_file(tmp_path / "a.csv")
    assert sorted(Path("/dev/fd").iterdir()) == before


@pytest.mark.parametrize("name", ["a\0b", "a\ud800", "x" * 5_000])
def test_an_impossible_path_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(TransferError) as error:
        open_file(tmp_path / name)
    assert str(error.value).isprintable()
