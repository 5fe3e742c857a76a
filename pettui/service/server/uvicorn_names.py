"""The names of uvicorn's that it does not document, and what breaks where one of them changes.

``http_protocol`` and ``http_server`` use them, and ``tests/service/server/test_http_protocol.py``
fails where one is gone, or where another one is used.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

if TYPE_CHECKING:
    from collections.abc import Mapping

UVICORN: Final[Mapping[type, Mapping[str, str]]] = MappingProxyType(
    {
        H11Protocol: {
            "conn": "requests are read as leniently as uvicorn reads them",
            "handle_events": "pipelined requests of one connection hold up all others",
            "flow": "a connection that takes no responses is read on, and piles up",
            "loop": "the rest of pipelined requests is never answered",
            "transport": "no connection is ever closed for being late",
            "cycle": "deadlines do not know what a connection waits for",
            "on_response_complete": "the deadline of a response goes on into the next request",
            "send_400_response": "what is no HTTP is answered in plain text, without an Error",
            "scope": "those with a key are closed like any other when there is no room",
            "client": "one address can take all connections",
            "scheme": "over TLS a client that ends its sending is cut before its response",
            "shutdown": "the end of the service waits for connections that do nothing",
        },
        RequestResponseCycle: {
            "response_complete": "deadlines do not know what a connection waits for",
            "more_body": "a body that stops in the middle has no deadline",
            "keep_alive": "at the end of the service a client may begin a further request",
            "default_headers": "and it is not told that the connection closes",
        },
        uvicorn.Server: {
            "startup": "uvicorn accepts by itself: without limits, deadlines and certificates",
            "servers": "the end of the service goes on accepting",
            "started": "the service never begins to serve, or does not end",
            "server_state": "connections are not seen by limits and by the end of the service",
            "shutdown": "the end of the service leaves its sockets open",
            "capture_signals": "the program dies by a signal that it should end after",
            "handle_exit": "a signal ends nothing",
        },
    }
)
