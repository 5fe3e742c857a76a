"""An animal's JSON as the service sent it: the text of each member, and all of it on one line."""

from __future__ import annotations

import json
import re
from typing import Final

_BLANKS: Final = re.compile(r"[ \t\n\r]*+")
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_STRING_OR_CONTROL: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\x00-\x1f]', re.DOTALL)
# Numbers are not converted: only their text is wanted, and it may be long.
_DECODER: Final = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)


def members(text: str) -> dict[str, str]:
    """Return the text of each member of a JSON object by its name: ``1.10`` stays ``1.10``.

    Args:
        text: a valid JSON object.
    """
    found = {}
    position = _after_blanks(text, text.index("{") + 1)
    while text[position] != "}":
        name, end = _DECODER.raw_decode(text, position)
        start = _after_blanks(text, _after_blanks(text, end) + 1)  # after the colon
        _, end = _DECODER.raw_decode(text, start)
        found[name] = text[start:end]
        position = _after_blanks(text, end)
        if text[position] == ",":
            position = _after_blanks(text, position + 1)
    return found


def on_one_line(text: str) -> str:
    """Return JSON text without control characters.

    Between values they become spaces. Within a string they must be escaped (RFC 8259, 7); the
    client accepts them unescaped, and here they are escaped.
    """
    return text if not _CONTROL.search(text) else _STRING_OR_CONTROL.sub(_harmless, text)


def _harmless(found: re.Match[str]) -> str:
    part = found[0]
    return _CONTROL.sub(_escaped, part) if part.startswith('"') else " "


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def _after_blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position
