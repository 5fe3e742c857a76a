"""The interface's three operations, one function each."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from pettui.models import INT64_MAXIMUM, PetStatus
from pettui.service.http.body import read_body
from pettui.service.http.create_pet_body import read_new_pet
from pettui.service.http.database_trouble import DatabaseTrouble
from pettui.service.http.errors import invalid, not_found
from pettui.service.http.responses import JsonResponse, pet_json, pets_json
from pettui.settings import LIMIT_BOUNDS, LIMIT_DEFAULT, LIMIT_MAXIMUM, LIMIT_MINIMUM

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from pettui.logs import Field
    from pettui.service.http.body import BodyLimits
    from pettui.service.stores.store import Store

# Deprecated since 5 December 2025, 00:00 UTC, five years before its removal (RFC 9745, 2.1);
# removed on 5 December 2030 (RFC 8594); its replacement (RFC 5829, 3.3).
DEPRECATION: Mapping[str, str] = MappingProxyType(
    {
        "Deprecation": "@1764892800",
        "Sunset": "Thu, 05 Dec 2030 00:00:00 GMT",
        "Link": '</v1/pets>; rel="successor-version"',
    }
)

PET_ID = "pettui.pet_id"  # in the scope, once an animal is stored

_ID = re.compile(r"[1-9][0-9]{0,18}")  # without sign and leading zeros
NO_FIELDS: Mapping[str, Field] = MappingProxyType({})
_LIMIT = re.compile(r"[0-9]{1,3}")
_CURSOR = re.compile(rb"1:([1-9][0-9]{0,18})")  # a version, then an id


class Operations:
    """The operations on one store."""

    def __init__(
        self, store: Store, limits: BodyLimits, database: Mapping[str, Field] = NO_FIELDS
    ) -> None:
        self._store = store
        self._limits = limits
        self._trouble = DatabaseTrouble(database)

    async def list_pets(self, request: Request) -> JsonResponse:
        """Return a page of animals, newest first, with a Link to the next page if there is one."""
        query = _query(request)
        limit, status, before = _limit(query), _status(query), _before(query)
        with self._trouble.watched(is_read=True):
            page = await self._store.list_pets(limit, status, before)
        headers = {}
        if page.next_before is not None:
            headers["Link"] = _next_link(request, limit, status, page.next_before)
        return JsonResponse(pets_json(page.pets), headers=headers)

    async def create_pet(self, request: Request) -> JsonResponse:
        """Store an animal and return it with its id; it is on the disk before the 201 is sent."""
        body = await read_body(request.scope, request.receive, self._limits)
        new_pet = read_new_pet(body)
        with self._trouble.watched(is_read=False):
            pet = await self._store.create_pet(new_pet)
        request.scope[PET_ID] = pet.id
        return JsonResponse(pet_json(pet), 201)

    async def get_pet(self, request: Request) -> JsonResponse:
        """Return one animal; the operation is deprecated, and its responses say so."""
        text: str = request.path_params["pet_id"]
        pet = None
        if _ID.fullmatch(text) and int(text) <= INT64_MAXIMUM:
            with self._trouble.watched(is_read=True):
                pet = await self._store.get_pet(int(text))
        if pet is None:
            raise not_found("There is no animal with this petId", DEPRECATION)
        return JsonResponse(pet_json(pet), headers=DEPRECATION)


def _query(request: Request) -> dict[str, list[str]]:
    query: dict[str, list[str]] = {}
    text = request.scope["query_string"].decode("latin-1")
    for name, value in parse_qsl(text, keep_blank_values=True):
        query.setdefault(name, []).append(value)
    return query


def _single(query: dict[str, list[str]], name: str) -> str | None:
    values = query.get(name, [])
    if len(values) > 1:
        raise invalid(name, "given only once")
    return values[0] if values else None


def _limit(query: dict[str, list[str]]) -> int:
    text = _single(query, "limit")
    if text is None:
        return LIMIT_DEFAULT
    if not _LIMIT.fullmatch(text) or not LIMIT_MINIMUM <= int(text) <= LIMIT_MAXIMUM:
        raise invalid("limit", f"a whole number from {LIMIT_BOUNDS}")
    return int(text)


def _status(query: dict[str, list[str]]) -> PetStatus | None:
    text = _single(query, "status")
    if text is None:
        return None
    for status in PetStatus:
        if status == text:
            return status
    raise invalid("status", "available, pending or sold")


def _before(query: dict[str, list[str]]) -> int | None:
    text = _single(query, "cursor")
    if text is None:
        return None
    before = decode_cursor(text)
    if before is None:
        raise invalid("cursor", 'taken from the Link with rel="next" of a list')
    return before


def _next_link(request: Request, limit: int, status: PetStatus | None, before: int) -> str:
    # Only numbers, statuses and base64url: nothing needs escaping.
    chosen = "" if status is None else f"&status={status.value}"
    query = f"limit={limit}{chosen}&cursor={encode_cursor(before)}"
    return f'<{request.scope.get("root_path", "")}/v1/pets?{query}>; rel="next"'


def encode_cursor(before: int) -> str:
    """Return the cursor of the page with ids below ``before``; only this service reads it."""
    return urlsafe_b64encode(b"1:%d" % before).rstrip(b"=").decode()


def decode_cursor(text: str) -> int | None:
    """Return the id in a cursor, or None for a text that this service never sent."""
    if not text.isascii() or len(text) > 32:
        return None
    padded = text + "=" * (-len(text) % 4)
    try:
        content = _CURSOR.fullmatch(urlsafe_b64decode(padded))
    except ValueError:
        return None
    if content is None or int(content[1]) > INT64_MAXIMUM:
        return None
    before = int(content[1])
    return before if encode_cursor(before) == text else None
