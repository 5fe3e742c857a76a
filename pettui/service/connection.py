"""One connection: HTTP/1.1 by uvicorn and httptools, with deadlines, limits and strict framing."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import math
import socket
import sys
import termios
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser, parse_url
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import uvicorn

logger = logging.getLogger(__name__)

_SCHEMES: Final = (b"http", b"https")
HEADER_SIZE: Final = 32 * 1024  # bytes
UNSENT: Final = 16 * 1024  # bytes; see the comment at its use
PIECE: Final = 4096  # bytes that are read at once: no more requests than are in it wait in memory


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Bounds on connections, so short that whoever finds no room is let in within ten seconds."""

    maximum: int = 500  # connections; one over TLS takes 0.3 MB
    # Of each state in which a client is waited for: a handshake, the head of a request, from its
    # first byte, the next request, the rest of a body after its response, a response of which it
    # receives nothing, and the shutdown of TLS. The app has a deadline of its own for a body.
    idle_seconds: float = 8.0
    stalled_seconds: float = 0.0  # at least, of a response, where ``idle_seconds`` are few
    response_seconds: float = 300.0  # for the client to receive a whole response


DEFAULT_CONNECTION_LIMITS: Final = ConnectionLimits()


class ServiceState(ServerState):
    """What the connections of a server share."""

    def __init__(self) -> None:
        super().__init__()
        self.malformed = 0  # requests


class ServiceProtocol(HttpToolsProtocol, asyncio.BufferedProtocol):
    """One connection.

    uvicorn documents none of the names that are used here. Without them: ``headers``, ``url``,
    ``parser`` and ``on_headers_complete``, requests are read as leniently as uvicorn reads them;
    ``pipeline``, ``flow``, ``on_body`` and ``on_message_complete``, a connection takes any amount
    of memory; ``_start_asgi_task``, pipelined requests get no response; ``cycle``, ``scheme``,
    ``transport``, ``loop`` and ``on_response_complete``, no deadline knows what a connection waits
    for; ``send_400_response``, malformed HTTP after a request is answered before the request is.
    """

    def __init__(
        self, config: uvicorn.Config, server_state: ServiceState, client: CountingSocket
    ) -> None:
        super().__init__(config, server_state, {})
        self._state = server_state
        self._client = client
        self._received, self._received_at = 0, 0.0  # bytes by the client, and when there were more
        self._pending_since = math.inf  # when a part of a response had to wait; inf: none does
        self._buffer = memoryview(bytearray(PIECE))
        self._since = time.monotonic()  # when it began to wait for its client; inf: it does not
        self._is_between = False  # two requests
        self._size = 0  # bytes since the last head, part of a body or end of a message
        self._has_body_left = False
        self._is_over = False  # no further request is read
        self._is_ending = False  # the next response is the last one
        self._closes_after_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.flow = PipelineFlow(transport, self.pipeline)
        self._response = ResponseTransport(transport, self._close_after_response)

    def check(self, now: float, limits: ConnectionLimits) -> None:
        """Close the connection if its client keeps it waiting too long, or receives nothing."""
        if self not in self.connections:  # it was lost since
            return
        if (received := self._client.received()) != self._received:
            self._received, self._received_at = received, now
        if not self.transport.get_write_buffer_size():
            self._pending_since = math.inf
        elif self._pending_since == math.inf:
            self._pending_since = self._received_at = now
        is_stalled = self._pending_since != math.inf
        seconds = max(limits.idle_seconds, limits.stalled_seconds * is_stalled)
        waits_since = min(self._since, self._pending_since)
        if now - waits_since > limits.response_seconds:
            self.transport.abort()
        elif now - max(waits_since, self._received_at) > seconds:
            if self.transport.is_closing() or is_stalled:
                self.transport.abort()
            else:  # once what has just come was read: to close first would reset the connection
                self.loop.call_later(0, self._close_idle, self._since)

    def _close_idle(self, since: float) -> None:
        if self._since == since:
            self._close()

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._is_over or self.transport.is_closing():
            return
        if self._is_between:
            self._is_between, self._since = False, time.monotonic()
        self._size += nbytes
        self.data_received(bytes(self._buffer[:nbytes]))
        if self._size > HEADER_SIZE and not self._is_over:
            self.send_400_response("Too much in the headers, in a trailer or between chunks.")

    def data_received(self, data: bytes) -> None:
        while data:
            try:
                self.parser.feed_data(data)
                data = b""
            except HttpParserUpgrade as upgrade:
                data = self._without_upgrade(data[upgrade.args[0] :])
            except HttpParserError as error:
                if isinstance(error.__context__, MemoryError):  # of a callback, not of the client
                    raise error.__context__ from None
                self.send_400_response("Invalid HTTP request received.")
                data = b""

    def _without_upgrade(self, rest: bytes) -> bytes:
        """Return a head without its wish for another protocol, of which there is none, and a rest.

        The parser would read no body. Another one does, since it ignores all after a closing
        request.
        """
        names = (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        head = [b"%s %s HTTP/%s" % names]
        head += [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
        self.parser = HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn has it
        return b"\r\n".join([*head, b"", rest])

    def on_headers_complete(self) -> None:
        self._refuse_other_than_strict()
        if self.parser.should_upgrade():
            return
        super().on_headers_complete()
        self.headers = []  # trailers go here, and nowhere else
        self._size, self._has_body_left = 0, True
        self._since = math.inf
        if self._is_ending:
            self._announce_close()
        self.cycle.transport = self._response  # type: ignore[assignment]

    def _refuse_other_than_strict(self) -> None:
        """Refuse what the parser lets pass (RFC 9112, sections 3.2, 6.1 and 6.3).

        Raises:
            ValueError: it is refused, with the connection.
        """
        version = self.parser.get_http_version()
        names = [name for name, _ in self.headers]
        hosts = names.count(b"host")
        if hosts > 1 or version not in {"1.1", "1.0"} or (not hosts and version == "1.1"):
            raise ValueError("neither HTTP/1.1 with one Host nor HTTP/1.0")
        if b"transfer-encoding" in names:
            codings = [value for name, value in self.headers if name == b"transfer-encoding"]
            if version != "1.1" or [coding.strip().lower() for coding in codings] != [b"chunked"]:
                raise ValueError("an unknown Transfer-Encoding")
        method = self.parser.get_method()
        if method == b"CONNECT" or b"#" in self.url:
            raise ValueError("not a proxy, and no fragments")
        is_of_server = method == b"OPTIONS" and self.url == b"*"
        if not self.url.startswith(b"/") and not is_of_server:
            # The absolute form, whose authority is ignored.
            url = parse_url(self.url)
            if url.schema is None or url.schema.lower() not in _SCHEMES or url.userinfo:
                raise ValueError("the request target is malformed")
            self.url = (url.path or b"/") + (b"?" + url.query if url.query else b"")

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._size = 0

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        super().on_message_complete()
        self._size, self._has_body_left = 0, False
        if self._closes_after_body:
            self._close()
        elif not self._is_answering():
            self._wait_for_next()

    def on_response_complete(self) -> None:
        self._response.flush()
        if self._is_over and not self.pipeline:
            self._close()
        if self.transport.is_closing():
            return
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:  # all that uvicorn does here, but without its timer
            self.flow.resume_reading()
            self._wait_for_next()

    def _is_answering(self) -> bool:
        """Whether a request has no response yet: the last one, since they come in order."""
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_next(self) -> None:
        self._is_between, self._since = not self._has_body_left, time.monotonic()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP and close; responses to what came before it are sent first."""
        self._is_over = True
        self._state.malformed += 1
        peer = self.transport.get_extra_info("peername")
        fields = {"address": peer and peer[0], "reason": msg}
        logger.warning("malformed request", extra={"event": "malformed request", "fields": fields})
        if not self._is_answering():
            if self._has_body_left:
                self._close()  # the request has its response
            else:
                super().send_400_response(msg)
        elif self._has_body_left and not self.pipeline and not self.cycle.response_started:
            super().send_400_response(msg)  # of its body no more will come
        if self.transport.is_closing():
            self._since = time.monotonic()

    def shutdown(self) -> None:
        """Close the connection after its response, or the next one, which announces that.

        An idle client may be sending a request, which is lost if the connection is closed first:
        so it is waited for, as in every state until its deadline.
        """
        if not self._is_ending:
            self._is_ending = True
            if self._is_answering():
                self._announce_close()

    def _announce_close(self) -> None:
        self.cycle.default_headers = [*self.cycle.default_headers, (b"connection", b"close")]

    def _close_after_response(self) -> None:
        """Close, but receive the rest of a body first.

        To close with unread data would reset the connection, and take the response from a client
        that is still sending.
        """
        if self._has_body_left and self.cycle.response_complete:
            self._closes_after_body = True
        else:
            self._close()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Respond to a complete request before closing; over TLS asyncio closes at once."""
        is_owed = self.scheme == "http" and self._is_answering() and not self._has_body_left
        self._is_over = self._is_over or is_owed
        return is_owed

    def _close(self) -> None:
        # After a second call asyncio's TLS transport could not be aborted.
        if not self.transport.is_closing():
            self._since = time.monotonic()
            self.transport.close()


class ResponseTransport:
    """What a cycle writes to: the head of a response is sent together with the body.

    Two packets cost the service and its client nearly twice as much as one.
    """

    def __init__(self, transport: asyncio.Transport, end: Callable[[], None]) -> None:
        self._transport = transport
        self._end = end
        self._head = b""
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        if self._head or not data.startswith(b"HTTP/1.1 ") or data.startswith(b"HTTP/1.1 100"):
            data, self._head = self._head + data, b""
            if not self._transport.is_closing():
                self._transport.write(data)
        else:
            self._head = data

    def flush(self) -> None:
        """Send a head that no body follows."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        self.flush()
        self._end()


class PipelineFlow(FlowControl):
    """Reads no more while requests wait for their turn."""

    def __init__(self, transport: asyncio.Transport, pipeline: Collection[object]) -> None:
        super().__init__(transport)
        self._pipeline = pipeline

    def resume_reading(self) -> None:
        if not self._pipeline:
            super().resume_reading()


class CountingSocket(socket.socket):
    """An accepted socket that knows what its client received: a transport does not say it."""

    def __init__(self, accepted: socket.socket) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self.setblocking(False)
        self.sent = 0  # bytes
        # Else a large send buffer would hide that the client receives nothing; this also bounds the
        # memory of such a client.
        with suppress(AttributeError, OSError):  # not on every system
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)

    def received(self) -> int:
        """Return how many bytes the client has received, or the system has taken at least.

        That may be as many as a slow line transmits in half a minute.
        """
        unsent = bytes(4)
        with suppress(OSError, ValueError):  # not of every kind; it is closed
            unsent = fcntl.ioctl(self.fileno(), termios.TIOCOUTQ, unsent)
        return self.sent - int.from_bytes(unsent, sys.byteorder)

    def send(self, data: Any, flags: int = 0, /) -> int:
        return self._counted(super().send(data, flags))

    def sendmsg(self, *arguments: Any) -> int:
        return self._counted(super().sendmsg(*arguments))

    def _counted(self, sent: int) -> int:
        self.sent += sent
        return sent
