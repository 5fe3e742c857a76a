"""FrameTimer: how long a session's keys take to their frames, of a few of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.status.process_load import ProcessLoad

LOOK: Final = 0.25  # seconds until a key that nothing was drawn for is looked into, again and again


class FrameTimer:
    """The time from one key to the next that is drawn."""

    def __init__(
        self,
        load: ProcessLoad,
        pending: Callable[[], int | None],
        after_drawing: Callable[[Callable[[], None]], None],
    ) -> None:
        """Take where the time is noted.

        Args:
            load: of the process.
            pending: returns how many keys the app has before it; None for no app.
            after_drawing: has the app call something once it has drawn what changed so far.
        """
        self._load = load
        self._pending = pending
        self._after_drawing = after_drawing
        self._began = 0.0  # by the loop's clock; 0 while no key is waited for
        self._timer: asyncio.TimerHandle | None = None

    def typed(self) -> None:
        """Begin, where this is one of the few keys, which the app is given now."""
        if not self._began and self._load.wants_sample():
            self._began = asyncio.get_running_loop().time()
            self._look_soon()

    def drew(self) -> None:
        """Note how long it took, where a key was waited for."""
        if self._began:
            self._load.drew(asyncio.get_running_loop().time() - self._began)
            self.stop()

    def stop(self) -> None:
        """Wait for nothing more."""
        self._began = 0.0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_soon(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK, self._look)

    def _look(self) -> None:
        """Once the app came to the key, forget it unless something is drawn for it yet."""
        self._timer = None
        if self._pending():
            self._look_soon()
        else:
            self._after_drawing(self.stop)
