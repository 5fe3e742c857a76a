"""Staging: a demo's faults, in the palette and in the header of every screen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pettui.staged_faults import Fault
from pettui.tui.messages import FaultsChanged
from pettui.tui.widgets.command_list import Command

if TYPE_CHECKING:
    from textual.app import App
    from textual.timer import Timer

    from pettui.staged_faults import StagedFaults
    from pettui.tui.user_session import Demo

MARGIN = 0.01  # seconds; a timer that fires a little early must not find the fault still there


class Staging:
    """Notifies an app's screens when a fault is staged, ended, or its time is over."""

    def __init__(self, app: App[Any], faults: StagedFaults) -> None:
        self._app = app
        self._faults = faults
        self._timer: Timer | None = None
        self._unsubscribe = faults.subscribe(self._notify)

    def close(self) -> None:
        """Stop notifying."""
        self._unsubscribe()
        self._unsubscribe = lambda: None  # the former one refers to this

    def _notify(self) -> None:
        for screen in self._app.screen_stack:
            screen.post_message(FaultsChanged())
        if self._timer is not None:
            self._timer.stop()
        times = (self._faults.seconds_left(fault) for fault in self._faults.staged)
        if (soonest := min(times, default=math.inf)) < math.inf:
            self._timer = self._app.set_timer(soonest + MARGIN, self._notify)


def fault_commands(demo: Demo) -> list[Command]:
    """Return a command for each fault: it stages the fault, or ends it where it is staged."""
    shown = [fault for fault in Fault if not (demo.is_read_only and fault is Fault.ADD_REFUSED)]
    return [_command(demo.faults, fault) for fault in shown]


def _command(faults: StagedFaults, fault: Fault) -> Command:
    is_staged = faults.is_staged(fault)
    verb, change = ("End", faults.end) if is_staged else ("Stage", faults.stage)

    async def run() -> None:
        change(fault)

    return Command(f"{verb}: {fault.title}", "", run)
