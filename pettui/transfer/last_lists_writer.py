"""LastListsWriter: stores last lists in a thread, so that nothing waits for the disk."""

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


class ListsFile(Protocol):
    """What a writer needs of a ``LastListsFile``; each call may block."""

    def keep(self, last: LastLists) -> None:
        """Store the lists; raises TransferError."""

    def forget(self) -> None:
        """Remove the lists; raises TransferError."""

    def with_key(self, api_key: ApiKey) -> Self:
        """Return the same file, with another key to mask."""
        ...


class LastListsWriter:
    """Applies the latest change to a file; changes that were superseded meanwhile are skipped.

    The thread ends when nothing is left to do, and the next change starts another. A failed write
    is ignored: the lists are only a copy, and the next response is stored again.
    """

    def __init__(self, file: ListsFile, report: Callable[[Exception], object]) -> None:
        """Create a writer; no thread is started yet.

        Args:
            file: used only by the thread, one call at a time.
            report: called in the thread with the first unexpected exception of a change.
        """
        self._file = file
        self._report = report
        self._lock = threading.Lock()
        self._change: Callable[[], None] | None = None
        self._thread: threading.Thread | None = None
        self._is_reported = False

    def use_key(self, api_key: ApiKey) -> None:
        """Mask another key from now on."""
        self._file = self._file.with_key(api_key)

    def keep(self, last: LastLists) -> None:
        """Store the lists soon; never blocks, never raises."""
        self._apply_soon(partial(self._file.keep, last))

    def forget(self) -> None:
        """Remove the lists soon; never blocks, never raises."""
        self._apply_soon(self._file.forget)

    def finish(self, seconds: float) -> bool:
        """Wait at most so many seconds until all is done, and return whether it is."""
        with self._lock:
            self._start_thread()
            thread = self._thread
        if thread is not None:
            thread.join(seconds)
        with self._lock:
            return self._thread is None and self._change is None

    def _apply_soon(self, change: Callable[[], None]) -> None:
        with self._lock:
            self._change = change
            self._start_thread()

    def _start_thread(self) -> None:
        if self._thread is not None or self._change is None:
            return
        # A daemon, so that a hanging disk does not prevent the process from exiting.
        thread = threading.Thread(target=self._run, name="last lists", daemon=True)
        with suppress(RuntimeError, MemoryError):  # no thread: the next change tries again
            thread.start()
            self._thread = thread

    def _run(self) -> None:
        while (change := self._next()) is not None:
            try:
                change()
            except TransferError:
                continue
            except Exception as error:  # noqa: BLE001 - the next change is applied all the same
                self._report_once(error)

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            change, self._change = self._change, None
            if change is None:
                self._thread = None
            return change

    def _report_once(self, error: Exception) -> None:
        if not self._is_reported:  # not for every response
            self._is_reported = True
            self._report(error)
