"""ApiKey: a bearer key that is never shown."""

from __future__ import annotations

import re
from binascii import b2a_base64
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_MASK: Final = "***"
_ENTITIES: Final[Mapping[str, str]] = MappingProxyType(
    {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
)
_BASE64_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {"+": r"(?:\+|-|\\u002[bB]|%2[bB]|&\#43;)", "/": r"(?:\\?/|_|\\u002[fF]|%2[fF]|&\#47;)"}
)  # as they are, in addresses, and escaped
_SHORTEST_MASKED: Final = 8  # characters; a shorter key is no secret
_SHORTEST_ENCODED: Final = 8  # characters; a shorter key cannot be recognised in base64
_ESCAPES: Final = ("\\", "%", "&", "\0")  # what an escape starts with
_ESCAPE_BYTES: Final = tuple(escape.encode("ascii") for escape in _ESCAPES)


class ApiKey:
    """A bearer key that is never shown: ``repr``, ``str`` and formatting are masked.

    Only ``reveal()`` returns the key; only the client's transport calls it.
    """

    __slots__ = ("_encoded", "_escaped", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        # Patterns of the key escaped in any way, and encoded; compiled when needed.
        self._escaped: re.Pattern[str] | None = None
        self._encoded: tuple[re.Pattern[str], ...] | None = None

    def reveal(self) -> str:
        """Return the key itself."""
        return self._value

    def __repr__(self) -> str:
        return "ApiKey(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApiKey) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("an API key is not pickled or copied to disk")

    @property
    def is_long_enough(self) -> bool:
        """Whether to mask it in other texts, which may contain a shorter one by chance."""
        return len(self._value) >= _SHORTEST_MASKED

    def mask(self, text: str) -> str:
        """Return a text with ``***`` for the key, in whatever form the text contains it.

        That is: in any case, with any of its characters escaped as in JSON (also in JSON within
        JSON), ``repr``, HTML or an address, with the zeros of UTF-16 between them, as hexadecimal
        digits, or in base64.
        """
        is_escaped = any(escape in text for escape in _ESCAPES)
        return self._masked(text, is_there=is_escaped or self._value.lower() in text.lower())

    def mask_bytes(self, content: bytes) -> bytes:
        """Return a text's bytes with ``***`` for the key, as ``mask`` does; JSON stays valid."""
        is_escaped = any(escape in content for escape in _ESCAPE_BYTES)
        is_there = is_escaped or self._value.lower().encode("ascii") in content.lower()
        return self._masked(content.decode("latin-1"), is_there=is_there).encode("latin-1")

    def _masked(self, text: str, *, is_there: bool) -> str:
        """Mask a text in which the key may be, as it is or escaped, or may be encoded alone.

        Most texts have no escapes: a plain search takes a tenth of the time of the pattern, which
        takes six milliseconds to compile.
        """
        if not self._value:
            return text
        if is_there:
            if self._escaped is None:
                self._escaped = re.compile("\0{0,3}".join(map(_forms, self._value)))
            text = self._escaped.sub(_MASK, text)
        if self._encoded is None:
            self._encoded = tuple(map(re.compile, _encoded_forms(self._value)))
        for pattern in self._encoded:
            text = pattern.sub(_MASK, text)
        return text


def is_bearer_token(text: str) -> bool:
    """Whether a text can be sent in ``Authorization: Bearer …``: one word of visible ASCII."""
    return text.isascii() and text.isprintable() and text != "" and " " not in text


def _forms(character: str) -> str:
    r"""Return a pattern of one character, plain, escaped, or escaped twice.

    Every branch starts with a different letter, by which ``re`` finds candidates fast, and every
    repetition is bounded: hostile megabytes take no longer than others. The backslashes before a
    character are matched with it: the first one of ``\\u0073``, left alone, would escape what
    follows.
    """
    cases = sorted({character.lower(), character.upper()})
    # Both halves of an escaped backslash: the one left over would escape what follows.
    plain = r"\\\\|\\" if character == "\\" else "|".join(map(re.escape, cases))
    numbers = "|".join(str(ord(case)) for case in cases)
    digits = "(?:" + "|".join(_hexadecimal(ord(case)) for case in cases) + ")"
    named = _ENTITIES.get(character)
    entity = rf"\#0{{0,6}}(?:{numbers})|\#[xX]0{{0,6}}{digits}" + (f"|{named}" if named else "")
    # Possessive, since no shorter run would match, unless the character is a backslash itself.
    run = r"\\\\{0,15}" if character == "\\" else r"\\\\{0,15}+"
    escaped = rf"{run}(?:{plain}|u00{digits}|x{digits})"
    return rf"(?:{plain}|{escaped}|%(?:25){{0,3}}{digits}|&(?:amp;){{0,3}}(?:{entity});)"


def _hexadecimal(number: int) -> str:
    return "".join(
        f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{number:02x}"
    )


def _encoded_forms(key: str) -> tuple[str, ...]:
    """Return patterns of a key as hexadecimal digits, and in base64 at each alignment."""
    if len(key) < _SHORTEST_ENCODED:
        return ()
    content = key.encode(errors="surrogateescape")  # it may be no valid key, nor valid UTF-8
    base64 = [_base64_form(content, before) for before in range(3)]
    return ("".join(map(_hexadecimal, content)), *base64)


def _base64_form(content: bytes, before: int) -> str:
    """Return a pattern of the characters that do not depend on neighbours (RFC 4648, 4 and 5).

    Args:
        content: at least three bytes.
        before: how many other bytes share its first group of three.
    """
    text = b2a_base64(b"\0" * before + content, newline=False).decode("ascii")
    whole = (before + len(content)) * 8 // 6
    first = (0, 2, 3)[before]
    return "".join(_BASE64_SIGNS.get(letter, letter) for letter in text[first:whole])
