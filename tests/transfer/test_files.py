"""Files are written whole or not at all, opened at once or refused, and found by Tab."""

from __future__ import annotations

import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.transfer.files import (
    TargetExistsError,
    TransferError,
    check_target,
    completed,
    plain_path,
    typed_path,
    write_whole,
)
from tests.exhaustive import product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


DRAGGED = {
    "as it is": ("/a/my pets.csv", "/a/my pets.csv"),
    "GNOME Terminal": ("'/a/my pets.csv' ", "/a/my pets.csv"),
    "an apostrophe": ("'/a/Rex'\\''s pets.csv'", "/a/Rex's pets.csv"),
    "macOS": ("/a/my\\ pets\\ \\(1\\).csv ", "/a/my pets (1).csv"),
    "two quotation marks": ('"/a/my pets.csv"', "/a/my pets.csv"),
    "an address": ("file:///a/my%20pets%C3%A9.csv", "/a/my petsé.csv"),
    "an address with a host": ("file://localhost/a/pets.csv", "/a/pets.csv"),
    "an address of elsewhere": ("file://elsewhere.example/a.csv", "file://elsewhere.example/a.csv"),
    "an apostrophe within": ("/a/Rex's pets.csv", "/a/Rex's pets.csv"),
    "two files": ("'/a/1.csv' '/a/2.csv'", "'/a/1.csv' '/a/2.csv'"),
    "an open quotation mark": ("'/a/1.csv", "'/a/1.csv"),
}


@pytest.mark.parametrize(("text", "path"), DRAGGED.values(), ids=DRAGGED)
def test_a_dragged_file_is_the_path_that_it_means(text: str, path: str) -> None:
    assert plain_path(text) == path
    assert typed_path(text) == Path(path)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(directory: Path) -> list[str]:
    """Return the names in a directory, including temporary files."""
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.parametrize(("failure", "old"), [(RuntimeError(), None), (KeyboardInterrupt(), "old")])
def test_a_failure_in_the_middle_leaves_nothing(
    tmp_path: Path, failure: BaseException, old: str | None
) -> None:
    path = tmp_path / "a.csv"
    if old is not None:
        path.write_text(old)

    def pieces() -> Iterator[bytes]:
        yield b"x" * 100_000
        raise failure

    with pytest.raises(type(failure)):
        write_whole(path, pieces(), overwrite=True)
    assert names(tmp_path) == ([] if old is None else ["a.csv"])
    assert old is None or path.read_text() == old


def a_link_to_a_file(path: Path) -> None:
    path.with_name("target").write_text("old")
    path.symlink_to("target")


IN_THE_WAY: dict[str, tuple[Callable[[Path], object], str]] = {
    "a directory": (lambda path: path.mkdir(), "it is a directory"),
    "a link": (a_link_to_a_file, "it is a symbolic link"),
    "a pipe": (os.mkfifo, "it is not a regular file"),
}


@pytest.mark.parametrize(
    ("in_the_way", "overwrite"), product([*IN_THE_WAY.values()], [False, True])
)
def test_anything_but_a_regular_file_is_never_written_to(
    tmp_path: Path, in_the_way: tuple[Callable[[Path], object], str], *, overwrite: bool
) -> None:
    put, reason = in_the_way
    put(tmp_path / "a.csv")
    before = names(tmp_path)
    with pytest.raises(TransferError, match=rf"^cannot write .*a\.csv: {reason}$"):
        write_whole(tmp_path / "a.csv", [b"new"], overwrite=overwrite)
    with pytest.raises(TransferError, match=reason):
        check_target(tmp_path / "a.csv", overwrite=overwrite)
    assert names(tmp_path) == before
    assert not (tmp_path / "target").exists() or (tmp_path / "target").read_text() == "old"


NOWHERE = {
    "no directory": ("none/a.csv", "no such file or directory"),
    "a file for a directory": ("file/a.csv", "part of its path is not a directory"),
    "a name of 256 bytes": ("x" * 252 + ".csv", "its path is too long"),
    "a NUL": ("a\0.csv", "a file cannot have such a name"),
    "the directory itself": (".", "it is a directory"),
    "a line break": ("none\n/a\x1b.csv", "no such file or directory"),
}


@pytest.mark.parametrize(("name", "reason"), NOWHERE.values(), ids=NOWHERE)
def test_an_unusable_path_is_refused_in_one_line(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TransferError, match=f": {reason}$") as error:
        write_whole(tmp_path / name, [b"new"])
    assert str(error.value).isprintable()
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_of_four_that_write_one_file_at_once_it_has_what_one_of_them_wrote(
    tmp_path: Path, *, overwrite: bool
) -> None:
    all_write = threading.Barrier(4)

    def write(content: bytes) -> bytes | None:
        def pieces() -> Iterator[bytes]:
            yield content
            all_write.wait()
            yield content

        try:
            write_whole(tmp_path / "a.csv", pieces(), overwrite=overwrite)
        except TargetExistsError:
            return None
        return content * 2

    with ThreadPoolExecutor(4) as threads:
        written = list(filter(None, threads.map(write, (b"1", b"2", b"3", b"4"))))
    assert len(written) == (4 if overwrite else 1)
    assert (tmp_path / "a.csv").read_bytes() in written
    assert names(tmp_path) == ["a.csv"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a few files."""
    for name in ("pets-1.csv", "pets-2.csv", "Other", ".hidden", "shop/list.json", "señor.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "shelf").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "text", "choices"),
    [
        ("", "", ("Other", "circle", "pets-1.csv", "pets-2.csv", "señor.csv", "shelf/", "shop/")),
        ("p", "pets-", ("pets-1.csv", "pets-2.csv")),
        ("sh", "sh", ("shelf/", "shop/")),
        ("shop/", "shop/list.json", ("list.json",)),
        ("~/sho", "~/shop/", ("shop/",)),
        ("se", "señor.csv", ("señor.csv",)),
        (".", ".hidden", (".hidden",)),
        ("o", "o", ()),
        ("c", "circle", ("circle",)),
        ("none/x", "none/x", ()),
        ("shelf/", "shelf/", ()),
        ("~", "~", ()),
        ("~nobody-of-this-name/x", "~nobody-of-this-name/x", ()),
        ("a\0/b", "a\0/b", ()),
    ],
)
def test_a_path_is_completed_as_far_as_it_is_unambiguous(
    folder: Path, typed: str, text: str, choices: tuple[str, ...]
) -> None:
    completion = completed(typed)
    assert (completion.text, completion.choices) == (text, choices)
