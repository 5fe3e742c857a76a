"""HTTP/1.1 for the service: uvicorn's protocol, with Error bodies and deadlines.

It uses names that uvicorn does not document; ``uvicorn_names`` lists what breaks if they change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from pettui.service.http.bearer import KEY_NAME
from pettui.service.http.responses import encode
from pettui.service.server.connection_deadlines import Deadlines, Overdue, Phase
from pettui.service.server.request_framing import CLOSE, RequestConnection

if TYPE_CHECKING:
    import asyncio

    import uvicorn
    from uvicorn.server import ServerState

    from pettui.service.server.connection_deadlines import ConnectionLimits
    from pettui.service.server.watched_socket import WatchedSocket

HEADER_SIZE: Final = 32 * 1024  # bytes


class ServiceProtocol(H11Protocol):
    """One connection; h11 refuses what a more lenient parser would accept."""

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        client_socket: WatchedSocket,
        limits: ConnectionLimits,
    ) -> None:
        super().__init__(config, server_state, {})
        self._requests = RequestConnection(h11.SERVER, HEADER_SIZE)
        self.conn = self._requests
        self._deadlines = Deadlines(client_socket, limits)
        self._is_half_closed = False
        self._next_turn: asyncio.Handle | None = None

    def data_received(self, data: bytes) -> None:
        """Handle what was received."""
        super().data_received(data)
        self._deadlines.enter(self._phase())

    def handle_events(self) -> None:
        """Handle a turn's events; the rest follows after other connections had their turn."""
        self._requests.begin_turn()
        super().handle_events()
        if self._requests.is_turn_over and not self.transport.is_closing():
            # Else received data would accumulate.
            self.transport.pause_reading()
            self._next_turn = self._next_turn or self.loop.call_soon(self._take_turn)

    def _take_turn(self) -> None:
        self._next_turn = None
        if self.transport.is_closing():
            return
        self.handle_events()
        self._deadlines.enter(self._phase())
        if self._next_turn is None and not self.flow.read_paused:
            self.transport.resume_reading()

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Respond to a complete request before closing; over TLS asyncio closes at once."""
        self._is_half_closed = self._deadlines.phase is Phase.RESPONSE and self.scheme == "http"
        return self._is_half_closed

    def on_response_complete(self) -> None:
        """Go on to the next request, if there is one."""
        super().on_response_complete()
        if self._is_half_closed and self.cycle.response_complete:
            self.transport.close()
        self._deadlines.enter(self._phase())

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - our message says more
        """Respond to malformed HTTP with an Error body; uvicorn's own response is plain text."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            message = "The request must be HTTP/1.1, with headers of at most 32 kB"
            body = encode({"code": "invalid_request", "message": message, "status": 400}).encode()
            headers = [
                (b"Content-Type", b"application/json"),
                (b"Content-Length", b"%d" % len(body)),
                CLOSE,
            ]
            response = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self._close()

    @property
    def address(self) -> str:
        """The client's address."""
        return self.client[0] if self.client else ""

    @property
    def has_key(self) -> bool:
        """Whether its last request had a known key."""
        return self.scope is not None and KEY_NAME in self.scope

    @property
    def idle_since(self) -> float | None:
        """Since when the connection has been idle; None during a request."""
        return self._deadlines.idle_since

    def check(self, now: float) -> None:
        """Close the connection if it stays in its phase too long, or receives no response."""
        overdue = self._deadlines.overdue(now, is_closing=self.transport.is_closing())
        if overdue is Overdue.ABORT:
            self.transport.abort()
        elif overdue is Overdue.CLOSE:
            self._close()

    def abort(self) -> None:
        """Close the connection at once; unsent data is lost."""
        self.transport.abort()

    def shutdown(self) -> None:
        """Close the connection after its response, which announces that."""
        self._deadlines.shorten()
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self._close()
        elif self.idle_since is not None and not self.has_key:
            self.transport.abort()  # it has no valid key, and receives no response
        else:
            cycle.keep_alive = False
            cycle.default_headers = [*cycle.default_headers, CLOSE]

    def _close(self) -> None:
        # After a second call asyncio's TLS transport could not be aborted.
        if not self.transport.is_closing():
            self.transport.close()

    def _phase(self) -> Phase:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None:
            return Phase.HEAD
        if not cycle.response_complete:
            return Phase.BODY if cycle.more_body else Phase.RESPONSE
        if self.conn.their_state is h11.SEND_BODY:
            return Phase.REST
        return Phase.HEAD if self.conn.trailing_data[0] else Phase.NEXT
