"""Memory: at most 32 MB above the usual, whatever comes."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.client.hostile.bodies import REX
from tests.client.hostile.server import endless, http

if TYPE_CHECKING:
    from tests.client.conftest import Serve
    from tests.client.hostile.server import Step

ROOT = Path(__file__).parents[3]
MOST = 32 * 1024 * 1024
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
FULL = 1_929_500  # bytes: just within the limit of a body


def filled(piece: str) -> str:
    """Give a list of pieces that is as long as a body may be."""
    return "[" + ",".join([piece] * ((FULL - 2) // (len(piece.encode()) + 1))) + "]"


def crowded(piece: str, values: int) -> str:
    """Give a list of as many pieces as a body may hold values, of so many each."""
    return "[" + ",".join([piece] * (29_500 // values)) + "]"


ROW = json.dumps({"id": 1, "name": "\U0001f439", "categoryId": 3, "others": "x"})
HEAVY: dict[str, Step] = {
    "a bomb of gzip": http(200, gzip.compress(b" " * 500_000_000), [("Content-Encoding", "gzip")]),
    "a bomb of gzip under an error": http(
        500, gzip.compress(b"[" * 500_000_000), [("Content-Encoding", "gzip")]
    ),
    "a body without end": endless(OK + b"\r\n", b" " * 65_536),
    "headers without end": endless(OK, b"X: " + b"y" * 60_000 + b"\r\n"),
    "empty lists": http(200, filled("[]")),
    "empty lists, as many as may be": http(200, crowded("[]", 2)),
    "empty objects, in one element": http(200, f"[{crowded('{}', 2)}]"),
    "small objects, in one element": http(200, "[" + crowded('{"":0}', 2) + "]"),
    "fractions, in one element": http(200, "[" + crowded("0.1", 1) + "]"),
    "names, in one element": http(
        200, '[{"id":1,"name":"a","categoryId":3,' + ",".join(f'"{n}":{n}' for n in range(29_500)) + "}]"
    ),
    "a name twice among many": http(200, "[{" + ",".join(f'"{n}":0' for n in range(29_500)) + ',"7":0}]'),
    "one long text": http(200, '["' + "x" * (FULL - 10) + '"]'),
    "one long text beyond ASCII": http(200, '["' + "\U0001f439" + "x" * (FULL - 10) + '"]'),
    "escapes": http(200, '["' + "\\u00e9" * (FULL // 6 - 10) + '"]'),
    "backslashes": http(200, '["' + "\\\\" * (FULL // 2 - 10) + '"]'),
    "quotes": http(200, '"' * FULL),
    "names and a long text beyond ASCII": http(
        200,
        '[{"id":1,"categoryId":3,'
        + ",".join(f'"{n}":{n}' for n in range(29_500))
        + ',"name":"\U0001f439' + "x" * 1_600_000 + '"}]',
    ),
    "as many animals as may be": http(200, crowded(REX, 5)),
    "rows": http(200, filled(REX)),
    "rows beyond ASCII": http(200, filled(ROW)),
    "rows that are none": http(200, filled('{"id":"x","name":"' + "y" * 300 + '"}')),
    "an Error body": http(500, json.dumps({"code": "c", "message": "m" * (FULL - 100), "status": 1})),
}  # fmt: skip


@pytest.mark.parametrize("name", HEAVY)
async def test_an_answer_takes_32_mb_at_most(name: str, serve: Serve) -> None:
    server = await serve(http(200, f"[{REX}]"), HEAVY[name])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).with_name("weighing.py")),
        server.base_url,
        stdout=asyncio.subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT)},
    )
    output, _ = await process.communicate()
    taken, end = output.decode().split(" ", 1)
    assert int(taken) <= MOST, end
