"""FrameTimer: measures the time from a key to its frame, for a sample of a session's keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.load import ProcessLoad

CHECK_INTERVAL: Final = 0.25  # seconds between two checks for a key without a frame


class FrameTimer:
    """Measures one key at a time."""

    def __init__(
        self,
        load: ProcessLoad,
        pending: Callable[[], int | None],
        after_drawing: Callable[[Callable[[], None]], None],
    ) -> None:
        """Start without a measurement.

        Args:
            load: of the process, where the times are counted.
            pending: returns the number of keys in the app's queue; None without an app.
            after_drawing: calls something once the app has drawn its changes so far.
        """
        self._load = load
        self._pending = pending
        self._after_drawing = after_drawing
        self._began = 0.0  # by the loop's clock; 0 without a measurement
        self._timer: asyncio.TimerHandle | None = None

    def typed(self) -> None:
        """Start a measurement if this key is in the sample; the app gets it now."""
        if not self._began and self._load.wants_sample():
            self._began = asyncio.get_running_loop().time()
            self._check_soon()

    def drew(self) -> None:
        """Count the time of the key that is measured, if any."""
        if self._began:
            self._load.drew(asyncio.get_running_loop().time() - self._began)
            self.stop()

    def stop(self) -> None:
        """End the measurement."""
        self._began = 0.0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_soon(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(CHECK_INTERVAL, self._check)

    def _check(self) -> None:
        """Once the app has processed the key, give up unless a frame follows."""
        self._timer = None
        if self._pending():
            self._check_soon()
        else:
            self._after_drawing(self.stop)
