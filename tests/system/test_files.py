"""Files are read, or refused at once, and nothing makes the reader wait; directories are private."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.system.files import complete_file, make_directory, read_regular_file, why_refused
from tests.small_disks import as_root, full_disk, mounted

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_link_is_followed_except_where_a_file_is_the_apps_own(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert read_regular_file(tmp_path / "link", 100).content == b"content"
    assert read_regular_file(tmp_path / "file", follow_links=False).content == b"content"
    with pytest.raises(OSError, match="symbolic link"):
        read_regular_file(tmp_path / "link", follow_links=False)
    assert read_regular_file(os.devnull, 5).content == b""
    with pytest.raises(OSError, match="not a regular file"):
        read_regular_file(os.devnull, follow_links=False)


def test_a_file_of_the_maximum_size_is_read_and_a_larger_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_regular_file(path, 5).content == b"12345"
    with pytest.raises(OSError, match="File too large"):
        read_regular_file(path, 4)


def test_a_file_whose_directory_was_taken_away_since_is_safe_from_nobody(tmp_path: Path) -> None:
    path = tmp_path / "here" / "file"
    path.parent.mkdir()
    path.touch(0o600)
    found = read_regular_file(path)
    assert found.is_safe_at(path)
    path.parent.rename(tmp_path / "away")
    assert not found.is_safe_at(path)


def test_an_impossible_path_does_not_exist() -> None:
    for path in ("a\0b", "a/\ud800"):
        with pytest.raises(FileNotFoundError, match="No such file"):
            read_regular_file(path, 5)


def bind_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as unheard, chdir(path.parent):
        unheard.bind(path.name)  # the whole path may be too long


NOT_READ: dict[str, tuple[Callable[[Path], None], str]] = {
    "directory": (Path.mkdir, "Is a directory"),
    "fifo": (os.mkfifo, "not a regular file"),
    "socket": (bind_socket, "not a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
}


@pytest.mark.parametrize(("put", "reason"), NOT_READ.values(), ids=NOT_READ)
def test_anything_but_a_regular_file_is_refused_at_once_and_not_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Callable[[Path], None], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    put(Path("it"))
    before = sorted(Path("/dev/fd").iterdir())
    with pytest.raises(OSError, match=reason):
        read_regular_file("it", 5)
    assert sorted(Path("/dev/fd").iterdir()) == before


def test_what_an_earlier_write_left_is_replaced_and_a_link_there_is_not_followed(
    tmp_path: Path,
) -> None:
    path, temporary, other = tmp_path / "file", tmp_path / "temporary", tmp_path / "other"
    temporary.write_bytes(b"half of something longer")
    with complete_file(path, [b"whole"], temporary=temporary):
        temporary.rename(path)
    assert path.read_bytes() == b"whole"
    other.write_bytes(b"other")
    temporary.symlink_to(other)
    with (
        pytest.raises(OSError, match="symbolic link"),
        complete_file(path, [], temporary=temporary),
    ):
        pass
    assert (path.read_bytes(), other.read_bytes()) == (b"whole", b"other")


def test_a_directory_and_those_above_it_are_made_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for _ in range(2):
        make_directory(tmp_path / "a" / "b")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("", "a", "a/b")]
    assert modes == [0o755, 0o700, 0o700]


def test_a_file_in_the_place_of_a_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in ("file", "file/a/b"):
        with pytest.raises(NotADirectoryError):
            make_directory(tmp_path / path)


def test_a_directory_is_made_where_nobody_can_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(directory: Path) -> None:
        raise PermissionError(directory)  # as to anybody but root

    monkeypatch.setattr("pettui.system.files.sync_directory", refuse)
    make_directory(tmp_path / "closed" / "a")
    assert (tmp_path / "closed" / "a").is_dir()


@as_root
def test_why_a_disk_keeps_nothing_is_a_word_where_the_directory_is_not_there_yet() -> None:
    with mounted("size=64k") as disk:
        assert why_refused(disk / "not" / "yet") == ""
        with full_disk(disk):
            assert why_refused(disk / "not" / "yet") == "full"
    with mounted("size=64k,ro") as disk:
        assert why_refused(disk) == "read-only"
