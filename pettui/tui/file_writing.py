"""Writing a file in a thread: the app stays responsive, and no partial file is ever left."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import TYPE_CHECKING, Final

from pettui.transfer.files import TransferError, check_target, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

GRACE: Final = 2.0  # seconds that a cancelled thread gets to remove its file


async def write_in_thread(path: Path, pieces: Iterable[bytes], *, overwrite: bool = False) -> None:
    """Write a file as ``write_whole`` does; if this is cancelled, no file is written.

    Raises:
        TargetExistsError: the file exists, and may not be overwritten.
        TransferError: it cannot be written.
    """
    stop = Event()

    def write() -> None:
        write_whole(path, _until(stop, pieces), overwrite=overwrite)

    try:
        writing = asyncio.get_running_loop().run_in_executor(None, write)
    except RuntimeError as error:
        stop.set()  # no thread could be started, but the call is still queued
        raise TransferError(f"cannot write: {error}") from error
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        stop.set()
        writing.add_done_callback(_retrieve_error)
        await asyncio.wait({writing}, timeout=GRACE)
        raise


async def check_in_thread(path: Path, *, overwrite: bool = False) -> None:
    """Check that a file may be written at a path; raises as ``write_in_thread`` does."""
    await asyncio.to_thread(check_target, path, overwrite=overwrite)


def _until(stop: Event, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces; raise TransferError before the next one, or at the end, once stopped."""
    for piece in pieces:
        _raise_if_stopped(stop)
        yield piece
    _raise_if_stopped(stop)


def _raise_if_stopped(stop: Event) -> None:
    if stop.is_set():
        raise TransferError("stopped")


def _retrieve_error(writing: asyncio.Future[None]) -> None:
    """Retrieve the error, or asyncio would log that nobody did."""
    if not writing.cancelled():
        writing.exception()
