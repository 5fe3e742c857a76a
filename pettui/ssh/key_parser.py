"""Tokens of what a client sent → Textual's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual._xterm_parser import XTermParser
from textual.keys import Keys

from pettui.ssh.input_tokens import ESCAPE, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.message import Message

    from pettui.ssh.input_tokens import Token

FOCUS_CAME, FOCUS_WENT = "\x1b[I", "\x1b[O"


class KeyParser(XTermParser):
    """Textual's knowledge of keys, without the generator around it.

    Its own cache of keys would hold on to the apps that they were sent to.
    """

    _parse_extended_key = XTermParser._parse_extended_key.__wrapped__  # type: ignore[assignment]  # noqa: SLF001

    def messages(self, tokens: Iterable[Token]) -> Iterator[Message]:
        """Give the messages of tokens, in their order."""
        for kind, text in tokens:
            yield from self._messages(kind, text)

    def _messages(self, kind: Kind, text: str) -> Iterator[Message]:
        if kind is Kind.PASTE:
            yield events.Paste(text)
        elif kind is Kind.MOUSE:
            message = self.parse_mouse_code(text)
            if message is not None:
                yield message
        elif text in (FOCUS_CAME, FOCUS_WENT):
            yield events.AppFocus() if text == FOCUS_CAME else events.AppBlur()
        elif text == ESCAPE:
            yield events.Key("escape", ESCAPE)
        else:
            pieces = (text,) if kind is Kind.SEQUENCE else text
            for piece in pieces:
                yield from self._keys(piece, alt=kind is Kind.ALT)

    def _keys(self, sequence: str, *, alt: bool) -> Iterator[events.Key]:
        """Give the keys of a sequence or a character; none for what is to be ignored."""
        for key in self._sequence_to_key_events(sequence, alt=alt):
            if key.key != Keys.Ignore:
                yield key
