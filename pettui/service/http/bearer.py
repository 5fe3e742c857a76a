"""Authentication: the bearer key of every request under ``/v1``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.service.http.errors import unauthorized

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from pettui.service.known_keys import Keys

KEY_NAME = "pettui.key_name"  # in the scope, once a key is accepted


class BearerMiddleware:
    """Passes requests with a known key on to its app (RFC 6750, section 2.1); others get 401.

    Paths outside ``/v1`` are not part of the interface: they are passed on, to a 404.
    """

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the key before anything else."""
        path: str = scope["path"].removeprefix(scope.get("root_path", ""))
        if path == "/v1" or path.startswith("/v1/"):
            name = self._key_name(scope)
            if name is None:
                raise unauthorized()
            scope[KEY_NAME] = name
        await self._app(scope, receive, send)

    def _key_name(self, scope: Scope) -> str | None:
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(values) != 1:
            return None
        scheme, _, key = values[0].partition(b" ")
        key = key.lstrip(b" ").rstrip(b" \t")
        return self._keys.name_of(key) if key and scheme.lower() == b"bearer" else None
