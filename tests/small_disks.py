"""Real file systems with little room, and how to fill them up."""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")


@contextmanager
def mounted(options: str) -> Iterator[Path]:
    """Mount a small file system; yield its path."""
    with tempfile.TemporaryDirectory() as path:
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], check=True)
        try:
            yield Path(path)
        finally:
            subprocess.run(["umount", "--lazy", path], check=True)


@contextmanager
def full_disk(directory: Path) -> Iterator[None]:
    """Fill the disk until the end."""
    with (directory / "full").open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass
    yield
    (directory / "full").unlink()


@contextmanager
def no_inodes(directory: Path) -> Iterator[None]:
    """Use up every inode until the end."""
    numbers = iter(range(10_000))
    try:
        while True:
            (directory / f"empty{next(numbers)}").touch()
    except OSError:
        yield
    for path in directory.glob("empty*"):
        path.unlink()
