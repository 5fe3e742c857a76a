"""The undocumented names of uvicorn's that are used here, and what breaks if one changes.

``http_protocol`` and ``http_server`` use them, and ``tests/service/server/test_http_protocol.py``
fails if one is gone, or if another one is used.
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
            "flow": "requests of a client that receives no responses pile up",
            "loop": "the rest of pipelined requests never gets a response",
            "transport": "no connection is ever closed for being late",
            "cycle": "deadlines do not know what a connection waits for",
            "on_response_complete": "the deadline of a response applies to the next request",
            "send_400_response": "the response to malformed HTTP is plain text, not an Error",
            "scope": "connections with a valid key are closed like any other when there is no room",
            "client": "one address can take all connections",
            "scheme": "over TLS a client that half-closes is closed before its response",
            "shutdown": "the end of the service waits for idle connections",
        },
        RequestResponseCycle: {
            "response_complete": "deadlines do not know what a connection waits for",
            "more_body": "an incomplete body has no deadline",
            "keep_alive": "at the end of the service a client may start another request",
            "default_headers": "the service does not announce that it closes a connection",
        },
        uvicorn.Server: {
            "startup": "uvicorn accepts by itself: without limits, deadlines and certificates",
            "servers": "the service accepts connections while it ends",
            "started": "the service never begins to serve, or does not end",
            "server_state": "limits and the end of the service ignore connections",
            "shutdown": "the end of the service leaves its sockets open",
            "capture_signals": "the program dies by a signal instead of exiting normally",
            "handle_exit": "a signal stops nothing",
        },
    }
)
