"""Every failure → an Error body: ``code``, ``message``, and ``status`` equal to the HTTP status."""

from __future__ import annotations

import json
import logging
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.service.stores.store import NotStoredError, StoreFullError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

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


class TextResponse:
    """An ASGI app that sends a text; a HEAD request gets the same headers without the body."""

    __slots__ = ("_body", "_headers", "_status")

    def __init__(
        self,
        text: str,
        status: int = 200,
        headers: Mapping[str, str] = NO_HEADERS,
        *,
        media_type: str = "application/json",
    ) -> None:
        self._status = status
        self._body = text.encode()
        self._headers = [
            (b"content-type", media_type.encode()),
            (b"content-length", b"%d" % len(self._body)),
            *((name.lower().encode(), value.encode()) for name, value in headers.items()),
        ]

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the response."""
        start = {"type": "http.response.start", "status": self._status, "headers": self._headers}
        await send(start)
        body = b"" if scope["method"] == "HEAD" else self._body
        await send({"type": "http.response.body", "body": body})


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
        return TextResponse(encode(body), self.status, self.headers)


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


def no_room() -> ServiceError:
    """Return the 503 for a body that others have no time to wait for; the connection is closed."""
    error = not_stored("The service has no room for slow requests now")
    close = {**error.headers, "Connection": "close"}
    return LateBodyError(error.status, error.code, error.message, close)


async def no_such_path(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond 404: the ASGI app for every path outside the interface."""
    error = not_found("No such path; the interface has /v1/pets and /v1/pets/{petId}")
    await error.response()(scope, receive, send)


class MethodNotAllowed:
    """Responds 405 with the methods that a path allows: the ASGI app at the end of its routes."""

    def __init__(self, *methods: str) -> None:
        allow = ", ".join(methods)
        message = f"This path allows the methods {allow}"
        self._error = ServiceError(405, "method_not_allowed", message, {"Allow": allow})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the 405."""
        await self._error.response()(scope, receive, send)


class ErrorBodies:
    """Turns exceptions of its app into Error bodies; no other part of the service does."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, and send the error response if it fails."""
        try:
            await self._app(scope, receive, send)
        except CutBodyError:
            return
        except ServiceError as error:
            await error.response()(scope, receive, send)
        except StoreFullError as error:
            await ServiceError(400, "store_full", str(error)).response()(scope, receive, send)
        except NotStoredError:
            await not_stored().response()(scope, receive, send)
        except (StoreUnavailableError, MemoryError) as error:
            if isinstance(error, MemoryError):
                logger.error("there is no memory left for a request")  # noqa: TRY400
            await unavailable(scope["method"]).response()(scope, receive, send)
        except Exception:
            # A bug: the client gets an Error body, the server's log the traceback. A response is
            # sent whole or not at all, so none has started.
            message = "The service failed; it is not known whether the request took effect"
            failure = ServiceError(500, "internal_error", message)
            await failure.response()(scope, receive, send)
            raise
