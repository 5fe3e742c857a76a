"""Run as a program: a service that is slow in ways that its query chooses; it prints its address.

All animals are twenty, at once. A list of the ``available`` ones never arrives, and each add takes
2 seconds. Lists of the ``pending`` ones are the largest responses in turn: 16 MB, and
the longest list that is parsed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from itertools import cycle

from tests.client.hostile.heavy import FULL
from tests.client.hostile.server import HostileServer, http, stall

ANIMALS = 20
SECONDS = 2.0  # that an add takes
LONGEST = 5_850  # animals, of five values each


def animals(count: int, padding: int = 0) -> str:
    """Return a list of animals, numbered in their names."""
    return json.dumps(
        [
            {"id": 900 - n, "name": f"Animal-{n:02}", "categoryId": 3, "colour": "x" * padding}
            for n in range(count)
        ]
    )


HEAVY = {
    "16 MB": lambda: http(200, "[" + " " * 16_000_000 + "]", close=True),
    "1.9 MB, read whole": lambda: http(200, animals(LONGEST, FULL // LONGEST - 70)),
}


async def main() -> None:
    server = HostileServer()
    usual, heavy, added = (
        http(200, animals(ANIMALS)),
        cycle([each() for each in HEAVY.values()]),
        10_000,
    )

    async def respond(writer: asyncio.StreamWriter) -> None:
        nonlocal added
        request = server.seen[-1]
        if request.method == "POST":
            added += 1
            await asyncio.sleep(SECONDS)
            await http(201, json.dumps({**json.loads(request.body), "id": added}))(writer)
        elif "available" in request.target:
            await stall()(writer)
        else:
            await (next(heavy) if "pending" in request.target else usual)(writer)

    server.steps = [respond]
    async with server:
        print(server.base_url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
