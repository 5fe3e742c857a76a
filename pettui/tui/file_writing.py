"""Writing a file in a thread: the screen goes on, and nothing half written is ever left."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import TYPE_CHECKING, Final

from pettui.transfer.errors import TransferError
from pettui.transfer.whole_files import check_target, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

GRACE: Final = 2.0  # seconds that a thread gets to take its file away, where nobody waits for it


async def write_in_thread(path: Path, pieces: Iterable[bytes], *, overwrite: bool = False) -> None:
    """Write a file whole, as ``write_whole`` does; where this is cancelled there is none.

    Raises:
        FileThereError: there is a file, and it may not be overwritten.
        TransferError: it cannot be written.
    """
    stop = Event()

    def write() -> None:
        write_whole(path, _until(stop, pieces), overwrite=overwrite)

    try:
        writing = asyncio.get_running_loop().run_in_executor(None, write)
    except RuntimeError as error:
        stop.set()  # a thread that could not be started has it in its queue still
        raise TransferError(f"cannot write: {error}") from error
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        stop.set()
        writing.add_done_callback(_take_error)
        await asyncio.wait({writing}, timeout=GRACE)
        raise


async def check_in_thread(path: Path, *, overwrite: bool = False) -> None:
    """Check that a file may come to stand at a path; raises as ``write_in_thread`` does."""
    await asyncio.to_thread(check_target, path, overwrite=overwrite)


def _until(stop: Event, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces; raises before the next one, and before the file is there, once stopped."""
    for piece in pieces:
        _check(stop)
        yield piece
    _check(stop)


def _check(stop: Event) -> None:
    if stop.is_set():
        raise TransferError("stopped")


def _take_error(writing: asyncio.Future[None]) -> None:
    """Look at how it ended, since nobody else will."""
    if not writing.cancelled():
        writing.exception()
