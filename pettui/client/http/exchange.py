"""One request, and what was received in response so far."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Final

import httpx

from pettui import __version__
from pettui.client.http.bodies import Body, read
from pettui.client.http.request_trace import Progress
from pettui.client.http.trailing_data import close_if_trailing
from pettui.client.http_messages import Response
from pettui.service_addresses import CONNECTION_HEADER, connection_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pettui.client.http_messages import Request
    from pettui.settings import ApiKey, Limits

_HEADERS: Final[Mapping[str, str]] = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",  # a compressed body could grow to any size
    "User-Agent": f"pettui/{__version__}",
}


class Exchange:
    """One request and its response, from the first byte that goes out to the last that comes in."""

    def __init__(
        self,
        request: Request,
        address: str,
        key: ApiKey,
        limits: Limits,
        parse: Callable[[str], httpx.URL],
    ) -> None:
        """Prepare an exchange; nothing is sent yet.

        Args:
            request: what is sent.
            address: where it goes; a redirect leads to another than the request's own.
            key: the bearer key.
            limits: of the response.
            parse: turns an address into httpx's; raises httpx.InvalidURL.
        """
        is_secure = address.startswith("https:")
        self.progress = Progress(is_secure=is_secure, is_add=request.is_add)
        self._request = request
        self._address = address
        self._key = key
        self._limits = limits
        self._parse = parse
        self._started = time.perf_counter()
        self._received: httpx.Response | None = None
        self._body: Body | None = None
        self._is_direct = False

    async def run(self, transport: httpx.AsyncBaseTransport) -> Response:
        """Send the request, and read the response up to its end or its bound."""
        if isinstance(transport, httpx.AsyncHTTPTransport):
            self.progress.begin()
        response = await transport.handle_async_request(self._httpx_request())
        self._received = response
        self._is_direct = _is_direct(response)
        encoding = self.masked(response.headers.get("content-encoding", "")).strip().lower()
        self._body = Body(encoding, self._limits.body)
        try:
            await read(self._body, response)
            await close_if_trailing(response)
        finally:
            await response.aclose()
        return self._response(response, self._body)

    def partial_refusal(self, body_error: str) -> Response | None:
        """Return what was received of a response that is no success; None where there is none.

        What ended the reading, the ``body_error``, does not hide the status.
        """
        if self._received is None or self._body is None:
            return None
        self._body.error = body_error
        response = self._response(self._received, self._body)
        return None if response.is_success else response

    def _response(self, response: httpx.Response, body: Body) -> Response:
        return Response(
            self._request,
            self._address,
            response.status_code,
            tuple((name.lower(), self.masked(v)) for name, v in response.headers.multi_items()),
            self._masked_bytes(body.content()),
            body.error,
            time.perf_counter() - self._started,
            self._limits,
            self._is_direct,
        )

    def masked(self, text: str) -> str:
        """Return a text from outside without the key, which the service may have sent back."""
        return self._key.mask(text) if self._key.is_long_enough else text

    def _masked_bytes(self, body: bytes) -> bytes:
        return self._key.mask_bytes(body) if self._key.is_long_enough else body

    def _httpx_request(self) -> httpx.Request:
        url = self._parse(self._address)
        headers = {**_HEADERS, "Authorization": f"Bearer {self._key.reveal()}"}
        # Set here, since httpx would decode the host's name for it, and not every name can be.
        headers["Host"] = url.netloc.decode("ascii")
        content = None
        if self._request.new_pet is not None:
            content = json.dumps(self._request.new_pet.body(), ensure_ascii=False).encode()
            headers["Content-Type"] = "application/json"
        silence = self._limits.silence
        timeout = httpx.Timeout(silence, connect=self._limits.connect, pool=None)
        return httpx.Request(
            self._request.method,
            url,
            headers=headers,
            content=content,
            extensions={"timeout": timeout.as_dict(), "trace": self.progress},
        )


def _is_direct(response: httpx.Response) -> bool:
    """Whether the service received the request over the very connection that it was sent on.

    Then no proxy is in between, which might have sent it twice. Where addresses are translated it
    looks as if there were one.
    """
    mark: str = response.headers.get(CONNECTION_HEADER, "")
    stream = response.extensions.get("network_stream")
    if not mark or stream is None:
        return False
    own = connection_mark(*map(stream.get_extra_info, ("client_addr", "server_addr")))
    return own == mark
