"""Adds that are stored once: ``Idempotency-Key`` on requests, and the store that says so.

The key is a string of RFC 8941, as draft-ietf-httpapi-idempotency-key-header has it. It is read
right after authentication, and repeated in every response from there on, together with the store's
id: whoever gets both back knows that they came here, and not to a service that ignores the key, or
through a proxy that drops it. They are left out

- to whoever has no API key (401),
- after a malformed key (400),
- while the database was not there yet, so that the store's id is not known (503),
- after a body that was too slow (400): an earlier request with the same key may still arrive, and
  nothing follows from this one.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.service.errors import ServiceError, invalid
from pettui.service.operations import OPERATION, Operation
from pettui.service.stores.store import NotStoredError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import Scope

    from pettui.service.errors import Headers

KEY_HEADER: Final = b"idempotency-key"
STORE_HEADER: Final = b"pettui-store"
REPLAYED: Final = {"Idempotency-Replayed": "?1"}
IDEMPOTENCY_KEY: Final = "pettui.idempotency_key"  # in the scope, once the key has been read

_STRING = re.compile(rb'"(?:[ !#-\[\]-~]|\\["\\])+"')  # RFC 8941, 3.3.3; an empty one is no key
_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class IdempotencyKey(NamedTuple):
    """The key of one add and its repetitions."""

    sent: bytes  # with its quotes, as it is repeated in responses
    stored: bytes  # the 16 bytes of a UUID; 32 of anything else

    @classmethod
    def of(cls, headers: Iterable[tuple[bytes, bytes]]) -> IdempotencyKey | None:
        """Return the key in the headers of a request, or None if there is none.

        Raises:
            ServiceError: it is no string, or there are several.
        """
        values = [value for name, value in headers if name == KEY_HEADER]
        if not values:
            return None
        sent = values[0].strip(b" \t")
        if len(values) > 1 or not _STRING.fullmatch(sent):
            rule = "one string in double quotes, with printable ASCII characters, at least one"
            raise invalid("Idempotency-Key", rule)
        text = re.sub(rb"\\(.)", rb"\1", sent[1:-1]) if b"\\" in sent else sent[1:-1]
        if _UUID.fullmatch(text):  # in another notation it is another key
            return cls(sent, bytes.fromhex(text.decode().replace("-", "")))
        return cls(sent, sha256(text).digest())


def note_key(scope: Scope, store_id: str | None) -> None:
    """Note the key of a request in its scope; send away what another store is to add.

    Raises:
        ServiceError: the key is malformed, or the request is for another store.
        NotStoredError: it is not known yet which store this is.
    """
    key = IdempotencyKey.of(scope["headers"])
    if key is not None:
        scope[IDEMPOTENCY_KEY] = key
    if scope[OPERATION] is not Operation.CREATE_PET:
        return
    named = {value for name, value in scope["headers"] if name == STORE_HEADER}
    if named and store_id is None:
        raise NotStoredError("it is not known yet which store this is")
    if store_id is not None and named - {store_id.encode()}:
        message = "This is another store than the one that Pettui-Store names; nothing was added"
        raise ServiceError(412, "other_store", message)


def echoed_key(scope: Scope, store_id: str | None) -> Headers:
    """Return the headers that repeat the key of a request, and say which store that comes from."""
    key: IdempotencyKey | None = scope.get(IDEMPOTENCY_KEY)
    if key is None or store_id is None:
        return ()
    return ((KEY_HEADER, key.sent), (STORE_HEADER, store_id.encode()))
