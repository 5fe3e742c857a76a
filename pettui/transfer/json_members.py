"""The JSON of an animal, as it came: its members' own text, and all of it on one line."""

from __future__ import annotations

import json
import re
from typing import Final

_BLANKS: Final = re.compile(r"[ \t\n\r]*+")
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_TEXT_OR_CONTROL: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\x00-\x1f]', re.DOTALL)
# Numbers are not computed: their text is what is wanted, and it may be long.
_DECODER: Final = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)


def members(text: str) -> dict[str, str]:
    """Return each member of a JSON object by its name, to the last digit: ``1.10`` stays that.

    Args:
        text: an object that was read as JSON before.
    """
    found = {}
    position = _after_blanks(text, text.index("{") + 1)
    while text[position] != "}":
        name, end = _DECODER.raw_decode(text, position)
        start = _after_blanks(text, _after_blanks(text, end) + 1)  # behind the colon
        _, end = _DECODER.raw_decode(text, start)
        found[name] = text[start:end]
        position = _after_blanks(text, end)
        if text[position] == ",":
            position = _after_blanks(text, position + 1)
    return found


def on_one_line(text: str) -> str:
    """Return JSON text without a control character.

    Between values they are blanks. Within a text they should have been escaped (RFC 8259, 7), and
    are: where they were not, the client took them all the same.
    """
    return text if not _CONTROL.search(text) else _TEXT_OR_CONTROL.sub(_harmless, text)


def _harmless(found: re.Match[str]) -> str:
    part = found[0]
    return _CONTROL.sub(_escaped, part) if part.startswith('"') else " "


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def _after_blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position
