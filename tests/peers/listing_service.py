"""A service on a real port that lists animals page by page, in bytes that a test wrote."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class ListingService:
    """Lists what it has, newest first; each page links the next one by the last id in it."""

    def __init__(self, bodies: Sequence[str]) -> None:
        """List these animals, each as JSON, oldest first, in the order of their ids."""
        self.bodies = [*bodies]
        self.pages_at_once = Event()  # while it is not set, only the first two pages come
        self.pages_at_once.set()
        self.port = 0

    @property
    def address(self) -> str:
        """The base address."""
        return f"http://127.0.0.1:{self.port}/v1"

    @contextmanager
    def open(self) -> Iterator[None]:
        """Listen, on the same port each time."""
        server = ThreadingHTTPServer(("127.0.0.1", self.port), partial(_Handler, self))
        self.port = server.server_port
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield
        finally:
            self.pages_at_once.set()
            server.shutdown()
            thread.join()
            server.server_close()

    def page(self, query: dict[str, list[str]]) -> tuple[bytes, str | None]:
        """Return the body of a page, and the link to the next one."""
        limit, number = int(query["limit"][0]), int(query.get("page", ["1"])[0])
        if number > 2:
            assert self.pages_at_once.wait(60)
        before = int(query.get("before", [str(2**63)])[0])
        status = query.get("status", [None])[0]
        listed = [
            (pet["id"], body)
            for body in reversed(self.bodies)
            if (pet := json.loads(body))["id"] < before and status in (None, pet.get("status"))
        ]
        page = listed[:limit]
        link = None
        if len(listed) > limit:
            more = f"&status={status}" if status else ""
            link = f"/v1/pets?limit={limit}&before={page[-1][0]}&page={number + 1}{more}"
        return f"[{', '.join(body for _, body in page)}]".encode(), link


class _Handler(BaseHTTPRequestHandler):
    """Handles one request."""

    def __init__(self, service: ListingService, *arguments: Any) -> None:
        self._service = service
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """Respond with a page of animals."""
        content, link = self._service.page(parse_qs(urlsplit(self.path).query))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if link is not None:
            self.send_header("Link", f'<{link}>; rel="next"')
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing."""
