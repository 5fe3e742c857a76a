"""ApiKey: a bearer key that shows itself nowhere."""

from __future__ import annotations

import re
from binascii import b2a_base64
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Patterns: TypeAlias = tuple[re.Pattern[str], ...]
    BytePatterns: TypeAlias = tuple[re.Pattern[bytes], ...]

_MASK: Final = "***"
_ENTITIES: Final[Mapping[str, str]] = MappingProxyType(
    {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
)
_BASE64_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {"+": r"(?:\+|-|\\u002[bB]|%2[bB]|&\#43;)", "/": r"(?:\\?/|_|\\u002[fF]|%2[fF]|&\#47;)"}
)  # as they are, in addresses, and escaped
_SHORTEST_MASKED: Final = 8  # characters; a shorter key keeps no secret
_SHORTEST_ENCODED: Final = 8  # characters; of less, base64 leaves too few to find it by
_ESCAPES: Final = ("\\", "%", "&", "\0")  # what an escape begins with
_ESCAPE_BYTES: Final = tuple(escape.encode("ascii") for escape in _ESCAPES)


class ApiKey:
    """A bearer key that shows itself nowhere: ``repr``, ``str`` and formatting are masked.

    Only ``reveal()`` returns the key; the client's transport alone calls it.
    """

    __slots__ = ("_byte_patterns", "_patterns", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        # The first is of any form, the others are of the encoded ones; made when they are needed.
        self._patterns: Patterns = ()
        self._byte_patterns: BytePatterns = ()

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
        """Whether it can be masked in what others wrote, which would hold a shorter one anyway."""
        return len(self._value) >= _SHORTEST_MASKED

    def mask(self, text: str) -> str:
        """Return a text with ``***`` for the key, however it is written in it.

        That is: as it is, in capitals or in small letters, with any of its characters escaped as
        JSON (in JSON), ``repr``, HTML or an address escape them, with the zeros of UTF-16 between
        them, as hexadecimal digits, or in base64.
        """
        if not self._value:
            return text
        if not self._patterns:
            self._patterns = tuple(map(re.compile, _every_form(self._value)))
        # Where nothing is escaped, as in most texts, looking for it costs a tenth of the time.
        is_escaped = any(escape in text for escape in _ESCAPES)
        is_there = is_escaped or self._value.lower() in text.lower()
        for pattern in self._patterns if is_there else self._patterns[1:]:
            text = pattern.sub(_MASK, text)
        return text

    def mask_bytes(self, content: bytes) -> bytes:
        """Return bytes of a text with ``***`` for the key, as ``mask`` does; JSON stays JSON."""
        if not self._value:
            return content
        if not self._byte_patterns:
            forms = _every_form(self._value)
            self._byte_patterns = tuple(re.compile(form.encode("ascii")) for form in forms)
        is_escaped = any(escape in content for escape in _ESCAPE_BYTES)
        is_there = is_escaped or self._value.lower().encode("ascii") in content.lower()
        for pattern in self._byte_patterns if is_there else self._byte_patterns[1:]:
            content = pattern.sub(_MASK.encode("ascii"), content)
        return content


def is_bearer_token(text: str) -> bool:
    """Whether a text can stand in ``Authorization: Bearer …``: one word of visible ASCII."""
    return text.isascii() and text.isprintable() and text != "" and " " not in text


def _every_form(key: str) -> tuple[str, ...]:
    return _any_form(key), *_encoded_forms(key)


def _any_form(key: str) -> str:
    return "\0{0,3}".join(_forms(character) for character in key)


def _forms(character: str) -> str:
    r"""Return a pattern of one character, plain and in its escapes, also those of an escape.

    Every branch begins with a letter of its own, by which ``re`` finds its candidates fast, and no
    repetition is without a bound: hostile megabytes take no longer than others. The backslashes
    before a character go with it: of ``\\u0073`` the first would escape what follows.
    """
    cases = sorted({character.lower(), character.upper()})
    # Of a backslash both halves in JSON: the one that were left would escape what follows.
    plain = r"\\\\|\\" if character == "\\" else "|".join(map(re.escape, cases))
    numbers = "|".join(str(ord(case)) for case in cases)
    digits = "(?:" + "|".join(_hexadecimal(ord(case)) for case in cases) + ")"
    named = _ENTITIES.get(character)
    entity = rf"\#0{{0,6}}(?:{numbers})|\#[xX]0{{0,6}}{digits}" + (f"|{named}" if named else "")
    # Of a run of backslashes no other share would do, but where one of them is the character.
    run = r"\\\\{0,15}" if character == "\\" else r"\\\\{0,15}+"
    escaped = rf"{run}(?:{plain}|u00{digits}|x{digits})"
    return rf"(?:{plain}|{escaped}|%(?:25){{0,3}}{digits}|&(?:amp;){{0,3}}(?:{entity});)"


def _hexadecimal(number: int) -> str:
    return "".join(
        f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{number:02x}"
    )


def _encoded_forms(key: str) -> tuple[str, ...]:
    """Return patterns of a key as hexadecimal digits, and in base64 at each place of a text."""
    if len(key) < _SHORTEST_ENCODED:
        return ()
    content = key.encode(errors="surrogateescape")  # it may be no key: one word of ASCII
    base64 = [_base64_form(content, before) for before in range(3)]
    return ("".join(map(_hexadecimal, content)), *base64)


def _base64_form(content: bytes, before: int) -> str:
    """Return a pattern of what is the same whatever stands round it (RFC 4648, 4 and 5).

    Args:
        content: at least three bytes.
        before: how many bytes of its first three are another's.
    """
    text = b2a_base64(b"\0" * before + content, newline=False).decode("ascii")
    whole = (before + len(content)) * 8 // 6
    first = (0, 2, 3)[before]
    return "".join(_BASE64_SIGNS.get(letter, letter) for letter in text[first:whole])
