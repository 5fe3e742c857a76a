"""A request → an answer of the interface, over httpx.

httpx's transports are used without an AsyncClient around them: what that adds (cookies, redirects,
a proxy and passwords of the environment, unpacking without a bound) must not happen here.
"""

from __future__ import annotations

import asyncio
import ssl
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import httpx

from pettui.client.errors import NoAnswerError
from pettui.client.http.exchange import Exchange
from pettui.client.http.retrying import retried
from pettui.client.http.transport_errors import FAILURES, no_answer, system_reason, too_slow
from pettui.client.parsing.addresses import place, same_origin
from pettui.client.parsing.error_responses import refusal
from pettui.client.parsing.pages import pet_answer, pet_page
from pettui.client.parsing.redirects import redirect
from pettui.regular_files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pettui.client.http_messages import Request, Response
    from pettui.client.results import OnWait, PetAnswer, PetPage
    from pettui.settings import ApiKey, Limits

Read = TypeVar("Read")
CERTIFICATES_MAXIMUM = 4_000_000  # bytes
NO_CERTIFICATE = "it holds no certificate (PEM)"
LARGE = 64 * 1024  # bytes of a body


class Transport:
    """The open way to one service.

    Adds have a way of their own, which keeps no connection: one that the service closes at that
    very moment, or that still holds a part of an earlier response, would leave open what became of
    the add.
    """

    def __init__(
        self,
        reads: httpx.AsyncBaseTransport,
        adds: httpx.AsyncBaseTransport,
        base_url: str,
        limits: Limits,
    ) -> None:
        self._reads = reads
        self._adds = adds
        self._base_url = base_url
        self._place = place(base_url)
        self._limits = limits
        self._newest = "", httpx.URL("")  # address that was asked for last
        self._refusal = partial(refusal, is_in_process=isinstance(adds, httpx.ASGITransport))

    async def page(self, request: Request, key: ApiKey, on_wait: OnWait | None) -> PetPage:
        """Ask listPets, or for a further page of it."""
        return await self._ask(request, key, pet_page, on_wait)

    async def pet(self, request: Request, key: ApiKey, on_wait: OnWait | None) -> PetAnswer:
        """Ask createPet or getPet."""
        return await self._ask(request, key, pet_answer, on_wait)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._reads.aclose()
        if self._adds is not self._reads:
            await self._adds.aclose()

    async def _ask(
        self,
        request: Request,
        key: ApiKey,
        read: Callable[[Response], Read],
        on_wait: OnWait | None,
    ) -> Read:
        async def attempt() -> Response:
            response = await self._follow(request, key)
            if not response.is_success:
                raise await _aside(self._refusal, response)
            return response

        response = await retried(attempt, self._limits, is_add=request.is_add, on_wait=on_wait)
        return await _aside(read, response)

    async def _follow(self, request: Request, key: ApiKey) -> Response:
        deadline = asyncio.get_running_loop().time() + self._limits.deadline
        response = await self._send(request, request.address, key, deadline)
        for _ in range(self._limits.redirects):
            address = redirect(response)
            if address is None:
                break
            response = await self._send(request, address, key, deadline)
        return response

    async def _send(self, request: Request, address: str, key: ApiKey, deadline: float) -> Response:
        """Send one request, to the service's own origin alone."""
        if not self._is_own(address):  # the last door: the key goes nowhere else
            raise NoAnswerError("send to", place(address), "the key goes to no other origin")
        exchange = Exchange(request, address, key, self._limits, self._parsed)
        try:
            async with asyncio.timeout_at(deadline):
                return await exchange.run(self._adds if request.is_add else self._reads)
        except TimeoutError:
            failure = too_slow(exchange.progress, self._place, self._limits)
        except FAILURES as error:
            masked = exchange.masked
            failure = no_answer(error, exchange.progress, self._place, self._limits, masked)
        response = exchange.refusal(failure.reason)
        if response is None:
            raise failure
        return response

    def _parsed(self, address: str) -> httpx.URL:
        """Return an address as httpx has it: that of adds is read once, and not for each.

        Raises:
            httpx.InvalidURL: it is none.
        """
        if address != self._newest[0]:
            self._newest = address, httpx.URL(address)
        return self._newest[1]

    def _is_own(self, address: str) -> bool:
        """Whether an address has the origin of the service.

        One that goes on where the base address ends does: host and port end before that. To read
        both would be a twelfth of what an add costs.
        """
        is_below = address.startswith(f"{self._base_url}/")
        return is_below or same_origin(self._base_url, address)


async def _aside(read: Callable[[Response], Read], response: Response) -> Read:
    """Read an answer; a large one in a thread, so that the screen goes on answering keys."""
    return read(response) if len(response.body) < LARGE else await asyncio.to_thread(read, response)


def open_transport(
    way: httpx.AsyncBaseTransport | Callable[[], httpx.AsyncBaseTransport] | None,
    base_url: str,
    limits: Limits,
    proxy: str | None,
    ca_file: Path | None,
) -> Transport:
    """Open the way to a service: the network, unless another ``way``, or what makes one, is given.

    Raises:
        NoAnswerError: the CA file, or what the other way needs, cannot be opened.
    """
    try:
        if way is None:
            trusted = _trusted(ca_file, base_url)
            return Transport(
                _network(limits, trusted, proxy, kept=limits.connections),
                _network(limits, trusted, proxy, kept=0),
                base_url,
                limits,
            )
        given = way() if callable(way) else way
        return Transport(given, given, base_url, limits)
    except OSError as error:
        reason = f"{error.filename}: {system_reason(error)}" if error.filename else str(error)
    raise NoAnswerError("open the way to", place(base_url), reason)


def _trusted(ca_file: Path | None, base_url: str) -> ssl.SSLContext:
    """Give whom to trust; over plain http nobody, since reading the well-known takes 20 ms."""
    if ca_file is None and base_url.startswith("http:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_file is None:
        return httpx.create_ssl_context(trust_env=False)
    try:
        content = read_regular_file(ca_file, CERTIFICATES_MAXIMUM).content
        text = content.decode("ascii", "ignore")
        if text:  # of nothing, the well-known ones would be trusted
            return ssl.create_default_context(cadata=text)
        problem = NO_CERTIFICATE
    except ssl.SSLError:
        problem = NO_CERTIFICATE
    except OSError as error:
        problem = system_reason(error)
    raise OSError(f"the CA file {ca_file}: {problem}")


def _network(
    limits: Limits, trusted: ssl.SSLContext, proxy: str | None, *, kept: int
) -> httpx.AsyncHTTPTransport:
    is_secure = proxy is not None and proxy.startswith("https:")
    return httpx.AsyncHTTPTransport(
        verify=trusted,
        trust_env=False,
        proxy=proxy and httpx.Proxy(proxy, ssl_context=trusted if is_secure else None),
        limits=httpx.Limits(
            max_connections=limits.connections,
            max_keepalive_connections=kept,
            keepalive_expiry=limits.idle,
        ),
    )
