"""Services to be measured, run by ``bench_service``: ours, and ones that do less."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.service.access_log import AccessLog
from pettui.service.app import create_app
from pettui.service.server import SWITCH_INTERVAL, Server, base_address, listen
from pettui.service.stores import open_store, sqlite
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import GroupWriter, SqliteStore
from pettui.service.stores.sqlite_files import connect, open_database
from pettui.system.logs import EventLog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

KEY = "a-key-of-the-benchmark"


def constant(status: int, size: int) -> Callable[..., Awaitable[None]]:
    """Return an ASGI app that reads a body and responds with the same JSON of this size."""
    body = b'"' + b"x" * (size - 2) + b'"'
    headers = [(b"content-length", b"%d" % size), (b"content-type", b"application/json")]

    async def app(scope: object, receive: Callable[[], Awaitable[dict]], send: object) -> None:
        while scope["method"] == "POST" and (await receive()).get("more_body"):
            continue
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


async def main(
    kind: str, *, database: str = "", status: int = 200, size: int = 2, core: int
) -> None:
    os.sched_setaffinity(0, {core})
    store = None
    if kind == "constant":
        app = constant(status, size)
    elif kind == "single":
        path = Path(database)
        sqlite.GROUP_MAXIMUM = 1
        reader = open_database(path, sample_pets(1000))
        store = SqliteStore(reader, GroupWriter(partial(connect, path)))
    else:
        store = await open_store(database, sample_pets(1000))
    sockets = listen("127.0.0.1", 0)
    with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230 - before it serves
        if store is not None:
            app = create_app(store, [KEY], access_log=AccessLog(EventLog(nowhere)))
        server = Server(app)
        signal.signal(signal.SIGTERM, lambda *_: server.stop())
        address = base_address(sockets, is_tls=False)
        await server.serve(sockets, lambda: print(address, flush=True))
    if store is not None:
        await store.close()


if __name__ == "__main__":
    sys.setswitchinterval(SWITCH_INTERVAL)
    asyncio.run(main(sys.argv[1], **json.loads(sys.argv[2])))
