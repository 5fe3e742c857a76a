"""A file is written in a thread, and is there whole or not at all, however the app ends."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from pettui.transfer.files import TargetExistsError, TransferError
from pettui.tui.screens.pet_screen import write_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class NoThreads(ThreadPoolExecutor):
    """It can start no thread; what was to be done stays in its queue."""

    def submit(self, function: Callable[[], None], /, *_: object, **__: object) -> Any:
        self.do_later = function
        raise RuntimeError("can't start new thread")


def left_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


async def test_a_file_is_written_outside_the_event_loop_s_thread(tmp_path: Path) -> None:
    threads = []

    def pieces() -> Iterator[bytes]:
        threads.append(threading.current_thread())
        yield b"a"
        yield b"b"

    await write_in_thread(tmp_path / "a.csv", pieces())
    assert (tmp_path / "a.csv").read_bytes() == b"ab"
    assert threads != [threading.current_thread()]


async def test_an_existing_file_is_overwritten_only_if_requested(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"old")
    with pytest.raises(TargetExistsError):
        await write_in_thread(tmp_path / "a.csv", [b"new"])
    assert (tmp_path / "a.csv").read_bytes() == b"old"
    await write_in_thread(tmp_path / "a.csv", [b"new"], overwrite=True)
    assert (tmp_path / "a.csv").read_bytes() == b"new"


async def test_a_cancelled_write_leaves_no_file(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"half"
        begun.set()
        go_on.wait(20)
        yield b"the other half"

    writing = asyncio.create_task(write_in_thread(tmp_path / "a.csv", pieces()))
    await asyncio.to_thread(begun.wait, 20)
    assert [name.endswith(".tmp") for name in left_in(tmp_path)] == [True]
    writing.cancel()
    await asyncio.sleep(0)  # it is told now
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert left_in(tmp_path) == []


async def test_an_error_of_the_pieces_is_raised_and_leaves_no_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise TransferError("animal 3 holds half of a character")

    with pytest.raises(TransferError, match="animal 3 holds half of a character"):
        await write_in_thread(tmp_path / "a.csv", pieces())
    assert left_in(tmp_path) == []


async def test_without_a_thread_an_error_is_raised_and_nothing_is_written_later(
    tmp_path: Path,
) -> None:
    loop = asyncio.get_running_loop()
    executor = NoThreads()
    loop.set_default_executor(executor)
    with pytest.raises(TransferError, match="cannot write: can't start new thread"):
        await write_in_thread(tmp_path / "a.csv", [b"a"])
    with pytest.raises(TransferError, match="stopped"):
        executor.do_later()
    assert left_in(tmp_path) == []
