"""TypedInput: bytes from a terminal → messages for the app."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events

from pettui.terminal.guarded_calls import guarded
from pettui.terminal.input.key_parser import KeyParser
from pettui.terminal.input.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.message import Message

    from pettui.terminal.input.tokens import Token


@dataclass(frozen=True, slots=True)
class LeftInput:
    """What was typed for an app that ended before it handled it."""

    events: Sequence[Message]  # keys and pastes
    tokenizer: Tokenizer  # with the begin of a sequence or a paste, perhaps


class TypedInput:
    """Parses input as it comes; an unfinished sequence is given up after a time-out."""

    def __init__(
        self,
        deliver: Callable[[Message], None],
        fail: Callable[[Exception], None],
        *,
        size: Callable[[], tuple[int, int]],
        tokenizer: Tokenizer | None = None,
        parser: KeyParser | None = None,
    ) -> None:
        """Start without input.

        Args:
            deliver: called with each message.
            fail: called with an error that nobody else would catch.
            size: returns the terminal's columns and rows.
            tokenizer: of the terminal's input.
            parser: of the tokens.
        """
        self._deliver = deliver
        self._fail = fail
        self._size = size
        self._tokenizer = tokenizer or Tokenizer()
        self._parser = parser or KeyParser()
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, data: bytes) -> int:
        """Handle input from the terminal; return the number of keys and other events in it."""
        count = self._handle(self._tokenizer.feed(data))
        self._wait_for_rest()
        return count

    def left(self, events: Sequence[Message]) -> LeftInput:
        """Return what is left at the end of an app, which has not handled these events."""
        return LeftInput(events, self._tokenizer)

    def resume(self, left: LeftInput) -> None:
        """Handle what is left of an app before, and continue where its input ended."""
        for event in left.events:
            self._deliver(event)
        self._tokenizer = left.tokenizer
        self._wait_for_rest()

    def stop(self) -> None:
        """Stop waiting for the rest of a sequence."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _handle(self, tokens: Iterable[Token]) -> int:
        count = 0
        move: events.MouseMove | None = None
        for message in self._parser.messages(tokens, self._size()):
            count += 1
            if isinstance(message, events.MouseMove):
                move = message  # of many in a row only the last one matters
                continue
            if move is not None:
                self._deliver(move)
                move = None
            self._deliver(message)
        if move is not None:
            self._deliver(move)
        return count

    def _wait_for_rest(self) -> None:
        self.stop()
        patience = self._tokenizer.patience
        if patience is not None:
            time_out = guarded(self._time_out, self._fail, otherwise=None)
            self._timer = asyncio.get_running_loop().call_later(patience, time_out)

    def _time_out(self) -> None:
        self._timer = None
        self._handle(self._tokenizer.time_out())
