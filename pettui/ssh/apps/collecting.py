"""When a server runs a full garbage collection, and which objects are exempt from it.

With a hundred apps a full collection takes most of a second, in which no key is handled. So an app
that has ended is dismantled, which frees it; what little is left waits until nobody is there.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from pettui.ssh.fair_loop import activity_context
from pettui.system.idle_collection import IDLE, IdleCollection

if TYPE_CHECKING:
    from pettui.ssh.apps.served_app import ServedApp

# Young collections of a millisecond, since apps start while others type; whatever is older is
# collected only here: most of it are the apps of those who are there.
THRESHOLDS = (5_000, 1_000_000, 1_000_000)
CHECK_SECONDS = 1.0  # between two checks of whether a full collection is due
END_SECONDS = 0.5  # from an app's end until it is dismantled, for callbacks that are due
BLOCKS_OF_SESSION = 15_000  # memory blocks that a session takes
GROWTH = 2_000_000  # blocks beyond that, some 150 MB, after which a full collection is due
GROWTH_MAXIMUM = 4_000_000  # after which it is run even while users type

# What these libraries import later; if a module is gone, the server does not start.
IMPORTED_LATE = (
    "_strptime", "concurrent.futures.thread", "encodings.idna", "encodings.utf_8_sig",
    "rich._emoji_codes", "rich.columns", "rich.json", "rich.pretty", "rich.rule", "rich.scope",
    "rich.status", "rich.traceback", "textual.drivers.linux_driver", "textual.layouts.factory",
    "textual.scrollbar", "textual.system_commands", "textual.widgets._label",
)  # fmt: skip
WIDE = "\u4e2d"  # a character for which Rich imports its table of widths


def freeze() -> None:
    """Exempt all present objects from collections, which would also copy their memory pages.

    Call it before the first app exists: that would never be freed; and after all that it will need
    was imported.
    """
    for module in IMPORTED_LATE:
        import_module(module)
    cell_len(WIDE)
    gc.collect()
    gc.freeze()


class GcSchedule(IdleCollection):
    """Frees apps that ended, and runs full collections when nobody is there, or memory is short."""

    def __init__(self) -> None:
        super().__init__()
        self._sessions = 0  # that run
        self._has_ended = False  # a session, since the last collection
        self._sessions_before = self._blocks_before = 0  # at the last collection
        self._reset()

    def session_began(self) -> None:
        """Count a session."""
        self._sessions += 1

    def session_ended(self) -> None:
        """Count a session no longer."""
        self._sessions -= 1
        self._has_ended = True

    async def wait(self, longest: float) -> None:
        """Wait until nobody types, but no longer than this many seconds."""
        loop = asyncio.get_running_loop()
        until = loop.time() + longest
        left = 1.0
        while left > 0:
            left = min(self._typed + IDLE, until) - loop.time()
            await asyncio.sleep(max(left, 0))

    def app_ended(self, app: ServedApp[Any]) -> None:
        """Free an app soon, while others' keys go before it."""
        context, _ = activity_context()
        asyncio.get_running_loop().call_later(END_SECONDS, self._free, app, context=context)

    def _free(self, app: ServedApp[Any]) -> None:
        if not app.dismantle():
            self.app_ended(app)

    async def collect(self) -> None:
        """Run collections when they are due, until cancelled."""
        gc.set_threshold(*THRESHOLDS)
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            self.collect_if_time()

    def _is_due(self) -> bool:
        is_left_alone = self._has_ended and not self._sessions
        return is_left_alone or self._growth() > GROWTH

    def _is_overdue(self) -> bool:
        return self._growth() > GROWTH_MAXIMUM

    def _growth(self) -> int:
        """Return the memory blocks beyond those of the last collection and of new sessions."""
        of_sessions = (self._sessions - self._sessions_before) * BLOCKS_OF_SESSION
        return sys.getallocatedblocks() - self._blocks_before - of_sessions

    def _reset(self) -> None:
        self._has_ended = False
        self._sessions_before, self._blocks_before = self._sessions, sys.getallocatedblocks()
