"""Files are read, or refused at once, and nothing makes the reader wait; directories are private."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from pettui.files import complete_file, make_directory, read_regular_file


def test_a_file_is_read_with_the_status_that_it_has(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\x00content\xff")
    path.chmod(0o640)
    file = read_regular_file(path, 100)
    assert file.content == b"\x00content\xff"
    assert stat.S_IMODE(file.status.st_mode) == 0o640


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert read_regular_file(tmp_path / "link", 100).content == b"content"


def test_a_file_of_the_apps_own_is_neither_a_link_nor_a_device(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert read_regular_file(tmp_path / "file", follow_links=False).content == b"content"
    with pytest.raises(OSError, match="symbolic link"):
        read_regular_file(tmp_path / "link", follow_links=False)
    with pytest.raises(OSError, match="not a regular file"):
        read_regular_file(os.devnull, follow_links=False)


def test_a_file_of_the_maximum_size_is_read_and_a_larger_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_regular_file(path, 5).content == b"12345"
    with pytest.raises(OSError, match="File too large"):
        read_regular_file(path, 4)


def test_the_null_device_is_an_empty_file() -> None:
    assert read_regular_file(os.devnull, 5).content == b""


def test_an_impossible_path_does_not_exist() -> None:
    for path in ("a\0b", "a/\ud800"):
        with pytest.raises(FileNotFoundError, match="No such file"):
            read_regular_file(path, 5)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_regular_file(tmp_path, 5)


def test_a_fifo_with_an_idle_writer_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    writer = os.open(tmp_path / "fifo", os.O_RDWR)
    try:
        with pytest.raises(OSError, match="not a regular file"):
            read_regular_file(tmp_path / "fifo", 5)
    finally:
        os.close(writer)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        with pytest.raises(OSError, match="not a regular file"):
            read_regular_file("socket", 5)


@pytest.mark.parametrize("path", ["/", "/dev/zero", "/dev/null"])
def test_no_descriptor_is_left_open(path: str) -> None:
    before = sorted(Path("/dev/fd").iterdir())
    for _ in range(5):
        with suppress(OSError):
            read_regular_file(path, 5)
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

    monkeypatch.setattr("pettui.files.sync_directory", refuse)
    make_directory(tmp_path / "closed" / "a")
    assert (tmp_path / "closed" / "a").is_dir()
