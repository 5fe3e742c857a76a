"""One connection: HTTP/1.1 by uvicorn and httptools, with deadlines, limits and strict framing."""

from __future__ import annotations

import enum
import logging
import math
import re
import socket
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from pettui.service.endpoints import BODY_DEADLINE

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable

    import uvicorn

logger = logging.getLogger(__name__)

SHUTDOWN_SECONDS: Final = 3.0  # for a client to receive its response when the service ends
LAST_SECONDS: Final = 1.0  # for the last request of a connection when the service ends
HEADER_SIZE: Final = 32 * 1024  # bytes
SLICE: Final = 4096  # bytes that are parsed before the requests in them are answered
UNSENT: Final = 16 * 1024  # bytes; see the comment at its use
PORT_MAXIMUM: Final = 65_535

_ABSOLUTE = re.compile(rb"https?://([^/?#]*)([^#]*)", re.IGNORECASE)
_HOST = rb"[A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\]"
_AUTHORITY = re.compile(rb"(?:%s)(?::([0-9]{0,5}))?" % _HOST)  # without user information


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Bounds on connections; of seconds, each is for one state that a connection can be in."""

    maximum: int = 500  # connections; one over TLS takes 0.3 MB
    handshake_seconds: float = 10.0
    head_seconds: float = 10.0  # from the connection, or a request's first byte, to its body
    body_seconds: float = math.inf  # for a body; the app has a deadline of its own
    keep_alive_seconds: float = 15.0  # from a response to the next request
    rest_seconds: float = 30.0  # for the rest of a body, after its response
    stalled_seconds: float = 20.0  # without the client receiving a byte of its response
    response_seconds: float = 300.0  # for the client to receive a whole response
    closing_seconds: float = 10.0  # for the TLS shutdown
    crowded_seconds: float = 2.0  # in place of the first six, while there is no room for another

    def while_crowded(self) -> ConnectionLimits:
        """Return what applies while there is no room for another connection."""
        names = ("handshake", "head", "body", "keep_alive", "rest", "stalled")
        return self.at_most(self.crowded_seconds, *names)

    def while_ending(self) -> ConnectionLimits:
        """Return what applies while the service ends."""
        last = self.at_most(LAST_SECONDS, "handshake", "head", "keep_alive")
        return last.at_most(SHUTDOWN_SECONDS, "rest", "stalled", "closing")

    def at_most(self, most: float, *names: str) -> ConnectionLimits:
        """Return the limits with other ones of these names, where theirs are longer."""
        fields = [f"{name}_seconds" for name in names]
        return replace(self, **{field: min(getattr(self, field), most) for field in fields})


DEFAULT_CONNECTION_LIMITS: Final = ConnectionLimits()


class Phase(enum.Enum):
    """What a connection waits for; the value is the name of its limit."""

    HEAD = "head_seconds"  # the rest of a request's head, or the first request
    RESPONSE = ""  # from the app, which has its own deadline for a body
    REST = "rest_seconds"  # of a body whose response was sent before it was complete
    NEXT = "keep_alive_seconds"  # another request


class ServiceState(ServerState):
    """What the connections of a server share."""

    def __init__(self) -> None:
        super().__init__()
        self.malformed = 0  # requests


class ServiceProtocol(HttpToolsProtocol):
    """One connection.

    uvicorn documents none of the names that are used here. Without them: ``headers``, ``url``,
    ``parser`` and ``on_headers_complete``, requests are read as leniently as uvicorn reads them;
    ``pipeline``, ``flow``, ``on_body`` and ``on_message_complete``, a connection takes any amount
    of memory; ``_start_asgi_task``, pipelined requests get no response; ``cycle``, ``scheme``,
    ``transport``, ``loop`` and ``on_response_complete``, no deadline knows what a connection waits
    for; ``send_400_response``, malformed HTTP after a request is answered before the request is;
    ``disconnected``, it is answered after the connection is lost.
    """

    def __init__(
        self, config: uvicorn.Config, server_state: ServiceState, client: WatchedSocket
    ) -> None:
        super().__init__(config, server_state, {})
        self._state = server_state
        self._client = client
        self._phase = Phase.HEAD
        self._since = time.monotonic()  # that of the phase
        self._closing_since: float | None = None
        self._size = 0  # bytes since the last head, part of a body or end of a message
        self._unread = b""  # received, but not parsed until running requests have their responses
        self._has_body_left = False
        self._unanswered: deque[RequestResponseCycle] = deque()  # the running one first
        self._is_half_closed = False
        self._is_broken = False  # what follows is not HTTP
        self._is_ending = False  # the next response is the last one
        self._closes_after_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._response = ResponseTransport(transport, self._close_after_response)

    def check(self, now: float, limits: ConnectionLimits) -> None:
        """Close the connection if it stays in its phase too long, or receives no response."""
        if self.transport.is_closing() and self._closing_since is None:
            self._closing_since = now
        if self._client.stalled_since is not None:
            is_stalled = now - self._client.sent_at > limits.stalled_seconds
            if is_stalled or now - self._client.stalled_since > limits.response_seconds:
                self.transport.abort()
        elif self._closing_since is not None:
            if now - self._closing_since > limits.closing_seconds:
                self.transport.abort()
        elif self._phase is Phase.RESPONSE:
            if self._has_body_left and now - self._since > limits.body_seconds:
                self._hurry_body()
        elif now - self._since > getattr(limits, self._phase.value) and not self._has_request():
            self._close()

    def _hurry_body(self) -> None:
        """End the app's wait for the rest of a body."""
        deadline = cast("dict[str, Any]", self.cycle.scope).get(BODY_DEADLINE)
        if deadline is not None:
            deadline.reschedule(self.loop.time())

    def _has_request(self) -> bool:
        """Whether the next request has just come: to close then would reset the connection."""
        if self._size or self._phase is Phase.REST:
            return False
        try:
            return bool(self._client.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def data_received(self, data: bytes) -> None:
        if self._phase is Phase.NEXT:
            self._enter(Phase.HEAD)
        if self._unread:
            self._unread += data
            self.flow.pause_reading()
        else:
            self._parse(data)

    def _parse(self, data: bytes) -> None:
        """Parse slice by slice: of pipelined requests, no more than are in one wait at once."""
        for start in range(0, len(data), SLICE):
            if self.pipeline:
                self._unread = data[start:]
                self.flow.pause_reading()
                return
            if self._is_broken or self.transport.is_closing():
                return
            part = data[start : start + SLICE]
            self._size += len(part)
            self._feed(part)
            if self._size > HEADER_SIZE and not self._is_broken:
                self.send_400_response("Too much in the headers, in a trailer or between chunks.")

    def _feed(self, data: bytes) -> None:
        while data:
            try:
                self.parser.feed_data(data)
                data = b""
            except HttpParserUpgrade as upgrade:
                data = self._without_upgrade(data[upgrade.args[0] :])
            except HttpParserError as error:
                cause = error.__context__  # of a callback
                if cause is not None and not isinstance(cause, ValueError | HttpParserError):
                    raise cause from None  # no memory, or a bug: not the client's fault
                self.send_400_response("Invalid HTTP request received.")
                data = b""

    def _without_upgrade(self, rest: bytes) -> bytes:
        """Return a head without its wish for another protocol, of which there is none, and a rest.

        It is read by another parser, since the old one ignores all after a closing request.
        """
        names = (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        head = [b"%s %s HTTP/%s" % names]
        head += [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
        self.parser = HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn has it
        return b"\r\n".join([*head, b"", rest])

    def _parse_rest(self) -> None:
        data, self._unread = self._unread, b""
        self._parse(data)
        if not self._unread:
            self.flow.resume_reading()

    def on_headers_complete(self) -> None:
        self._refuse_other_than_strict()
        if self.parser.should_upgrade():
            return
        super().on_headers_complete()
        self.headers = []  # trailers go here, and nowhere else
        self._size, self._has_body_left = 0, True
        self._unanswered.append(self.cycle)
        if self._is_ending:
            self._announce_close()
        self.cycle.transport = self._response  # type: ignore[assignment]
        self._enter(Phase.RESPONSE)

    def _refuse_other_than_strict(self) -> None:
        """Refuse what the parser lets pass (RFC 9112, sections 3.2, 6.1 and 6.3).

        Raises:
            ValueError: it is refused, with the connection.
        """
        if self._size > HEADER_SIZE:
            sizes = (len(name) + len(value) + 4 for name, value in self.headers)
            if len(self.url) + sum(sizes) > HEADER_SIZE:
                raise ValueError("too many headers")
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
        if method == b"CONNECT":
            raise ValueError("not a proxy")
        if not self.url.startswith(b"/") or b"#" in self.url:
            self.url = _origin_form(method, self.url)

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
        elif self._phase is Phase.REST:
            self._enter(Phase.NEXT)

    def on_response_complete(self) -> None:
        self._unanswered.popleft()
        self._response.flush()
        is_last = not (self._unanswered or self._unread)
        if self._is_broken or (self._is_half_closed and is_last):
            self._close()
        if not self.transport.is_closing():  # all that uvicorn does here, but without its timer
            self.flow.resume_reading()
            if self.pipeline:
                self._start_asgi_task(*self.pipeline.pop())
        if not self._unanswered:
            self._enter(Phase.REST if self._has_body_left else Phase.NEXT)
        if self._unread and not self.pipeline:
            self.loop.call_soon(self._parse_rest)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP and close; responses to what came before it are sent first."""
        self._is_broken = True
        self._state.malformed += 1
        peer = self.transport.get_extra_info("peername")
        fields = {"address": peer and peer[0], "reason": msg}
        logger.warning("malformed request", extra={"event": "malformed request", "fields": fields})
        if not self._unanswered and self._has_body_left:
            self._close()  # the request has its response
        elif not self._unanswered or self._is_body_awaited():
            super().send_400_response(msg)

    def _is_body_awaited(self) -> bool:
        """Whether the only running request is the one whose body is being received."""
        is_only = len(self._unanswered) == 1
        return is_only and self._has_body_left and not self.cycle.response_started

    def shutdown(self) -> None:
        """Close the connection after its response, or the next one, which announces that.

        An idle client may be sending a request, which is lost if the connection is closed first:
        so it is waited for, as in every phase until its deadline.
        """
        if not self._is_ending:
            self._is_ending = True
            if self._unanswered:
                self._announce_close()

    def _announce_close(self) -> None:
        self.cycle.default_headers = [*self.cycle.default_headers, (b"connection", b"close")]

    def _close_after_response(self) -> None:
        """Close, but receive the rest of a body first.

        To close with unread data would reset the connection, and take the response from a client
        that is still sending.
        """
        is_last = bool(self._unanswered) and self._unanswered[0] is self.cycle
        if is_last and self._has_body_left and self.cycle.response_complete:
            self._closes_after_body = True
        else:
            self._close()

    def connection_lost(self, exc: Exception | None) -> None:
        for cycle in self._unanswered:  # uvicorn does this for the last one only
            cycle.disconnected = True
        super().connection_lost(exc)

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Respond to a complete request before closing; over TLS asyncio closes at once."""
        is_complete = self._phase is Phase.RESPONSE and not self._has_body_left
        self._is_half_closed = is_complete and self.scheme == "http"
        return self._is_half_closed

    def _close(self) -> None:
        # After a second call asyncio's TLS transport could not be aborted.
        if not self.transport.is_closing():
            self.transport.close()

    def _enter(self, phase: Phase) -> None:
        if phase is not self._phase:
            self._phase, self._since = phase, time.monotonic()


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
            self._transport.write(self._head + data)
            self._head = b""
        else:
            self._head = data

    def flush(self) -> None:
        """Send a head that no body follows."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        self.flush()
        self._end()


def _origin_form(method: bytes, target: bytes) -> bytes:
    """Return the path and query of a target; the authority of absolute-form is ignored.

    Raises:
        ValueError: it is malformed.
    """
    if target == b"*" and method == b"OPTIONS":
        return target
    absolute = _ABSOLUTE.fullmatch(target)
    authority = absolute and _AUTHORITY.fullmatch(absolute[1])
    if not absolute or not authority or int(authority[1] or 0) > PORT_MAXIMUM:
        raise ValueError("the request target is malformed")
    return absolute[2] if absolute[2].startswith(b"/") else b"/" + absolute[2]


class WatchedSocket(socket.socket):
    """An accepted socket, for asyncio's transports.

    A transport below TLS does not say how much it still has to send. So the socket records since
    when it could not send everything, and when it last sent something.
    """

    def __init__(self, accepted: socket.socket) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self.setblocking(False)
        self.stalled_since: float | None = None  # by time.monotonic
        self.sent_at = 0.0
        # Else a large send buffer would hide that the client receives nothing; this also bounds the
        # memory of such a client.
        with suppress(AttributeError, OSError):  # not on every system
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)

    def send(self, data: Any, flags: int = 0, /) -> int:
        try:
            sent = super().send(data, flags)
        except (BlockingIOError, InterruptedError):
            self._record(0, is_all=False)
            raise
        self._record(sent, is_all=sent == len(data))
        return sent

    def sendmsg(self, buffers: Iterable[Any], /, *more: Any) -> int:
        parts = list(buffers)
        try:
            sent = super().sendmsg(parts, *more)
        except (BlockingIOError, InterruptedError):
            self._record(0, is_all=False)
            raise
        self._record(sent, is_all=sent == sum(map(len, parts)))
        return sent

    def _record(self, sent: int, *, is_all: bool) -> None:
        if is_all:
            self.stalled_since = None
            return
        now = time.monotonic()
        if self.stalled_since is None:
            self.stalled_since = self.sent_at = now
        elif sent:
            self.sent_at = now
