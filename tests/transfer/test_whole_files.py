"""A file is written completely or not at all, and overwritten only on request."""

from __future__ import annotations

import os
import resource
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.transfer.files import TargetExistsError, TransferError, check_target, write_whole
from tests.exhaustive import product
from tests.small_disks import as_root, mounted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def mode(path: Path) -> int:
    """Return the permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def names(directory: Path) -> list[str]:
    """Return the names in a directory, including temporary files."""
    return sorted(path.name for path in directory.iterdir())


def test_a_file_has_all_pieces_in_order(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.csv", [b"one", b"", b"two"])
    assert (tmp_path / "a.csv").read_bytes() == b"onetwo"
    assert names(tmp_path) == ["a.csv"]


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(TargetExistsError, match=r"a\.csv already exists$"):
        write_whole(tmp_path / "a.csv", [b"new"])
    assert (tmp_path / "a.csv").read_text() == "old"
    assert names(tmp_path) == ["a.csv"]


def test_a_file_that_is_created_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        (tmp_path / "a.csv").write_text("old")
        yield b"new"

    with pytest.raises(TargetExistsError):
        write_whole(tmp_path / "a.csv", pieces())
    assert (tmp_path / "a.csv").read_text() == "old"
    assert names(tmp_path) == ["a.csv"]


def test_a_file_is_overwritten_on_request(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old")
    write_whole(tmp_path / "a.csv", [b"new"], overwrite=True)
    assert (tmp_path / "a.csv").read_text() == "new"
    write_whole(tmp_path / "b.csv", [b"new"], overwrite=True)
    assert names(tmp_path) == ["a.csv", "b.csv"]


def test_a_reader_of_the_old_file_reads_it_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old")
    with (tmp_path / "a.csv").open() as reader:
        write_whole(tmp_path / "a.csv", [b"new"], overwrite=True)
        assert reader.read() == "old"


@pytest.mark.parametrize("umask", ["022", "077"])
def test_a_file_gets_the_mode_that_the_umask_leaves(tmp_path: Path, umask: str) -> None:
    code = (
        "from pathlib import Path; from pettui.transfer.files import write_whole;"
        "write_whole(Path('a.csv'), [b'x'])"
    )
    command = ["sh", "-c", f'umask {umask}; exec "$0" -c "$1"', sys.executable, code]
    subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, check=True)
    assert mode(tmp_path / "a.csv") == 0o666 & ~int(umask, 8)


def test_only_the_user_can_read_a_file_while_it_is_written(tmp_path: Path) -> None:
    seen = []

    def pieces() -> Iterator[bytes]:
        for part in (b"one", b"two"):
            yield part
            seen.extend(mode(path) for path in tmp_path.iterdir())

    write_whole(tmp_path / "a.csv", pieces())
    assert seen == [0o600, 0o600]


def test_a_file_that_replaces_another_has_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch(mode=0o600)
    write_whole(tmp_path / "a.csv", [b"new"], overwrite=True)
    assert mode(tmp_path / "a.csv") == 0o600


def test_a_file_has_the_requested_mode(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch(mode=0o644)
    write_whole(tmp_path / "a.csv", [b"new"], overwrite=True, mode=0o600)
    assert mode(tmp_path / "a.csv") == 0o600


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


def test_a_kill_in_the_middle_leaves_the_previous_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old")
    code = (
        "import os; from pathlib import Path; from pettui.transfer.files import write_whole\n"
        "def pieces():\n"
        "    yield b'x' * 1_000_000\n"
        "    os.kill(os.getpid(), 9)\n"
        "write_whole(Path('a.csv'), pieces(), overwrite=True)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=ENVIRONMENT, check=False)
    assert ended.returncode == -9
    assert (tmp_path / "a.csv").read_text() == "old"
    for left in tmp_path.glob(".pettui-*"):
        assert mode(left) == 0o600


def a_socket(path: Path) -> None:
    """Create a socket at a path that may be too long to bind."""
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"{short}/s")
        Path(f"{short}/s").rename(path)


def a_link_to_a_file(path: Path) -> None:
    """Create a link at a path."""
    path.with_name("target").write_text("old")
    path.symlink_to("target")


IN_THE_WAY: dict[str, tuple[Callable[[Path], object], str]] = {
    "a directory": (lambda path: path.mkdir(), "it is a directory"),
    "a link": (a_link_to_a_file, "it is a symbolic link"),
    "a link to itself": (lambda path: path.symlink_to(path), "it is a symbolic link"),
    "a pipe": (os.mkfifo, "it is not a regular file"),
    "a socket": (a_socket, "it is not a regular file"),
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


def test_a_file_beyond_the_size_limit_is_not_created(tmp_path: Path) -> None:
    # SIGXFSZ is ignored by Python: the call fails.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        with pytest.raises(TransferError, match="it is too large"):
            write_whole(tmp_path / "a.csv", [b"x" * 10_000] * 10)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names(tmp_path) == []


@as_root
def test_a_full_disk_leaves_the_previous_file() -> None:
    with mounted("size=64k") as directory:
        (directory / "a.csv").write_text("old")
        with pytest.raises(TransferError, match=r"a\.csv: the disk is full$"):
            write_whole(directory / "a.csv", [b"x" * 1000] * 100, overwrite=True)
        assert names(directory) == ["a.csv"]
        assert (directory / "a.csv").read_text() == "old"


@as_root
def test_a_read_only_disk_is_reported() -> None:
    with mounted("ro") as directory, pytest.raises(TransferError, match="is read-only"):
        write_whole(directory / "a.csv", [b"x"])
