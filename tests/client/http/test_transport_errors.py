"""Exceptions that no test can bring about on every machine: each in a person's words."""

from __future__ import annotations

import errno
import socket
import ssl

import httpx
import pytest

from pettui.client.failures import Progress, no_answer, system_reason
from pettui.settings import Limits
from tests.client.hostile.checks import KEY


def caused(failure: Exception, *causes: BaseException) -> Exception:
    """Return an exception with causes, chained as httpx, httpcore and anyio do."""
    current: BaseException = failure
    for cause in causes:
        current.__cause__ = cause
        current = cause
    return failure


def tls(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, f"[SSL: {reason}]")
    error.reason = reason
    return error


def looked_up(number: int, reason: str = "") -> Exception:
    return caused(httpx.ConnectError(""), socket.gaierror(number, reason))


# What failed → what is said after "cannot", and whether it is tried again.
FAILURES: tuple[tuple[Exception, str, bool], ...] = (
    (httpx.ConnectTimeout(""), "connect to x:1: no connection within 5 s", False),
    (httpx.ReadTimeout(""), "connect to x:1: nothing was received for 10 s", False),
    (httpx.WriteTimeout(""), "connect to x:1: nothing was accepted for 10 s", False),
    (httpx.ReadError(""), "connect to x:1: the connection was dropped", True),
    (httpx.InvalidURL(KEY), "look up x:1: that is not an address", False),
    (httpx.UnsupportedProtocol(KEY), "look up x:1: that is not an address", False),
    (UnicodeError(KEY), "look up x:1: that is not an address", False),
    (
        httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'"),
        "send to x:1: the request cannot be written as HTTP",
        False,
    ),
    (
        caused(httpx.ConnectError(""), OSError("all"), OSError(errno.ECONNREFUSED, "")),
        "connect to x:1: connection refused",
        True,
    ),
    (
        ExceptionGroup("all", [OSError(errno.ENETUNREACH, ""), OSError(13, "")]),
        "connect to x:1: network is unreachable",
        True,
    ),
    (OSError(errno.EACCES, ""), "connect to x:1: permission denied", False),
    (looked_up(socket.EAI_NONAME), "look up x:1: no such host name", False),
    (looked_up(socket.EAI_AGAIN), "look up x:1: the name server does not respond", True),
    (looked_up(socket.EAI_FAMILY, "no family"), "look up x:1: no family", False),
    (
        tls("WRONG_VERSION_NUMBER"),
        "connect to x:1: the server does not use TLS; is the address http?",
        False,
    ),
    (tls("TLSV1_ALERT_PROTOCOL_VERSION"), "connect to x:1: tlsv1 alert protocol version", False),
)


@pytest.mark.parametrize(("failure", "said", "transient"), FAILURES)
async def test_a_failure_is_reported_in_plain_words(
    failure: Exception, said: str, transient: bool
) -> None:
    progress = Progress(is_secure=False, is_add=True)
    progress.begin()
    await progress("connection.connect_tcp.started", {})
    error = no_answer(failure, progress, "x:1", Limits())
    assert str(error) == f"cannot {said}"
    assert error.transient is transient
    assert not error.maybe_sent


def test_an_error_of_the_system_without_a_number_is_reported_in_its_own_words() -> None:
    assert system_reason(OSError("No room")) == "no room"
    assert system_reason(OSError()) == "it failed"
