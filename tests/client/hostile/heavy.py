"""The largest responses, each made when it is needed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.client.hostile.server import REX, Step, endless, http

if TYPE_CHECKING:
    from collections.abc import Callable


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
FULL = 1_929_500  # bytes: just within the limit of a body
FIELDS = ",".join(f'"{number}":{number}' for number in range(29_500))


def filled(piece: str) -> str:
    """Return a list of pieces that is as long as a body may be."""
    return "[" + ",".join([piece] * ((FULL - 2) // (len(piece.encode()) + 1))) + "]"


def crowded(piece: str, values: int) -> str:
    """Return a list of as many pieces as a body may hold values, of so many each."""
    return "[" + ",".join([piece] * (29_500 // values)) + "]"


def one_row(**fields: str) -> str:
    """Return a list of one animal."""
    return json.dumps([{"id": 1, "name": "Rex", "categoryId": 3, **fields}], ensure_ascii=False)


def row_with(fields: str, name: str = "Rex") -> str:
    """Return an animal that has other fields too, written as JSON."""
    return f'{{"id":1,"categoryId":3,{fields},"name":"{name}"}}'


HEAVY: dict[str, Callable[[], Step]] = {
    "a body without end": lambda: endless(OK + b"\r\n", b" " * 65_536),
    "headers without end": lambda: endless(OK, b"X: " + b"y" * 60_000 + b"\r\n"),
    "empty lists, as many as may be": lambda: http(200, crowded("[]", 2)),
    "fractions, in one element": lambda: http(200, f"[{crowded('0.1', 1)}]"),
    "names, in one element": lambda: http(200, "[" + row_with(FIELDS) + "]"),
    "one long text beyond ASCII": lambda: http(200, '["\U0001f439' + "x" * (FULL - 10) + '"]'),
    "escapes": lambda: http(200, '["' + "\\u00e9" * (FULL // 6 - 10) + '"]'),
    "quotes": lambda: http(200, '"' * FULL),
    "names and a long text beyond ASCII": lambda: http(
        200, "[" + row_with(FIELDS, "\U0001f439" + "x" * 1_600_000) + "]"
    ),
    "a long name of escapes": lambda: http(200, one_row(name="\x1b]52;c;AAAA\x07" * 60_000)),
    "a long status": lambda: http(200, one_row(status="x" * (FULL - 100))),
    "a long other field": lambda: http(200, one_row(colour="x" * (FULL - 100))),
    "an other field of many values": lambda: http(
        200, "[" + row_with('"x":' + crowded('"y"', 1)) + "]"
    ),
    "as many animals as may be": lambda: http(200, crowded(REX, 5)),
    "rows": lambda: http(200, filled(REX)),
    "rows that are none": lambda: http(200, filled('{"id":"x","name":"' + "y" * 300 + '"}')),
    "an Error body": lambda: http(
        500, json.dumps({"code": "c", "message": "m" * (FULL - 100), "status": 1})
    ),
}
