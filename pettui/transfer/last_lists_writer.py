"""LastListsWriter: keeps last lists in a thread: neither the loop nor the end waits for a disk."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pettui.transfer.errors import TransferError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from pettui.api_key import ApiKey
    from pettui.transfer.last_lists import LastLists


class Keeps(Protocol):
    """What a writer needs of a ``LastListsFile``; each call may block."""

    def keep(self, last: LastLists) -> None:
        """Keep this; raises TransferError."""

    def forget(self) -> None:
        """Keep nothing; raises TransferError."""

    def with_key(self, api_key: ApiKey) -> Self:
        """Return the same file, with another key to mask."""
        ...


class LastListsWriter:
    """Brings a file to what was wanted last; what was overtaken meanwhile is never written.

    The thread ends when nothing is left to do, and the next change starts another. What cannot be
    written is no failure: it is a copy, and the next answer is kept anew.
    """

    def __init__(self, file: Keeps, report: Callable[[Exception], object]) -> None:
        """Take what is written to; no thread is started yet.

        Args:
            file: used by the thread alone, one call after the other.
            report: called in the thread with the first bug of ours that a change meets.
        """
        self._file = file
        self._report = report
        self._lock = threading.Lock()
        self._wanted: Callable[[], None] | None = None
        self._thread: threading.Thread | None = None
        self._is_reported = False

    def use_key(self, api_key: ApiKey) -> None:
        """Mask another key from now on."""
        self._file = self._file.with_key(api_key)

    def keep(self, last: LastLists) -> None:
        """Keep this soon; never blocks, never raises."""
        self._want(partial(self._file.keep, last))

    def forget(self) -> None:
        """Keep nothing any more, soon; never blocks, never raises."""
        self._want(self._file.forget)

    def finish(self, seconds: float) -> bool:
        """Wait until all is done, for so long at most, and return whether it is."""
        with self._lock:
            self._start_thread()
            thread = self._thread
        if thread is not None:
            thread.join(seconds)
        with self._lock:
            return self._thread is None and self._wanted is None

    def _want(self, change: Callable[[], None]) -> None:
        with self._lock:
            self._wanted = change
            self._start_thread()

    def _start_thread(self) -> None:
        if self._thread is not None or self._wanted is None:
            return
        # A daemon: one that is stuck on a disk must not keep the process from ending.
        thread = threading.Thread(target=self._run, name="last lists", daemon=True)
        with suppress(RuntimeError, MemoryError):  # no room for a thread: the next change tries
            thread.start()
            self._thread = thread

    def _run(self) -> None:
        while (change := self._next()) is not None:
            try:
                change()
            except TransferError:
                continue
            except Exception as error:  # noqa: BLE001 - whatever it is, the next change is made
                self._tell(error)

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            change, self._wanted = self._wanted, None
            if change is None:
                self._thread = None
            return change

    def _tell(self, error: Exception) -> None:
        if not self._is_reported:  # one, and not one an answer
            self._is_reported = True
            self._report(error)
