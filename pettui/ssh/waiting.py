"""WaitingClient: what a client in the queue sees, and the keys with which it leaves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from pettui.terminal.guarded import guarded

if TYPE_CHECKING:
    from pettui.ssh.session_terminal import SessionTerminal

LEAVING: Final = b"qQ\x03\x04"  # the keys that leave: q, ctrl+c, ctrl+d
NO_WRAP, WRAP = "\x1b[?7l", "\x1b[?7h"
CLEAR_BELOW: Final = "\x1b[J"  # from the cursor on
_MINUTES_MAXIMUM: Final = 60  # above which an estimate would be no more than a number


def is_leaving(data: bytes) -> bool:
    """Whether nothing but keys that leave was typed: letters in pastes and replies are no keys."""
    return data != b"" and set(data) <= set(LEAVING)


def drawing(line: str) -> str:
    """Return what replaces the line on a terminal; nothing else of the terminal is touched.

    The cursor is left at the start of the line. So it still is there, and the rest of the line
    below it, after the terminal was made narrower and has wrapped the line. The terminal may be
    narrower than the line by now.
    """
    return f"\r{NO_WRAP}{line}{WRAP}{CLEAR_BELOW}\r"


class WaitingClient:
    """Shows a position and an estimate on one line of a terminal."""

    def __init__(self, terminal: SessionTerminal, width: int) -> None:
        """Start with an empty line of this many columns."""
        self._terminal = terminal
        self._width = width
        self._shown: tuple[int, float | None] | None = None  # position and seconds
        self._line: str | None = None  # drawn for this width
        self._ended: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def wait(self) -> bool:
        """Return whether the client was admitted, when the wait is over and the line is cleared."""
        try:
            return await self._ended
        finally:
            self._terminal.write(drawing(""))

    def show(self, position: int, seconds: float | None) -> None:
        """Show a position, from 1, and the estimated seconds."""
        self._shown = position, seconds
        guarded(self._show, self._fail)(position, seconds)

    def _show(self, position: int, seconds: float | None) -> None:
        line = waiting_line(position, seconds, self._width)
        if line != self._line and not self._ended.done() and not self._terminal.backlog:
            self._line = line
            self._terminal.write(drawing(line))

    def resize(self, width: int) -> None:
        """Fit the line to another width."""
        self._width, self._line = width, None
        if self._shown is not None:
            self.show(*self._shown)

    def admit(self) -> None:
        """End the wait: the client has a slot."""
        self._end(is_admitted=True)

    def leave(self) -> None:
        """End the wait without a slot."""
        self._end(is_admitted=False)

    def _fail(self, error: Exception) -> None:
        """End the wait with an exception, which ``wait`` raises."""
        if not self._ended.done():
            self._ended.set_exception(error)

    def _end(self, *, is_admitted: bool) -> None:
        if not self._ended.done():
            self._ended.set_result(is_admitted)


def waiting_line(position: int, seconds: float | None, width: int) -> str:
    """Return the line that a queued client sees, shorter than the terminal is wide.

    Args:
        position: in the queue, from 1.
        seconds: the estimated wait; None where it is not known.
        width: columns of the terminal.
    """
    ordinal, about = _ordinal(position), _about(seconds)
    shapes = (
        "; ".join(filter(None, (f"you are {ordinal}", about, "press q to leave"))),
        "; ".join(filter(None, (f"you are {ordinal}", about, "q leaves"))),
        f"you are {ordinal}; q leaves",
        f"{ordinal}; q leaves",
        ordinal,
    )
    return next((shape for shape in shapes if len(shape) < width), "")


def _ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th, 11th, 21st."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    is_teen = number // 10 % 10 == 1
    return f"{number}{'th' if is_teen else endings.get(number % 10, 'th')}"


def _about(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if minutes > _MINUTES_MAXIMUM:
        return "more than an hour"
    if minutes > 1:
        return f"about {minutes} minutes"
    return "about a minute" if seconds >= 45 else "less than a minute"
