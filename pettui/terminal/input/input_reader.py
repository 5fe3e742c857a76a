"""TypedInput: bytes from a terminal → messages for the app, also where nothing follows an Esc."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import events

from pettui.terminal.guarded_calls import guarded
from pettui.terminal.input.key_parser import KeyParser
from pettui.terminal.input.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.message import Message

    from pettui.terminal.input.tokens import Token


class TypedInput:
    """Waits a moment for the rest of what is unfinished."""

    def __init__(
        self,
        deliver: Callable[[Message], None],
        fail: Callable[[Exception], None],
        *,
        size: Callable[[], tuple[int, int]],
        tokenizer: Tokenizer | None = None,
        parser: KeyParser | None = None,
    ) -> None:
        """Begin with nothing.

        Args:
            deliver: gets each message.
            fail: is told of an error that nobody else would catch.
            size: returns the terminal's columns and rows.
            tokenizer: of what the terminal sends.
            parser: of the tokens.
        """
        self._deliver = deliver
        self._fail = fail
        self._size = size
        self._tokenizer = tokenizer or Tokenizer()
        self._parser = parser or KeyParser()
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, data: bytes) -> int:
        """Take what the terminal sent; return how many keys and the like that was."""
        count = self._take(self._tokenizer.feed(data))
        self._wait_for_the_rest()
        return count

    def stop(self) -> None:
        """Wait for nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _take(self, tokens: Iterable[Token]) -> int:
        count = 0
        move: events.MouseMove | None = None
        for message in self._parser.messages(tokens, self._size()):
            count += 1
            if isinstance(message, events.MouseMove):
                move = message  # of many in a row the last one tells all
                continue
            if move is not None:
                self._deliver(move)
                move = None
            self._deliver(message)
        if move is not None:
            self._deliver(move)
        return count

    def _wait_for_the_rest(self) -> None:
        self.stop()
        patience = self._tokenizer.patience
        if patience is not None:
            time_out = guarded(self._time_out, self._fail, otherwise=None)
            self._timer = asyncio.get_running_loop().call_later(patience, time_out)

    def _time_out(self) -> None:
        self._timer = None
        self._take(self._tokenizer.time_out())
