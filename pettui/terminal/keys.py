"""KeyParser: tokens of a terminal's input → Textual's messages; no token raises.

Keys may come as Textual's table lists them, or as numbers: by the kitty keyboard protocol, and
xterm's modifyOtherKeys (https://sw.kovidgoyal.net/kitty/keyboard-protocol/: code:shifted:base ;
modifiers:event ; text). A program that crashed may have left flags on that this one does not set.

Textual keeps its names of keys in private modules. Of these it uses, and
``tests/terminal/test_private_names.py`` fails without them:

- ``_ansi_sequences.ANSI_SEQUENCES_KEYS``: where it changes, function keys, arrows and controls do
  nothing on terminals without kitty's protocol.
- ``_keyboard_protocol.FUNCTIONAL_KEYS``, ``MODIFIER_FUNCTIONAL_KEYS``: where they change, they do
  nothing on terminals with it.
- ``keys._character_to_key``: where it changes, punctuation keys such as ``:`` and ``+`` are bound
  under other names than they are typed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import lookup, name

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS, MODIFIER_FUNCTIONAL_KEYS
from textual.keys import KEY_NAME_REPLACEMENTS
from textual.keys import _character_to_key as character_to_key
from textual.messages import TerminalSupportsSynchronizedOutput

from pettui.terminal.clusters import without_marks
from pettui.terminal.mouse import mouse_event
from pettui.terminal.tokenizer import ESCAPE, PasteRefused, Token, TokenKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.message import Message


UNBOUNDED = (100_000, 100_000)
FOCUS_IN, FOCUS_OUT = "\x1b[I", "\x1b[O"
SYNCHRONIZED_OUTPUT = ("\x1b[?2026;1$y", "\x1b[?2026;2$y")  # supported; on or off
_BACK_TAB = "\x1b\t"
# Without Alt these are one key nevertheless: in a field they move by words, or delete one.
_ESCAPED_LETTERS = "bdf"
_DELETE_WORD = "\x7f"
# As they come without kitty's protocol; Textual deletes to the right by the first two.
_AS_WITHOUT_KITTY = {
    "alt+backspace": "ctrl+w", "ctrl+backspace": "ctrl+w", "shift+backspace": "backspace",
    "shift+enter": "enter", "shift+escape": "escape",
}  # fmt: skip


class LayoutKey(events.Key):
    """A letter of another script, by a key that has a Latin one, too: that is its last alias."""

    def __init__(self, key: str, character: str, latin: str) -> None:
        super().__init__(key, character)
        self.latin = latin  # a name

    @property
    def aliases(self) -> list[str]:
        """The names of the key."""
        return [*super().aliases, self.latin]


class KeyParser:
    """Translates what terminals send for keys and the mouse."""

    def __init__(
        self,
        *,
        takes_alt: bool = True,
        takes_latin_keys: bool = False,
        is_console: bool = False,
    ) -> None:
        """Start with the mouse at the upper left.

        Args:
            takes_alt: whether an ESC and a character, which come at once, are what Textual makes of
                them: Alt and a key. Otherwise they are Esc, and then a key; and what Shift, Alt or
                Ctrl does to Backspace and Enter does not depend on the terminal.
            takes_latin_keys: whether letters of another script are told with their Latin keys, and
                with Ctrl are these.
            is_console: whether it is Linux's console, whose Shift and Tab is what Esc and Tab is.
        """
        self._takes_alt = takes_alt
        self._takes_latin_keys = takes_latin_keys
        self.takes_reports = False  # of modes, which a driver has requested
        self.is_console = is_console
        self._position = 0, 0  # of the mouse: column and row
        self._report = ""  # the last one

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
                return [events.Paste(without_marks(text))]
            case TokenKind.PASTE_REFUSED:
                pasted, most = text.split()
                return [PasteRefused(int(pasted), int(most))]
            case TokenKind.MOUSE:
                return self._mouse(text, size)
            case TokenKind.MODE_REPORT:
                is_supported = self.takes_reports and text in SYNCHRONIZED_OUTPUT
                return [TerminalSupportsSynchronizedOutput()] if is_supported else []
            case TokenKind.TEXT:
                return filter(None, map(_character_key, text))
            case TokenKind.SEQUENCE if len(text) == 2:
                return self._escaped(text)
            case TokenKind.SEQUENCE:
                return self._sequence(text)

    def _escaped(self, sequence: str) -> Iterable[events.Key]:
        """Return the keys of an ESC and a character."""
        if self._takes_alt or (self.is_console and sequence == _BACK_TAB):
            return _listed_keys(sequence) if sequence in ANSI_SEQUENCES_KEYS else _alt(sequence[1])
        character = sequence[1]
        if character == _DELETE_WORD:
            return [events.Key("ctrl+w", None)]
        if character in _ESCAPED_LETTERS:
            return [events.Key(f"alt+{character}", character)]
        key = _character_key(character)
        return [events.Key("escape", ESCAPE), *([key] if key is not None else [])]

    def _sequence(self, sequence: str) -> Iterable[Message]:
        if sequence in (FOCUS_IN, FOCUS_OUT):
            return [events.AppFocus() if sequence == FOCUS_IN else events.AppBlur()]
        if sequence == ESCAPE:
            return [events.Key("escape", ESCAPE)]
        keys = extended_keys(sequence, takes_latin_keys=self._takes_latin_keys)
        if keys is None:
            return _listed_keys(sequence)
        return keys if self._takes_alt else map(_as_without_kitty, keys)

    def _mouse(self, report: str, size: tuple[int, int]) -> Iterator[Message]:
        event = mouse_event(report, size, self._position)
        if event is not None:
            self._position = int(event.x), int(event.y)
            is_move, before = isinstance(event, events.MouseMove), self._report
            self._report = report
            if not (is_move and report == before):  # terminals report each pixel, or step
                yield event


def _as_without_kitty(key: events.Key) -> events.Key:
    plain = _AS_WITHOUT_KITTY.get(key.key)
    return key if plain is None else events.Key(plain, _CHARACTERS.get(plain))


def _listed_keys(sequence: str) -> Iterator[events.Key]:
    """Yield the keys of a sequence by Textual's table; none if it is not in there."""
    listed = ANSI_SEQUENCES_KEYS.get(sequence)
    if isinstance(listed, str):
        yield events.Key(key_name(listed), listed)
    elif isinstance(listed, tuple):
        for key in listed:
            if "<" not in key.value:  # prompt_toolkit's own: no key
                yield events.Key(key.value, None)


def _alt(character: str) -> Iterator[events.Key]:
    """Yield the key of a character with Alt, which only names of one letter have."""
    key = _character_key(character)
    if key is not None and len(key.key) == 1:
        shift = "shift+" if key.key.isupper() else ""
        yield events.Key(f"alt+{shift}{key.key.lower() if shift else key.key}", character)
    elif key is not None:
        yield key


def _character_key(character: str) -> events.Key | None:
    """Return the key of a character; None for a C1 control, which no key sends."""
    if "\x80" <= character < "\xa0":
        return None
    listed = ANSI_SEQUENCES_KEYS.get(character)
    if isinstance(listed, tuple):
        return events.Key(listed[0].value, character)
    return events.Key(key_name(character), character)


# Keys as numbers.

_KEY = re.compile(
    r"\x1b\[(?P<codes>[0-9:]*)(?:;(?P<modifiers>[0-9]*)(?::(?P<event>[0-9]*))?[0-9:]*)?"
    r"(?:;(?P<text>[0-9:]*))?(?P<end>[u~A-HPQS])"
)
_MODIFY_OTHER_KEYS = re.compile(r"\x1b\[27;([0-9]+);([0-9]+)~")
_RELEASE = "3"
_MODIFIERS = {1: "shift", 2: "alt", 4: "ctrl", 8: "super", 16: "hyper", 32: "meta"}
_CHORD = {"alt", "ctrl", "super", "hyper", "meta"}  # with these a key types nothing
_SHIFT, _CAPS_LOCK = 1, 64
_CHARACTERS = {
    "backspace": "\x7f", "enter": "\r", "tab": "\t", "decimal": ".", "divide": "/",
    "multiply": "*", "subtract": "-", "add": "+", "equal": "=", "separator": ",",
}  # fmt: skip
_SURROGATES = range(0xD800, 0xE000)
# The usual layouts of Russian, with the Ukrainian i, and of Greek: for chords of terminals that do
# not tell the Latin key.
_LATIN_KEYS = str.maketrans(
    "йцукенгшщзфывапролдячсмитьіςερτυθιοπασδφγηξκλζχψωβνμ",
    "qwertyuiopasdfghjklzxcvbnmswertyuiopasdfghjklzxcvbnm",
)


def extended_keys(sequence: str, *, takes_latin_keys: bool = False) -> list[events.Key] | None:
    """Return the keys of a sequence: [] for a release or a modifier alone.

    None where the sequence has another form.

    Args:
        sequence: of a key.
        takes_latin_keys: see ``KeyParser``.
    """
    sequence = _MODIFY_OTHER_KEYS.sub("\x1b[\\2;\\1u", sequence)
    match = _KEY.fullmatch(sequence)
    if match is None:
        return None
    codes = (match["codes"] or "1").split(":")
    name = FUNCTIONAL_KEYS.get(f"{codes[0]}{match['end']}")
    if name is None and match["end"] != "u":
        return None
    if match["event"] == _RELEASE or name in MODIFIER_FUNCTIONAL_KEYS:
        return []
    bits = max(int(match["modifiers"] or 1) - 1, 0)
    texts = [text for text in map(_character, (match["text"] or "").split(":")) if text]
    if not texts:
        return _untyped(name, codes, bits, takes_latin_keys=takes_latin_keys)
    keys = [_typed(name, text, bits) for text in texts]
    return [_with_latin_key(keys[0], codes)] if takes_latin_keys and len(keys) == 1 else keys


def _typed(name: str | None, text: str, bits: int) -> events.Key:
    """Return a key that is reported with its text, in which shift and alt are applied."""
    names = _names(bits) - {"alt"} - (set() if text.isspace() else {"shift"})
    return events.Key(_joined(names, name or character_to_key(text)), text)


def _with_latin_key(key: events.Key, codes: list[str]) -> events.Key:
    """Return a letter of another script with its Latin key, if it is told.

    The key of a Latin letter is its own: that of é, which is that of 2, is nobody's wish.
    """
    letter, latin = key.character or "", _character(codes[2]) if len(codes) > 2 else None
    if latin is None or not letter.isalpha() or name(letter, "").startswith("LATIN"):
        return key
    if not (letter.isupper() or letter.istitle()):
        return LayoutKey(key.key, letter, key_name(latin))
    return LayoutKey(key.key, letter, latin.upper()) if latin.isalpha() else key


def _untyped(
    name: str | None, codes: list[str], bits: int, *, takes_latin_keys: bool
) -> list[events.Key]:
    """Return a key that is reported without text: its code says what it types."""
    names = _names(bits)
    if name is not None:
        types = name if name.isdecimal() else _CHARACTERS.get(name)
        return [events.Key(_joined(names, name), None if names else types)]
    code, shifted, base = map(_character, [*codes, "", ""][:3])
    if code is None:
        return []
    if names & _CHORD:
        character = code if base is None or code.isascii() else base
        if takes_latin_keys and "ctrl" in names:
            character = character.translate(_LATIN_KEYS)
        return [events.Key(_joined(names, character_to_key(character)), None)]
    character = _shifted(code, shifted) if bits & (_SHIFT | _CAPS_LOCK) else code
    return [events.Key(character_to_key(character), character)]


def _shifted(code: str, shifted: str | None) -> str:
    upper = code.upper()
    return shifted or (upper if len(upper) == 1 else code)


def _names(bits: int) -> set[str]:
    return {name for bit, name in _MODIFIERS.items() if bits & bit}


def _joined(modifiers: set[str], key: str) -> str:
    return "+".join((*sorted(modifiers), key))


def _character(digits: str) -> str | None:
    """Return the character of a number; None for one that cannot be typed."""
    code = int(digits) if digits else 0
    is_typed = 0x20 <= code <= 0x10FFFF and not 0x7F <= code < 0xA0 and code not in _SURROGATES
    return chr(code) if is_typed else None


def sequence_of(key: str) -> str:
    """Return what a terminal sends for a key, by its name in Textual, or for a character.

    Raises:
        ValueError: no terminal sends it.
    """
    if len(key) == 1:
        return key
    for sequence, listed in ANSI_SEQUENCES_KEYS.items():
        if isinstance(listed, tuple) and [each.value for each in listed] == [key]:
            return sequence
    if key.startswith("alt+"):
        return ESCAPE + sequence_of(key.removeprefix("alt+"))
    try:
        return lookup(key.replace("_", " "))
    except KeyError as error:
        raise ValueError(f"no terminal sends {key!r}") from error


def key_name(character: str) -> str:
    """Return the name under which the key of a character is bound."""
    name = character if character.isalnum() else character_to_key(character)
    return KEY_NAME_REPLACEMENTS.get(name, name)
