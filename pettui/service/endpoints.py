"""The interface's three operations, one function each, and what they read."""

from __future__ import annotations

import asyncio
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from pettui.models.pets import INT64_MAXIMUM, NewPet, PetStatus
from pettui.models.statuses import one_of
from pettui.models.validation import MISSING, WrongFieldError, new_pet_of
from pettui.service.errors import (
    CutBodyError,
    LateBodyError,
    ServiceError,
    TextResponse,
    invalid,
    key_reused,
    not_found,
    pet_json,
    pets_json,
    read_only,
)
from pettui.service.idempotency import IDEMPOTENCY_KEY, REPLAYED, IdempotencyKey
from pettui.service.keys import KEY
from pettui.service.operations import pet_id_of
from pettui.service.stores.store import (
    BODY_BYTES,
    STATUSES,
    AlreadyAddedError,
    NotStoredError,
    StoredPet,
    digest_of,
)
from pettui.settings.settings import LIMIT_BOUNDS, LIMIT_MAXIMUM, LIMIT_MINIMUM
from pettui.text.json import NotJsonError, RepeatedName, json_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.types import Receive, Scope

    from pettui.service.database_trouble import DatabaseTrouble
    from pettui.service.stores.store import Added, Store


# The interface names no limit of a body: see ``BODY_BYTES``.
BODY_SECONDS: Final = 8.0  # from the headers to the last byte, as any state of a connection; and
BODY_RATE: Final = 512  # bytes for which there is one second more, since a line may be slow,
BODY_SECONDS_MAXIMUM: Final = 30.0  # in all
PAGE_ROWS: Final = 20  # of a request without a limit, as the interface has it
PET_ID: Final = "pettui.pet_id"  # in the scope, once an animal is stored
IS_REPEATED: Final = "pettui.is_repeated"  # in the scope, if it was by an earlier request

ONE_OF_STATUSES: Final = one_of(STATUSES)

_ID = re.compile(r"[1-9][0-9]{0,18}")  # without sign and leading zeros
_LIMIT = re.compile(r"[0-9]{1,3}")


class Operations:
    """The operations on one store."""

    def __init__(self, store: Store, trouble: DatabaseTrouble) -> None:
        self._store = store
        self._trouble = trouble

    async def list_pets(self, scope: Scope, _receive: Receive) -> TextResponse:
        """Return a page of animals, newest first, with a Link to the next page if there is one.

        The last page links to the first one: so it is known that this service links pages.
        """
        query = _query(scope)
        limit, status, before = _limit(query), _status(query), _before(query)
        with self._trouble.watched(is_read=True):
            page = await self._store.list_pets(limit, status, before)
        if IDEMPOTENCY_KEY in scope and self._store.store_id is None:
            raise NotStoredError("the store has no room for keys")  # it will promise, with room
        headers = {"Link": _link(limit, status, page.next_before)}
        return TextResponse.of(pets_json(page.pets), headers=headers)

    async def create_pet(self, scope: Scope, receive: Receive) -> TextResponse:
        """Store an animal and return it with its id; it is on the disk before the 201 is sent."""
        key: IdempotencyKey | None = scope.get(IDEMPOTENCY_KEY)
        if key is not None:
            return await self._create_once(scope, receive, key)
        if not scope[KEY].may_add:
            raise read_only()
        return await self._created(scope, await self._new_pet(scope, receive))

    async def _create_once(
        self, scope: Scope, receive: Receive, key: IdempotencyKey
    ) -> TextResponse:
        """Store an animal, unless one was stored with its key: then that is returned.

        A refusal would be believed: it is not for what was stored before.
        """
        refusal = None if scope[KEY].may_add else read_only()
        new_pet: NewPet | None = None
        try:
            new_pet = await self._new_pet(scope, receive)
        except LateBodyError:
            del scope[IDEMPOTENCY_KEY]  # nothing is said of it
            raise
        except ServiceError as error:
            refusal = refusal or error
        if new_pet is not None and refusal is None:
            try:
                return await self._created(scope, new_pet, key.stored)
            except AlreadyAddedError as error:
                return await self._repeated(scope, new_pet, error.added)
        with self._trouble.watched(is_read=True):
            added = await self._store.find_added(key.stored)
        if added is None:
            assert refusal is not None  # noqa: S101 - else it was stored now
            raise refusal
        return await self._repeated(scope, new_pet, added)

    async def _new_pet(self, scope: Scope, receive: Receive) -> NewPet:
        return read_new_pet(await read_body(scope, receive))

    async def _created(
        self, scope: Scope, new_pet: NewPet, key: bytes | None = None
    ) -> TextResponse:
        with self._trouble.watched(is_read=False):
            pet = await self._store.create_pet(new_pet, key)
        scope[PET_ID] = pet.id
        return TextResponse.of(pet_json(pet), 201)

    async def _repeated(self, scope: Scope, new_pet: NewPet | None, added: Added) -> TextResponse:
        """Return the animal of an earlier request as it is now; as it was sent if it is gone."""
        if new_pet is None or digest_of(new_pet) != added.digest:
            raise key_reused()
        with self._trouble.watched(is_read=True):
            pet = await self._store.get_pet(added.pet_id) or StoredPet.of(added.pet_id, new_pet)
        scope[PET_ID], scope[IS_REPEATED] = pet.id, True
        return TextResponse.of(pet_json(pet), 201, REPLAYED)

    async def get_pet(self, scope: Scope, _receive: Receive) -> TextResponse:
        """Return one animal; the operation is deprecated."""
        text = pet_id_of(scope["path"])
        pet = None
        if _ID.fullmatch(text) and int(text) <= INT64_MAXIMUM:
            with self._trouble.watched(is_read=True):
                pet = await self._store.get_pet(int(text))
        if pet is None:
            raise not_found("There is no animal with this petId")
        return TextResponse.of(pet_json(pet))


def _query(scope: Scope) -> dict[str, list[str]]:
    query: dict[str, list[str]] = {}
    text = scope["query_string"].decode("latin-1")
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
        return PAGE_ROWS
    if not _LIMIT.fullmatch(text) or not LIMIT_MINIMUM <= int(text) <= LIMIT_MAXIMUM:
        raise invalid("limit", f"a whole number from {LIMIT_BOUNDS}")
    return int(text)


def _status(query: dict[str, list[str]]) -> PetStatus | None:
    text = _single(query, "status")
    if text is None:
        return None
    if text not in STATUSES:
        raise invalid("status", ONE_OF_STATUSES)
    return PetStatus(text)


def _before(query: dict[str, list[str]]) -> int | None:
    text = _single(query, "cursor")
    if text is None:
        return None
    before = decode_cursor(text)
    if before is None:
        raise invalid("cursor", 'taken from the Link with rel="next" of a list')
    return before


def _link(limit: int, status: PetStatus | None, before: int | None) -> str:
    """Return a reference relative to the list itself, which holds below any prefix of a proxy."""
    # Only numbers, statuses and base64url: nothing needs escaping.
    chosen = "" if status is None else f"&status={status.value}"
    if before is None:
        return f'<?limit={limit}{chosen}>; rel="first"'
    return f'<?limit={limit}{chosen}&cursor={encode_cursor(before)}>; rel="next"'


def encode_cursor(before: int) -> str:
    """Return the cursor of the page with ids below ``before``; only this service reads it."""
    return urlsafe_b64encode(b"1:%d" % before).rstrip(b"=").decode()


def decode_cursor(text: str) -> int | None:
    """Return the id in a cursor, or None for a text that this service never sent."""
    try:
        before = int(urlsafe_b64decode(f"{text}==").removeprefix(b"1:"))
    except ValueError:
        return None
    is_own = 0 < before <= INT64_MAXIMUM and encode_cursor(before) == text
    return before if is_own else None


async def read_body(scope: Scope, receive: Receive) -> bytes:
    """Return the whole body of a JSON request.

    Raises:
        ServiceError: 400, the only status that the interface documents for a body.
        CutBodyError: the client went away.
    """
    _check_headers(scope["headers"])
    try:
        async with asyncio.timeout(BODY_SECONDS) as deadline:
            return await _received(receive, deadline)
    except TimeoutError:
        message = (
            f"The body must arrive within {BODY_SECONDS:g} seconds, or at {BODY_RATE} bytes a"
            f" second within {BODY_SECONDS_MAXIMUM:g}"
        )
        close = {"Connection": "close"}  # the rest of the body can't be told from the next request
        raise LateBodyError(400, "body_too_slow", message, close) from None


async def _received(receive: Receive, deadline: asyncio.Timeout) -> bytes:
    begin = asyncio.get_running_loop().time()
    parts: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise CutBodyError
        part = message.get("body", b"")
        size += len(part)
        if size > BODY_BYTES:
            raise _too_large()
        seconds = min(BODY_SECONDS + size / BODY_RATE, BODY_SECONDS_MAXIMUM)
        deadline.reschedule(begin + seconds)
        parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts)


def _check_headers(headers: Sequence[tuple[bytes, bytes]]) -> None:
    if not _is_json([value for name, value in headers if name == b"content-type"]):
        message = "Content-Type must be application/json, in UTF-8"
        raise ServiceError(400, "invalid_content_type", message)
    encodings = [value.strip().lower() for name, value in headers if name == b"content-encoding"]
    if any(encoding not in {b"", b"identity"} for encoding in encodings):
        message = "Content-Encoding must be left out; the body must not be compressed"
        raise ServiceError(400, "invalid_content_encoding", message)
    length = next((value for name, value in headers if name == b"content-length"), b"")
    if length.isdigit() and (len(length) > 18 or int(length) > BODY_BYTES):
        raise _too_large()


def _is_json(content_types: list[bytes]) -> bool:
    """Whether there is exactly one, JSON in UTF-8 (RFC 9110, 8.3.1)."""
    if len(content_types) != 1:
        return False
    kind, *parameters = (part.strip(b" \t").lower() for part in content_types[0].split(b";"))
    charsets = {each[8:].strip(b'"') for each in parameters if each.startswith(b"charset=")}
    return kind == b"application/json" and charsets <= {b"utf-8", b"utf8"}


def _too_large() -> ServiceError:
    message = f"The body must have at most {BODY_BYTES} bytes"
    return ServiceError(400, "body_too_large", message)


RULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "name": "a string of Unicode text",
        "categoryId": "a whole number from -2^63 to 2^63 - 1",
        "status": f"{ONE_OF_STATUSES}, or be left out",
    }
)


def read_new_pet(body: bytes) -> NewPet:
    """Return the animal that a request body describes.

    Raises:
        ServiceError: 400; its message begins with the field it is about.
    """
    try:
        fields = json_value(body.decode(), strict=True)
    except UnicodeDecodeError:
        raise _not_json("must be UTF-8") from None
    except NotJsonError as error:
        reason = f"must be one JSON object, with name and categoryId; {error}"
        raise _not_json(reason) from None
    if not isinstance(fields, dict):
        raise _not_json("must be a JSON object")
    repeated = fields.names if isinstance(fields, RepeatedName) else ()
    for name in RULES:
        if name in repeated:
            raise invalid(name, "given only once")
    try:
        new_pet = new_pet_of(fields)
    except WrongFieldError as error:
        rule = RULES[error.name]
        if error.rule == MISSING:
            reason = f"{error.name} is missing; it must be {rule}"
            raise ServiceError(400, "missing_value", reason) from None
        raise invalid(error.name, rule) from None
    if new_pet.status is not None and new_pet.status not in STATUSES:
        raise invalid("status", RULES["status"])
    return new_pet


def _not_json(reason: str) -> ServiceError:
    return ServiceError(400, "invalid_json", f"The body {reason}")
