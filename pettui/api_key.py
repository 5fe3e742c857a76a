"""ApiKey: a bearer key that shows itself nowhere."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_MASK: Final = "***"
_ENTITIES: Final[Mapping[str, str]] = MappingProxyType(
    {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
)
_ESCAPES: Final = (b"\\", b"%", b"&", b"\0")  # what an escape begins with


class ApiKey:
    """A bearer key that shows itself nowhere: ``repr``, ``str`` and formatting are masked.

    Only ``reveal()`` returns the key; the client's transport alone calls it.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

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

    def mask(self, text: str) -> str:
        """Return a text with ``***`` for the key, however it is written in it.

        That is: as it is, or with any of its characters escaped as JSON (in JSON), ``repr``, HTML
        or an address escape them, or with the zeros of UTF-16 between them.
        """
        return re.sub(_any_form(self._value), _MASK, text) if self._value else text

    def mask_bytes(self, content: bytes) -> bytes:
        """Return bytes of a text with ``***`` for the key, as ``mask`` does; JSON stays JSON."""
        if not self._value:
            return content
        if not any(
            escape in content for escape in _ESCAPES
        ):  # most answers, at a tenth of the time
            return content.replace(self._value.encode("ascii"), _MASK.encode("ascii"))
        return re.sub(_any_form(self._value).encode("ascii"), _MASK.encode("ascii"), content)


def is_bearer_token(text: str) -> bool:
    """Whether a text can stand in ``Authorization: Bearer …``: one word of visible ASCII."""
    return text.isascii() and text.isprintable() and text != "" and " " not in text


def _any_form(key: str) -> str:
    return "\0{0,3}".join(_forms(character) for character in key)


def _forms(character: str) -> str:
    r"""Return a pattern of one character, plain and in its escapes, also those of an escape.

    Every branch begins with a letter of its own, by which ``re`` finds its candidates fast, and no
    repetition is without a bound: hostile megabytes take no longer than others. The backslashes
    before a character go with it: of ``\\u0073`` the first would escape what follows.
    """
    plain, number = re.escape(character), ord(character)
    digits = "".join(f"[{digit}{digit.upper()}]" for digit in f"{number:02x}")
    named = _ENTITIES.get(character)
    entity = rf"\#0{{0,6}}{number}|\#[xX]0{{0,6}}{digits}" + (f"|{named}" if named else "")
    escaped = rf"\\\\{{0,15}}(?:{plain}|u00{digits}|x{digits})"
    return rf"(?:{plain}|{escaped}|%(?:25){{0,3}}{digits}|&(?:amp;){{0,3}}(?:{entity});)"
