"""Keys as numbers: the kitty keyboard protocol, and xterm's modifyOtherKeys.

https://sw.kovidgoyal.net/kitty/keyboard-protocol/: code:shifted:base ; modifiers:event ; text.
A program that crashed may have left flags on that this one does not set.
"""

from __future__ import annotations

import re

from textual import events

from pettui.terminal.input.textual_keys import (
    FUNCTIONAL_KEYS,
    MODIFIER_FUNCTIONAL_KEYS,
    character_to_key,
)

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


def extended_keys(sequence: str) -> list[events.Key] | None:
    """Return the keys of a sequence: [] for a release or a modifier alone.

    None where the sequence has another form.
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
    if texts:
        return [_typed(name, text, bits) for text in texts]
    return _untyped(name, codes, bits)


def _typed(name: str | None, text: str, bits: int) -> events.Key:
    """Return a key that is reported with its text, in which shift and alt are applied."""
    names = _names(bits) - {"alt"} - (set() if text.isspace() else {"shift"})
    return events.Key(_joined(names, name or character_to_key(text)), text)


def _untyped(name: str | None, codes: list[str], bits: int) -> list[events.Key]:
    """Return a key that is reported without text: its code says what it types."""
    names = _names(bits)
    if name is not None:
        types = name if name.isdecimal() else _CHARACTERS.get(name)
        return [events.Key(_joined(names, name), None if names else types)]
    code, shifted, base = map(_character, [*codes, "", ""][:3])
    if code is None:
        return []
    if names & _CHORD:
        character = base if base is not None and not code.isascii() else code
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
