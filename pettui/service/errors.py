"""Every failure → an Error body: ``code``, ``message``, and ``status`` equal to the HTTP status."""

from __future__ import annotations

import json
import logging
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.service.stores.store import NotStoredError, StoreFullError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from starlette.types import Scope

    from pettui.service.stores.store import StoredPet

    Headers: TypeAlias = Sequence[tuple[bytes, bytes]]


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


class TextResponse(NamedTuple):
    """A response, which is a text."""

    status: int
    headers: Headers
    body: bytes

    @classmethod
    def of(
        cls,
        text: str,
        status: int = 200,
        headers: Mapping[str, str] = NO_HEADERS,
        *,
        media_type: str = "application/json",
    ) -> TextResponse:
        """Return the response that has a text as its body."""
        body = text.encode()
        lines = [
            (b"content-type", media_type.encode()),
            (b"content-length", b"%d" % len(body)),
            *((name.lower().encode(), value.encode()) for name, value in headers.items()),
        ]
        return cls(status, lines, body)

    def sent_body(self, scope: Scope) -> bytes:
        """Return what is sent as the body: nothing to HEAD, whose headers are the same."""
        return b"" if scope["method"] == "HEAD" else self.body


logger = logging.getLogger(__name__)

NOT_STORED: Final = "not_stored"  # an Error's code: this request stored nothing
RETRY_AFTER = "1"  # seconds


class ServiceError(Exception):
    """A refused request; ``message`` names the field or parameter, and what is allowed."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] = NO_HEADERS
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, headers

    def response(self) -> TextResponse:
        """Return the interface's Error as a response."""
        body = {"code": self.code, "message": self.message, "status": self.status}
        return TextResponse.of(encode(body), self.status, self.headers)


class LateBodyError(ServiceError):
    """A request whose body did not arrive in time, so that it is not known what it would add."""


class CutBodyError(Exception):
    """The client closed the connection in the middle of its body: there is nobody to respond to."""


def invalid(name: str, rule: str) -> ServiceError:
    """Return the 400 for a field or parameter: its name, and the rule it breaks."""
    return ServiceError(400, "invalid_value", f"{name} must be {rule}")


def unauthorized() -> ServiceError:
    """Return the 401, which is the same whether a key is missing, malformed or unknown."""
    return ServiceError(
        401,
        "unauthorized",
        "Missing or invalid API key; send it as Authorization: Bearer <API_KEY>",
        {"WWW-Authenticate": "Bearer"},
    )


def read_only() -> ServiceError:
    """Return the 403 for an animal that a read-only key would add."""
    message = "This API key is read-only; nothing was added. Another key may add animals"
    return ServiceError(403, "read_only", message)


def key_reused() -> ServiceError:
    """Return the 409 for an idempotency key with which another animal was stored."""
    message = "Another animal was added with this Idempotency-Key; another one needs its own"
    return ServiceError(409, "key_reused", message)


def not_found(message: str) -> ServiceError:
    """Return a 404."""
    return ServiceError(404, "not_found", message)


def unavailable(method: str) -> ServiceError:
    """Return the 503 for a database that can't be reached now."""
    message = "The store can't reach its database; try again in a moment"
    if method == "POST":
        message += ", but check first whether the animal was added: the response may have been lost"
    return ServiceError(503, "unavailable", message, {"Retry-After": RETRY_AFTER})


def not_stored(reason: str = "The store can't write now") -> ServiceError:
    """Return the 503 of a request that stored nothing; a proxy may have sent it before, though."""
    message = f"{reason}; this request stored nothing; try again in a moment"
    return ServiceError(503, NOT_STORED, message, {"Retry-After": RETRY_AFTER})


def keys_unusable(method: str) -> ServiceError:
    """Return the 503 for a key that may be right: the key file can't be used now."""
    reason = "The service can't check API keys now"
    if method == "POST":
        return not_stored(reason)
    message = f"{reason}; try again in a moment"
    return ServiceError(503, "unavailable", message, {"Retry-After": RETRY_AFTER})


def error_of(error: Exception, method: str) -> ServiceError | None:
    """Return the refusal that a failed request is answered with; None for a bug."""
    match error:
        case ServiceError():
            return error
        case StoreFullError():
            return ServiceError(400, "store_full", str(error))
        case NotStoredError():
            return not_stored()
        case StoreUnavailableError():
            return unavailable(method)
        case MemoryError():
            logger.error("there is no memory left for a request")
            return unavailable(method)
    return None


def internal_error() -> ServiceError:
    """Return the 500 for a bug; the log has its traceback."""
    message = "The service failed; it is not known whether the request took effect"
    return ServiceError(500, "internal_error", message)
