"""JSON responses, written for speed: this code runs for every request."""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.types import Receive, Scope, Send

    from pettui.service.stores.store import StoredPet

NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def pet_json(pet: StoredPet) -> str:
    """Return the interface's Pet; a missing status is left out, never null."""
    pet_id, name, category_id, status = pet
    text = f'{{"id":{pet_id},"name":{encode_basestring(name)},"categoryId":{category_id}'
    return f"{text}}}" if status is None else f'{text},"status":"{status}"}}'


def pets_json(pets: Iterable[StoredPet]) -> str:
    """Return an array of Pet."""
    return f"[{','.join(map(pet_json, pets))}]"


class JsonResponse:
    """An ASGI app that sends JSON; a HEAD request gets the same headers without the body."""

    __slots__ = ("_body", "_headers", "_status")

    def __init__(
        self, text: str, status: int = 200, headers: Mapping[str, str] = NO_HEADERS
    ) -> None:
        self._status = status
        self._body = text.encode()
        self._headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(self._body)),
            *((name.lower().encode(), value.encode()) for name, value in headers.items()),
        ]

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the response."""
        start = {"type": "http.response.start", "status": self._status, "headers": self._headers}
        await send(start)
        body = b"" if scope["method"] == "HEAD" else self._body
        await send({"type": "http.response.body", "body": body})
