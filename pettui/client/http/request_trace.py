"""How far one request has got, as httpcore reports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_STEPS: Final[Mapping[str, str]] = {
    "connect_tcp": "connect to",
    "start_tls": "agree on TLS with",
    "send_request_headers": "send to",
    "receive_response_headers": "read from",
}


class Progress:
    """A ``trace`` extension of httpcore: the current step, and whether an add may be out."""

    def __init__(self, *, is_secure: bool, is_add: bool) -> None:
        self._is_secure = is_secure  # over https; only then can there be a proxy
        self._is_add = is_add
        self.step = "read from"
        self.maybe_sent = is_add  # as far as is known: an app in this process reports nothing

    def begin(self) -> None:
        """Note that a request waits for a connection, of a transport that reports the rest."""
        self.step, self.maybe_sent = "get a free connection to", False

    async def __call__(self, event: str, info: Mapping[str, object]) -> None:
        """Note an event, such as ``connection.connect_tcp.started``."""
        name, stage = event.split(".")[-2:]
        if stage != "started":
            return
        import httpcore  # noqa: PLC0415 - the embedded store does without

        self.step = _STEPS.get(name, self.step)
        request = info.get("request")
        is_to_proxy = isinstance(request, httpcore.Request) and request.method == b"CONNECT"
        if self._is_secure and is_to_proxy:
            # httpcore's own request to a proxy: neither the service nor its key is involved.
            self.step = "go through the proxy to"
        elif name == "send_request_headers":
            self.maybe_sent = self._is_add
