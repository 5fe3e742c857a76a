"""JSON shown and copied exactly as the service sent it: 1.10 and 1e400 stay what they are.

As Python numbers they would be 1.1 and ``Infinity``.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

_TEXT_OR_BREAK: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[ \t]*[\r\n][ \t\r\n]*', re.DOTALL)


class _Number(str):
    """A number as it was written."""

    __slots__ = ()


def on_one_line(json_bytes: bytes) -> str:
    """Return a JSON text with a space for each line break; nothing else is changed."""
    return _TEXT_OR_BREAK.sub(_without_break, json_bytes.decode("utf-8-sig"))


def field_texts(json_bytes: bytes) -> dict[str, str]:
    """Return the text of each field of a JSON object: the string itself, or the value's JSON."""
    inexact: list[str] = []

    def exact(written: str) -> _Number:
        inexact.append(written)
        return _Number(written)

    fields: dict[str, Any] = json.loads(
        json_bytes.decode("utf-8-sig"),
        parse_float=exact,
        parse_int=exact if b"-0" in json_bytes else int,  # other whole numbers are exact anyway
    )
    if not inexact:
        return {name: value_text(value) for name, value in fields.items()}
    return {name: str(v) if isinstance(v, str) else _written(v) for name, v in fields.items()}


def value_text(value: object) -> str:
    """Return the text of a JSON value: the string itself, or JSON."""
    return value if isinstance(value, str) else _dumped(value)


def _written(value: object) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_dumped(name)}: {_written(v)}' for name, v in value.items())}}}"
    return _dumped(value)


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _without_break(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else " "
