"""HTTP/1.1 for the service: uvicorn's protocol, with Error bodies and deadlines.

Of names that uvicorn does not document, ``uvicorn_names`` says what breaks where they change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from pettui.service.http.bearer import KEY_HASH
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
    """One connection; h11 refuses what a more lenient parser would let through."""

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
        """Go on as far as the bytes reach."""
        super().data_received(data)
        self._deadlines.enter(self._phase())

    def handle_events(self) -> None:
        """Go on for one turn, and with the rest once others had theirs."""
        self._requests.begin_turn()
        super().handle_events()
        if self._requests.is_turn_over and not self.transport.is_closing():
            # What is read meanwhile would pile up.
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
        """Answer what is wholly here before closing; over TLS asyncio closes at once."""
        self._is_half_closed = self._deadlines.phase is Phase.ANSWER and self.scheme == "http"
        return self._is_half_closed

    def on_response_complete(self) -> None:
        """Go on to the next request, if there is to be one."""
        super().on_response_complete()
        if self._is_half_closed and self.cycle.response_complete:
            self.transport.close()
        self._deadlines.enter(self._phase())

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours says more
        """Answer what is no HTTP with an Error body; uvicorn would answer in plain text."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            message = "The request must be HTTP/1.1, with headers of at most 32 kB"
            body = encode({"code": "invalid_request", "message": message, "status": 400}).encode()
            headers = [
                (b"Content-Type", b"application/json"),
                (b"Content-Length", b"%d" % len(body)),
                CLOSE,
            ]
            answer = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
            for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self._close()

    @property
    def address(self) -> str:
        """Whom it belongs to."""
        return self.client[0] if self.client else ""

    @property
    def has_key(self) -> bool:
        """Whether its last request had a known key."""
        return self.scope is not None and KEY_HASH in self.scope

    @property
    def waiting_since(self) -> float | None:
        """Since when it is there for nothing, or None while a request is answered."""
        return self._deadlines.waiting_since

    def check(self, now: float) -> None:
        """Close the connection where it stays too long in its phase, or takes no answer."""
        overdue = self._deadlines.overdue(now, is_closing=self.transport.is_closing())
        if overdue is Overdue.ABORT:
            self.transport.abort()
        elif overdue is Overdue.CLOSE:
            self._close()

    def abort(self) -> None:
        """Close the connection at once; what was not sent yet is lost."""
        self.transport.abort()

    def shutdown(self) -> None:
        """Close the connection, once it has its answer; the client is told so."""
        self._deadlines.hurry()
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self._close()
        elif self.waiting_since is not None and not self.has_key:
            self.transport.abort()  # it asks without a key, and takes no answer
        else:
            cycle.keep_alive = False
            cycle.default_headers = [*cycle.default_headers, CLOSE]

    def _close(self) -> None:
        # asyncio's TLS transport could not be aborted any more after a second call.
        if not self.transport.is_closing():
            self.transport.close()

    def _phase(self) -> Phase:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None:
            return Phase.HEAD
        if not cycle.response_complete:
            return Phase.BODY if cycle.more_body else Phase.ANSWER
        if self.conn.their_state is h11.SEND_BODY:
            return Phase.REST
        return Phase.HEAD if self.conn.trailing_data[0] else Phase.NEXT
