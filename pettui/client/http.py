"""HTTP: sends requests to one service, and reads its responses within bounds.

httpx's transports are used without an AsyncClient around them: what that adds (cookies, redirects,
a proxy and passwords of the environment, decompression without a bound) must not happen here.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
import time
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import httpx

from pettui import __version__
from pettui.client.errors import NoAnswerError, note_maybe_sent
from pettui.client.failures import FAILURES, Progress, deadline_passed, no_answer, system_reason
from pettui.client.headers import host_and_port, is_to_another_key, redirect_target, same_origin
from pettui.client.parsing import pet_answer, pet_page, response_error
from pettui.client.request_log import BODY_KEPT, LoggedRequest
from pettui.client.requests import (
    IDEMPOTENCY_KEY,
    NEVER,
    Deadline,
    Destination,
    Response,
    in_bytes,
)
from pettui.client.retrying import retried
from pettui.system.files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from ssl import SSLContext

    from pettui.client.request_log import RequestLog
    from pettui.client.requests import PetAnswer, PetPage, Request
    from pettui.client.retrying import OnWait, PendingRetry
    from pettui.settings.settings import ApiKey

Result = TypeVar("Result")
LARGE = 64 * 1024  # bytes of a body


class Transport:
    """All requests to one service, and its responses.

    Adds that nobody promised to carry out once have an httpx transport of their own, which keeps no
    connection: one that the service closes at that very moment, or that still holds a part of an
    earlier response, would leave it unknown whether the animal was added.
    """

    def __init__(
        self,
        to: Destination,
        kept_alive: httpx.AsyncBaseTransport,
        adds: httpx.AsyncBaseTransport,
        log: RequestLog,
        trust: Trust | None = None,
    ) -> None:
        self._to = to
        self._kept_alive = kept_alive
        self._adds = adds
        self._log = log
        self._trust = trust
        self._host_and_port = host_and_port(to.base_url)

    @property
    def trusted(self) -> str:
        """Whom it trusts over TLS, in words."""
        return "" if self._trust is None else self._trust.source

    async def aclose(self) -> None:
        """Close the connections."""
        await self._kept_alive.aclose()
        if self._adds is not self._kept_alive:
            await self._adds.aclose()

    async def call(
        self, request: Request, key: ApiKey, on_wait: OnWait | None = None, end: Deadline = NEVER
    ) -> PetPage | PetAnswer:
        """Call an operation, and parse its response."""
        limits = self._to.limits

        async def attempt() -> Response:
            deadline = min(Deadline.after(limits.deadline), end)
            response = await self._send(request, request.address, key, deadline)
            for _ in range(limits.redirects):
                address = redirect_target(response)
                if address is None:
                    break
                response = await self._send(request, address, key, deadline)
            if not response.is_success:
                raise await _parsed(response_error, response)
            return response

        def waits(retry: PendingRetry) -> None:
            if asyncio.get_running_loop().time() + retry.seconds >= end.at:
                raise retry.error  # the call ends before the next attempt
            if on_wait is not None:
                on_wait(retry)

        response = await retried(
            attempt,
            limits,
            is_add=request.is_add,
            is_added_once=request.store_id is not None,
            on_wait=waits,
        )
        return await _parsed(pet_page if request.is_list else pet_answer, response)

    async def _send(
        self, request: Request, address: str, key: ApiKey, deadline: Deadline
    ) -> Response:
        """Send one request, to the service's own origin alone."""
        if not self._is_own(address):  # the last check: the key goes nowhere else
            reason = "the key goes to no other origin"
            raise NoAnswerError("send to", host_and_port(address), reason)
        progress = Progress(
            is_secure=address.startswith("https:"),
            is_add=request.is_add,
            proxy="" if self._to.proxy is None else host_and_port(self._to.proxy),
            remedy="" if self._trust is None else self._trust.remedy,
        )
        exchange = Exchange(request, address, key, self._to, progress)
        failure = "stopped before there was a response"  # unless something else ends it
        try:
            is_unsafe = request.is_add and request.store_id is None
            response = await self._response_to(
                exchange, deadline, self._adds if is_unsafe else self._kept_alive
            )
            failure = response.body_error or ""
        except NoAnswerError as error:
            failure = str(error)
            raise
        except asyncio.CancelledError as error:
            if exchange.progress.maybe_sent:
                note_maybe_sent(error)
            raise
        finally:
            self._log.add(exchange.logged(failure))
        return response

    async def _response_to(
        self, exchange: Exchange, deadline: Deadline, transport: httpx.AsyncBaseTransport
    ) -> Response:
        try:
            async with asyncio.timeout_at(deadline.when):
                return await exchange.run(transport)
        except TimeoutError:
            failure = deadline_passed(exchange.progress, self._host_and_port, deadline.reason)
        except FAILURES as error:
            failure = no_answer(
                error, exchange.progress, self._host_and_port, self._to.limits, exchange.masked
            )
        response = exchange.partial_refusal(failure.reason)
        if response is None:
            raise failure
        return response

    def _is_own(self, address: str) -> bool:
        """Whether an address has the origin of the service.

        One that continues the base address does, since that contains the host and the port.
        Parsing both would be a twelfth of what an add costs.
        """
        is_below = address.startswith(f"{self._to.base_url}/")
        return is_below or same_origin(self._to.base_url, address)


async def _parsed(parse: Callable[[Response], Result], response: Response) -> Result:
    """Parse a response; a large one in a thread, so that the screen goes on responding to keys."""
    if len(response.body) < LARGE:
        return parse(response)
    return await asyncio.to_thread(parse, response)


# ── One request and its response ──────────────────────────────────────────────────────────────────

_HEADERS: Final[Mapping[str, str]] = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": f"pettui/{__version__}",
}


_CHUNKS_AT_ONCE: Final = 64  # of a body, before the event loop runs other tasks


class Exchange:
    """One request and its response, from the first byte that goes out to the last that comes in."""

    def __init__(
        self,
        request: Request,
        address: str,  # a redirect leads to another than the request's own
        key: ApiKey,
        to: Destination,
        progress: Progress,
    ) -> None:
        self.progress = progress
        self._request = request
        self._address = address
        self._key = key
        self._to = to
        self._at = time.time()
        self._started = time.perf_counter()
        self._sent_headers: tuple[tuple[str, str], ...] = ()  # without the key
        self._content = b""
        self._received: httpx.Response | None = None
        self._body = bytearray()
        self._body_error: str | None = None  # why there will be no more of it
        self._read: Response | None = None  # up to its end, its bound, or where reading failed

    async def run(self, transport: httpx.AsyncBaseTransport) -> Response:
        """Send the request, and read the response up to its end or its bound."""
        if isinstance(transport, httpx.AsyncHTTPTransport):
            self.progress.begin()
        response = await transport.handle_async_request(self._httpx_request())
        self._received = response
        try:
            await self._read_body(response)
            await close_if_trailing(response)
            await self._check_key(response)
        finally:
            await response.aclose()
        self._read = self._response(response)
        return self._read

    async def _read_body(self, response: httpx.Response) -> None:
        """Read a body until its end, or until there is an error.

        The request asks for ``Accept-Encoding: identity``. A body that is compressed all the same
        is not unpacked: 64 kB of gzip can hold 60 MB.
        """
        encoding = self.masked(response.headers.get("content-encoding", "")).strip().lower()
        if encoding not in ("", "identity"):
            self._body_error = f"compressed as {encoding[:40]}, which was not asked for"
        maximum, count = self._to.limits.body, 0
        async for chunk in response.stream:  # type: ignore[union-attr]
            if self._body_error is not None:
                return
            self._body += chunk
            if len(self._body) > maximum:
                del self._body[maximum:]
                self._body_error = f"more than {in_bytes(maximum)}"
            count += 1
            if count % _CHUNKS_AT_ONCE == 0:
                await asyncio.sleep(0)

    async def _check_key(self, response: httpx.Response) -> None:
        """Close the connection of a response to another request, which came twice over it.

        ``close_if_trailing`` cannot see what arrives later.

        Raises:
            NoAnswerError: the response has another idempotency key than the request.
        """
        if is_to_another_key(
            self._request.idempotency_key, response.headers.get_list(IDEMPOTENCY_KEY)
        ):
            if (network_stream := response.extensions.get("network_stream")) is not None:
                await network_stream.aclose()
            raise NoAnswerError(
                self.progress.step,
                host_and_port(self._address),
                "the response is to another request",
                maybe_sent=self.progress.maybe_sent,
                transient=True,
            )

    def partial_refusal(self, body_error: str) -> Response | None:
        """Return what was received of a response that is no success; None where there is none.

        What ended the reading, the ``body_error``, does not hide the status.
        """
        if self._received is None:
            return None
        self._body_error = body_error
        self._read = self._response(self._received)
        return None if self._read.is_success else self._read

    def _response(self, response: httpx.Response) -> Response:
        return Response(
            self._request,
            self._address,
            response.status_code,
            tuple((name.lower(), self.masked(v)) for name, v in response.headers.multi_items()),
            self._masked_bytes(bytes(self._body)),
            self._body_error,
            time.perf_counter() - self._started,
            self._to.limits,
        )

    def logged(self, failure: str) -> LoggedRequest:
        """Return what went out and what came back so far, for the log of requests."""
        response = self._read
        if response is None and self._received is not None:
            response = self._response(self._received)  # not the whole of it
        return LoggedRequest(
            at=self._at,
            method=self._request.method,
            address=self.masked(self._address),
            sent_headers=self._sent_headers,
            sent_body=self._masked_bytes(self._content),
            elapsed=time.perf_counter() - self._started if response is None else response.elapsed,
            status=None if response is None else response.status,
            headers=() if response is None else response.headers,
            body=b"" if response is None else response.body[:BODY_KEPT],
            size=0 if response is None else len(response.body),
            failure=failure,
        )

    def masked(self, text: str) -> str:
        """Return a text from outside without the key, which the service may have sent back."""
        return self._key.mask(text) if self._key.is_long_enough else text

    def _masked_bytes(self, body: bytes) -> bytes:
        return self._key.mask_bytes(body) if self._key.is_long_enough else body

    def _httpx_request(self) -> httpx.Request:
        url = httpx.URL(self._address)
        key = self._key.reveal()
        headers = {**_HEADERS, **self._to.headers}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        # Set here, since httpx would decode the host's name for it, and not every name can be.
        headers["Host"] = url.netloc.decode("ascii")
        headers |= self._request.own_headers()
        content = None
        if self._request.new_pet is not None:
            content = json.dumps(self._request.new_pet.body(), ensure_ascii=False).encode()
            headers["Content-Type"] = "application/json"
            self._content = content
        masked = dict.fromkeys(self._to.headers, "***")
        masked |= {"Authorization": "Bearer ***"} if key else {}
        self._sent_headers = tuple({**headers, **masked}.items())
        limits = self._to.limits
        timeout = httpx.Timeout(limits.silence, connect=limits.connect, pool=None)
        return httpx.Request(
            self._request.method,
            url,
            headers=headers,
            content=content,
            extensions={"timeout": timeout.as_dict(), "trace": self.progress},
        )


# ── Data after the end of a response is never taken for the response to the next request ──────────

_PROTOCOL: Final = attrgetter("_httpcore_stream._stream._connection._h11_state")


async def close_if_trailing(response: httpx.Response) -> None:
    """Close the connection of a response that was read if more than that came over it.

    httpcore checks the socket before it uses a connection again, but not what it has already read
    from it: a response that was sent twice would be taken for that to the next request, and so on
    with each that follows.
    """
    network_stream = response.extensions.get("network_stream")
    if network_stream is not None and _has_trailing_data(response):
        await network_stream.aclose()


def _has_trailing_data(response: httpx.Response) -> bool:
    """Whether h11 has more data; neither httpx nor httpcore exposes it, hence their private names.

    If those change, there may be some: then no connection is used twice, and the test that reads
    share one fails.
    """
    try:
        trailing, _ = _PROTOCOL(response.stream).trailing_data
    except AttributeError:
        return True
    return bool(trailing)


# ── Connections, certificates and proxy ───────────────────────────────────────────────────────────

_OF_ANOTHER_LOOP: Final = (
    "the transport belongs to another event loop, where the client was not closed; give PetClient a"
    " function that makes one"
)


def open_transport(
    transport: httpx.AsyncBaseTransport | Callable[[], httpx.AsyncBaseTransport] | None,
    to: Destination,
    log: RequestLog,
    *,
    is_elsewhere: bool,
) -> Transport:
    """Open the transport to a service: the network, unless another, or what makes one, is given.

    Args:
        transport: one that is given, or what makes it.
        to: the service.
        log: of all requests.
        is_elsewhere: the one that is given is open in another event loop, to which its connections
            belong; those of an app in this process, which has none, serve any.

    Raises:
        NoAnswerError: the CA file, or what the other transport needs, cannot be opened.
    """
    if is_elsewhere and isinstance(transport, httpx.AsyncHTTPTransport):
        raise NoAnswerError("connect to", host_and_port(to.base_url), _OF_ANOTHER_LOOP)
    try:
        if transport is not None:
            given = transport() if callable(transport) else transport
            return Transport(to, given, given, log)
        trust = trust_of(to.ca_file, to.base_url)
        kept_alive = _network(to, trust.context, keep_alive=to.limits.connections)
        return Transport(to, kept_alive, _network(to, trust.context, keep_alive=0), log, trust)
    except OSError as error:
        reason = f"{error.filename}: {system_reason(error)}" if error.filename else str(error)
    raise NoAnswerError("connect to", host_and_port(to.base_url), reason)


def _network(to: Destination, trusted: SSLContext, *, keep_alive: int) -> httpx.AsyncHTTPTransport:
    proxy = to.proxy
    is_secure = proxy is not None and proxy.startswith("https:")
    return httpx.AsyncHTTPTransport(
        verify=trusted,
        trust_env=False,
        proxy=proxy and httpx.Proxy(proxy, ssl_context=trusted if is_secure else None),
        limits=httpx.Limits(
            max_connections=to.limits.connections,
            max_keepalive_connections=keep_alive,
            keepalive_expiry=to.limits.idle,
        ),
    )


# Whom the client trusts over TLS: a CA file, else the system's authorities, else certifi's.
#
# What the system trusts goes by ``ssl``'s defaults, so that ``SSL_CERT_FILE`` and ``SSL_CERT_DIR``
# say it here as they do to curl. certifi's list is for systems that have none.

CERTIFICATES_MAXIMUM: Final = 4_000_000  # bytes
NO_CERTIFICATE: Final = "it holds no certificate (PEM)"
_KEY_LOG: Final = "SSLKEYLOGFILE"
_HASHED: Final = re.compile(r"[0-9a-f]{8}\.[0-9]+")  # what OpenSSL looks for in a directory


class Trust(NamedTuple):
    """Who is trusted."""

    context: ssl.SSLContext
    source: str  # in words; "" over plain http
    remedy: str  # in words, behind what is wrong with a certificate


def trust_of(ca_file: Path | None, base_url: str) -> Trust:
    """Return who is trusted: over plain http nobody, since loading the usual ones takes 20 ms.

    Raises:
        OSError: the CA file cannot be read, or has no certificate; or the log of keys cannot be
            written, where the environment asks for one.
    """
    if ca_file is not None:
        return _of_file(ca_file)
    if base_url.startswith("http:"):
        return Trust(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), "", "")
    return _of_system()


def _of_file(ca_file: Path) -> Trust:
    """Return the trust in a file of one's own, as curl has it.

    Authorities of a house rarely have all extensions that VERIFY_X509_STRICT, a default since
    Python 3.13, asks for.
    """
    try:
        content = read_regular_file(ca_file, CERTIFICATES_MAXIMUM).content
    except OSError as error:
        raise OSError(f"the CA file {ca_file}: {system_reason(error)}") from None
    text = content.decode("ascii", "ignore")
    try:
        # With an empty text, the system's authorities would be trusted.
        context = _as_curl(text) if text else None
    except ssl.SSLError:
        context = None
    if context is None:
        raise OSError(f"the CA file {ca_file}: {NO_CERTIFICATE}")
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    source = f"ca_file {ca_file}, as curl does: without VERIFY_X509_STRICT"
    return Trust(context, source, f"ca_file {ca_file} names whom to trust")


def _of_system() -> Trust:
    context = _as_curl()
    paths = ssl.get_default_verify_paths()
    file = os.environ.get(paths.openssl_cafile_env, "")
    directory = os.environ.get(paths.openssl_capath_env, "")
    remedy = f"ca_file of its profile, or {paths.openssl_cafile_env}, names whom to trust"
    directories = (directory or paths.openssl_capath).split(os.pathsep)
    if not (context.cert_store_stats()["x509"] or any(map(_HASHED.fullmatch, _in(directories)))):
        path, authorities = read_authorities()
        context.load_verify_locations(cadata=authorities)
        return Trust(context, f"certifi's authorities ({path})", remedy)
    named = ((paths.openssl_cafile_env, file), (paths.openssl_capath_env, directory))
    set_to = ", ".join(f"{variable} {value}" for variable, value in named if value)
    return Trust(context, f"the system's authorities ({set_to or 'its defaults'})", remedy)


@cache
def read_authorities() -> tuple[str, str]:
    """Return certifi's list and its path, as it was at the first call."""
    import certifi  # noqa: PLC0415 - of systems without any

    return certifi.where(), certifi.contents()


def _as_curl(authorities: str | None = None) -> ssl.SSLContext:
    """Return a context that ends at any trusted certificate, as each does since Python 3.13.

    Raises:
        ssl.SSLError: none of the authorities is one.
        OSError: the file in which the environment wants the keys of connections cannot be written.
    """
    try:
        context = ssl.create_default_context(cadata=authorities)
    except ssl.SSLError:
        raise
    except OSError as error:  # it is the only file that is opened
        path = os.environ.get(_KEY_LOG, "")
        raise OSError(f"{_KEY_LOG} {path}: {system_reason(error)}") from None
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


def _in(directories: Iterable[str]) -> Iterator[str]:
    for directory in directories:
        try:
            yield from os.listdir(directory)  # noqa: PTH208 - names are all that is wanted
        except OSError:  # it may be missing, as for OpenSSL
            continue
