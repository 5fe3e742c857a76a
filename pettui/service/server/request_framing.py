"""Strict parsing of requests, before uvicorn sees them (RFC 9112, sections 3.2 and 6)."""

from __future__ import annotations

import re
from typing import Any, Final

import h11

CLOSE: Final = (b"connection", b"close")
_ABSOLUTE = re.compile(rb"https?://([^/?#]*)([^#]*)", re.IGNORECASE)
_HOST = rb"[A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\]"
_AUTHORITY = re.compile(rb"(?:%s)(?::([0-9]{0,5}))?" % _HOST)  # without user information
PORT_MAXIMUM: Final = 65_535
TURN: Final = 64  # events of one connection, before other connections have their turn


class RequestConnection(h11.Connection):
    """h11's server side; each request has an origin-form target and one kind of length.

    It reads in turns, since h11 needs a second for a quarter of a megabyte of one-byte chunks.
    """

    _events = 0  # of this turn

    @property
    def is_turn_over(self) -> bool:
        """Whether the turn has used up its events, so that more may follow in the next."""
        return self._events >= TURN

    def begin_turn(self) -> None:
        """Start another turn."""
        self._events = 0

    def next_event(self) -> Any:
        """Return the next event, or NEED_DATA at the end of the turn.

        Raises:
            h11.RemoteProtocolError: it is not a request.
        """
        if self.is_turn_over:
            return h11.NEED_DATA
        event = super().next_event()
        self._events += isinstance(event, h11.Data)
        if not isinstance(event, h11.Request):
            return event
        target = _origin_form(event)
        headers = list(event.headers)
        names = [name for name, _ in headers]
        if b"transfer-encoding" in names and b"content-length" in names:
            # The chunks count, and the connection is closed: this is how requests are smuggled.
            headers = [header for header in headers if header[0] != b"content-length"]
            headers.append(CLOSE)
        elif target == event.target:
            return event
        version = event.http_version
        return h11.Request(
            method=event.method, headers=headers, target=target, http_version=version
        )


def _origin_form(request: h11.Request) -> bytes:
    """Return the path and query of a target; the authority of absolute-form is ignored."""
    target = request.target
    if target.startswith(b"/") or request.method == b"CONNECT":
        return target
    if target == b"*" and request.method == b"OPTIONS":
        return target
    absolute = _ABSOLUTE.fullmatch(target)
    authority = absolute and _AUTHORITY.fullmatch(absolute[1])
    if not absolute or not authority or int(authority[1] or 0) > PORT_MAXIMUM:
        raise h11.RemoteProtocolError("the request target is malformed")
    return absolute[2] if absolute[2].startswith(b"/") else b"/" + absolute[2]
