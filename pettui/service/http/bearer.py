"""Who may come in: the bearer key of every request under ``/v1``."""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pettui.service.http.errors import unauthorized

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Receive, Scope, Send

KEY_HASH = "pettui.key_hash"  # in the scope, once a key is accepted


@runtime_checkable
class Keys(Protocol):
    """The keys that the service knows."""

    def hash_name(self, key: bytes) -> str | None:
        """Give the short hash that stands for a known key in logs, or None for any other."""
        ...


def key_digest(key: bytes) -> bytes:
    """Give what is kept of a key in place of it (SHA-256, 32 bytes)."""
    return sha256(key).digest()


def known_digest(digests: Iterable[bytes], key: bytes) -> str | None:
    """Give the short hash of a key that is among them, in the same time for each."""
    candidate = key_digest(key)
    found = [digest for digest in digests if compare_digest(digest, candidate)]
    return found[0].hex()[:8] if found else None


class FixedKeys:
    """Keys that stay the same as long as the service runs."""

    def __init__(self, keys: Iterable[str]) -> None:
        if isinstance(keys, str):
            raise TypeError("keys are several strings, not one")
        self._digests = tuple(key_digest(key.encode(errors="surrogateescape")) for key in keys)

    def hash_name(self, key: bytes) -> str | None:
        """Give the short hash of a known key, or None."""
        return known_digest(self._digests, key)


class BearerMiddleware:
    """Lets requests with a known key through to its app (RFC 6750, section 2.1); others get 401.

    What is outside ``/v1`` is none of the interface: it goes through, and finds nothing.
    """

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the key before anything else is looked at."""
        path: str = scope["path"].removeprefix(scope.get("root_path", ""))
        if path == "/v1" or path.startswith("/v1/"):
            hash_name = self._hash_name(scope)
            if hash_name is None:
                raise unauthorized()
            scope[KEY_HASH] = hash_name
        await self._app(scope, receive, send)

    def _hash_name(self, scope: Scope) -> str | None:
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(values) != 1:
            return None
        scheme, _, key = values[0].partition(b" ")
        key = key.lstrip(b" ").rstrip(b" \t")
        return self._keys.hash_name(key) if key and scheme.lower() == b"bearer" else None
