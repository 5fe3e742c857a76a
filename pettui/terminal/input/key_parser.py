"""KeyParser: tokens of a terminal's input → Textual's messages; no token raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.messages import TerminalSupportsSynchronizedOutput

from pettui.terminal.input.kitty_keys import extended_keys
from pettui.terminal.input.mouse_reports import mouse_event
from pettui.terminal.input.pastes import PasteRefused
from pettui.terminal.input.textual_keys import ANSI_SEQUENCES_KEYS, key_name
from pettui.terminal.input.tokens import ESCAPE, TokenKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.message import Message

    from pettui.terminal.input.tokens import Token

UNBOUNDED = (100_000, 100_000)
FOCUS_IN, FOCUS_OUT = "\x1b[I", "\x1b[O"
SYNCHRONIZED_OUTPUT = ("\x1b[?2026;1$y", "\x1b[?2026;2$y")  # supported; on or off
# Alt and Backspace, which deletes a word; shift+tab of the Linux console.
_ESCAPED_KEYS = {"\x1b\x7f": "ctrl+w", "\x1b\t": "shift+tab"}
# In a field they move by words and delete one; elsewhere they are Esc and a letter (OrderedKeys).
_ESCAPED_LETTERS = {"\x1bb": "b", "\x1bd": "d", "\x1bf": "f"}


class KeyParser:
    """Translates what terminals send for keys and the mouse."""

    def __init__(self, *, takes_reports: bool = False) -> None:
        """Start with the mouse at the upper left.

        Args:
            takes_reports: whether to believe mode reports; the driver requested them.
        """
        self._takes_reports = takes_reports
        self._position = 0, 0  # of the mouse: column and row

    def messages(
        self, tokens: Iterable[Token], size: tuple[int, int] = UNBOUNDED
    ) -> Iterator[Message]:
        """Yield the messages of tokens, in their order.

        Args:
            tokens: of the terminal's input.
            size: its columns and rows; clicks beyond them are ignored.
        """
        for kind, text in tokens:
            yield from self._messages(kind, text, size)

    def _messages(self, kind: TokenKind, text: str, size: tuple[int, int]) -> Iterable[Message]:
        match kind:
            case TokenKind.PASTE:
                return [events.Paste(text)]
            case TokenKind.PASTE_REFUSED:
                pasted, most = text.split()
                return [PasteRefused(int(pasted), int(most))]
            case TokenKind.MOUSE:
                return self._mouse(text, size)
            case TokenKind.MODE_REPORT:
                is_supported = self._takes_reports and text in SYNCHRONIZED_OUTPUT
                return [TerminalSupportsSynchronizedOutput()] if is_supported else []
            case TokenKind.TEXT:
                return filter(None, map(_character_key, text))
            case TokenKind.SEQUENCE:
                return _sequence(text)

    def _mouse(self, report: str, size: tuple[int, int]) -> Iterator[Message]:
        event = mouse_event(report, size, self._position)
        if event is not None:
            self._position = int(event.x), int(event.y)
            yield event


def _sequence(sequence: str) -> Iterable[Message]:
    if sequence in (FOCUS_IN, FOCUS_OUT):
        return [events.AppFocus() if sequence == FOCUS_IN else events.AppBlur()]
    if sequence == ESCAPE:
        return [events.Key("escape", ESCAPE)]
    if sequence in _ESCAPED_KEYS:
        return [events.Key(_ESCAPED_KEYS[sequence], None)]
    if (letter := _ESCAPED_LETTERS.get(sequence)) is not None:
        return [events.Key(f"alt+{letter}", letter)]
    keys = extended_keys(sequence)
    return _listed_keys(sequence) if keys is None else keys


def _listed_keys(sequence: str) -> Iterator[events.Key]:
    """Yield the keys of a sequence by Textual's table; none if it is not in there."""
    listed = ANSI_SEQUENCES_KEYS.get(sequence)
    if isinstance(listed, str):
        yield events.Key(key_name(listed), listed)
    elif isinstance(listed, tuple):
        for key in listed:
            if "<" not in key.value:  # prompt_toolkit's own: no key
                yield events.Key(key.value, None)


def _character_key(character: str) -> events.Key | None:
    """Return the key of a character; None for a C1 control, which no key sends."""
    if "\x80" <= character < "\xa0":
        return None
    listed = ANSI_SEQUENCES_KEYS.get(character)
    if isinstance(listed, tuple):
        return events.Key(listed[0].value, character)
    return events.Key(key_name(character), character)
