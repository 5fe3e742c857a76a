"""How far a request got, and why it failed, in plain words.

The text of an exception that could quote a request is never passed on: h11 quotes an illegal
header, and the key is in one.
"""

from __future__ import annotations

import errno
import os
import re
import socket
import ssl
from typing import TYPE_CHECKING, Final

import httpx

from pettui.client.errors import NoAnswerError
from pettui.system.files import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import h11

    from pettui.settings.settings import Limits

_STEPS: Final[Mapping[str, str]] = {
    "connect_tcp": "connect to",
    "start_tls": "agree on TLS with",
    "send_request_headers": "send to",
    "receive_response_headers": "read from",
}
FAILURES: Final = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, UnicodeError)
_NO_SUCH_NAME: Final = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
_OF_ITS_OWN: Final = {9, 10, 23, 62, 63, 64}  # X509_V_ERR_…: its dates, revoked, its host's name
_QUOTED_BYTES: Final = re.compile(
    r"""(?:bytearray\()?\bb(['"])(.*)\1\)?"""
)  # as Python writes them
_DETAIL_LENGTH: Final = 160  # characters of what h11 found wrong


class Progress:
    """A ``trace`` extension of httpcore: the current step, and whether an add may be out."""

    def __init__(self, *, is_secure: bool, is_add: bool, proxy: str = "", remedy: str = "") -> None:
        """Note nothing yet.

        Args:
            is_secure: the request goes over https; only then can there be a proxy.
            is_add: it is an add.
            proxy: host and port of one.
            remedy: what helps where a certificate is not trusted, in words.
        """
        self.remedy = remedy
        self._is_secure = is_secure
        self._proxy = proxy
        self._is_at_proxy = False  # not through it yet: what fails is the proxy
        self._is_add = is_add
        self.step = "read from"
        self.maybe_sent = is_add  # as far as is known: an app in this process reports nothing

    def begin(self) -> None:
        """Note that a request waits for a connection, of a transport that reports the rest."""
        self.step, self.maybe_sent = "get a free connection to", False
        self._is_at_proxy = False

    def at(self, step: str, address: str) -> tuple[str, str]:
        """Return a step and whose it is: the service's at an address, or the proxy's."""
        return (f"{step} the proxy", self._proxy) if self._is_at_proxy else (step, address)

    async def __call__(self, event: str, info: Mapping[str, object]) -> None:
        """Note an event, such as ``connection.connect_tcp.started``."""
        name, stage = event.split(".")[-2:]
        if stage != "started":
            return
        import httpcore  # noqa: PLC0415 - the embedded store does without

        self.step = _STEPS.get(name, self.step)
        if name == "connect_tcp":
            self._is_at_proxy = self._is_secure and bool(self._proxy)
        request = info.get("request")
        is_to_proxy = isinstance(request, httpcore.Request) and request.method == b"CONNECT"
        if self._is_secure and is_to_proxy:
            # httpcore's own request to a proxy: neither the service nor its key is involved.
            self.step, self._is_at_proxy = "go through the proxy to", False
        elif name == "send_request_headers":
            self.maybe_sent = self._is_add


def no_answer(
    failure: Exception,
    progress: Progress,
    address: str,
    limits: Limits,
    masked: Callable[[str], str] = str,
) -> NoAnswerError:
    """Return what happened as one error of the tree: the step, the address, and a reason.

    ``masked`` removes the key from a text from outside before that is cut, since a part of the key
    would not be recognised.
    """
    step, reason, transient = _explained(failure, progress, limits, masked)
    step, address = progress.at(step, address)
    return NoAnswerError(step, address, reason, maybe_sent=progress.maybe_sent, transient=transient)


def deadline_passed(progress: Progress, address: str, reason: str) -> NoAnswerError:
    """Return the error of a call that did not end before its deadline."""
    step, address = progress.at(progress.step, address)
    return NoAnswerError(step, address, reason, maybe_sent=progress.maybe_sent)


def system_reason(error: OSError) -> str:
    """Return why a system call failed, without the address that asyncio says in its place."""
    return reason_of(OSError(error.errno, os.strerror(error.errno)) if error.errno else error)


def _explained(
    failure: Exception, progress: Progress, limits: Limits, masked: Callable[[str], str]
) -> tuple[str, str, bool]:
    """Return the step, the reason, and whether the failure is transient."""
    import h11  # noqa: PLC0415 - the embedded store speaks no HTTP/1.1, and fails less

    if isinstance(failure, httpx.TimeoutException):
        return progress.step, _time_out(failure, limits), False
    if isinstance(failure, httpx.ProxyError):
        detail = masked(str(failure))[:80]
        return "go through the proxy to", f"the proxy answered {detail}", False
    for cause in _causes(failure):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "trust", _distrust(cause, progress, masked), False
        if isinstance(cause, ssl.SSLError):
            return progress.step, _tls_reason(cause), False
        if isinstance(cause, socket.gaierror):
            return _look_up(cause)
        if isinstance(cause, h11.RemoteProtocolError):
            return progress.step, *_protocol_reason(cause, masked)
        if isinstance(cause, OSError) and cause.errno:
            return progress.step, system_reason(cause), cause.errno != errno.EACCES
    return _without_cause(failure, progress)


def _distrust(
    error: ssl.SSLCertVerificationError, progress: Progress, masked: Callable[[str], str]
) -> str:
    """Return why a certificate is not trusted, and what helps where it is the authority."""
    reason = masked(error.verify_message).rstrip(".").lower()
    if error.verify_code in _OF_ITS_OWN or not progress.remedy:
        return reason
    return f"{reason}; {progress.remedy}"


def _without_cause(failure: Exception, progress: Progress) -> tuple[str, str, bool]:
    if isinstance(failure, httpx.InvalidURL | httpx.UnsupportedProtocol | UnicodeError):
        return "look up", "that is not an address", False
    if isinstance(failure, httpx.LocalProtocolError):
        return "send to", "the request cannot be written as HTTP", False
    if isinstance(failure, httpx.RemoteProtocolError):
        return progress.step, "the connection was closed without a response", True
    return progress.step, "the connection was dropped", True


def _time_out(failure: httpx.TimeoutException, limits: Limits) -> str:
    if isinstance(failure, httpx.ConnectTimeout):
        return f"no connection within {limits.connect:g} s"
    verb = "accepted" if isinstance(failure, httpx.WriteTimeout) else "received"
    return f"nothing was {verb} for {limits.silence:g} s"


def _look_up(error: socket.gaierror) -> tuple[str, str, bool]:
    if error.errno in _NO_SUCH_NAME:
        return "look up", "no such host name", False
    is_transient = error.errno == socket.EAI_AGAIN
    reason = "the name server does not respond" if is_transient else (error.strerror or "it failed")
    return "look up", reason, is_transient


def _tls_reason(error: ssl.SSLError) -> str:
    known: Mapping[str, str] = {
        "WRONG_VERSION_NUMBER": "the server does not use TLS; is the address http?",
        "RECORD_LAYER_FAILURE": "the server does not use TLS; is the address http?",
        "UNEXPECTED_EOF_WHILE_READING": "the connection was closed",
    }
    reason = error.reason or "TLS failed"
    return known.get(reason, reason.lower().replace("_", " "))


def _protocol_reason(
    error: h11.RemoteProtocolError, masked: Callable[[str], str]
) -> tuple[str, bool]:
    detail = masked(str(error))
    if detail.startswith(("peer closed connection", "peer unexpectedly closed")):
        return "the connection was closed in the middle of the response", True
    if error.error_status_hint == 431 or detail.startswith("Receive buffer too long"):
        return "its headers are too long (more than 100 kB)", False
    detail = _QUOTED_BYTES.sub(r"\2", detail)
    return f"it does not send HTTP ({detail[:_DETAIL_LENGTH]})", False


def _causes(failure: BaseException) -> Iterator[BaseException]:
    """Return an exception and its causes; of a group, the first exception."""
    current: BaseException | None = failure
    while current is not None:
        yield current
        if isinstance(current, BaseExceptionGroup):
            current = current.exceptions[0]
        else:
            current = current.__cause__ or current.__context__
