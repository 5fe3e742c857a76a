"""WaitingClient: somebody in the queue: a line on their terminal, no app, and keys that leave."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

from pettui.ssh.admission.waiting_queue import waiting_line
from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from pettui.ssh.sessions.channel_output import ChannelOutput

LEAVING: Final = b"qQ\x03\x04"  # q, ctrl+c, ctrl+d
CLEAR: Final = "\r\x1b[K"  # of the line: nothing else of the terminal is touched
# Of a key, a paste or an answer of the terminal's: what stands in it was not pressed.
_SEQUENCE: Final = re.compile(
    rb"\x1b(?:\[200~.*?(?:\x1b\[201~|$)|\[[0-?]*[ -/]*[@-~]?|O.?|[]P_^X][^\x07\x1b]*|.)?",
    re.DOTALL,
)


def is_leaving(data: bytes) -> bool:
    """Whether a key that leaves is among what was typed."""
    typed = _SEQUENCE.sub(b"", data)
    return any(key in typed for key in LEAVING)


class WaitingClient:
    """What they type goes to nobody."""

    def __init__(self, output: ChannelOutput, width: int) -> None:
        """Begin with an empty line of this many columns."""
        self._output = output
        self._width = width
        self._place: tuple[int, float | None] | None = None
        self._line = ""
        self._ended: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def wait(self) -> bool:
        """Return whether they are let in, once they are or have left; the line is gone then."""
        try:
            return await self._ended
        finally:
            self._output.write(CLEAR)

    def show(self, position: int, seconds: float | None) -> None:
        """Say how many are before them, and how long it takes, about."""
        self._place = position, seconds
        guarded(self._show, self._fail, otherwise=None)(position, seconds)

    def _show(self, position: int, seconds: float | None) -> None:
        line = waiting_line(position, seconds, self._width)
        if line != self._line and not self._ended.done() and not self._output.backlog:
            self._line = line
            self._output.write(f"{CLEAR}{line}")

    def resize(self, width: int) -> None:
        """Fit the line into another width."""
        self._width, self._line = width, ""
        if self._place is not None:
            self.show(*self._place)

    def let_in(self) -> None:
        """End: a slot is theirs."""
        self._end(is_let_in=True)

    def leave(self) -> None:
        """End without one."""
        self._end(is_let_in=False)

    def _fail(self, error: Exception) -> None:
        """End by a bug, which whoever waits for the end is told of."""
        if not self._ended.done():
            self._ended.set_exception(error)

    def _end(self, *, is_let_in: bool) -> None:
        if not self._ended.done():
            self._ended.set_result(is_let_in)
