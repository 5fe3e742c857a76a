"""Sends requests to one service, and returns what its responses mean.

httpx's transports are used without an AsyncClient around them: what that adds (cookies, redirects,
a proxy and passwords of the environment, decompression without a bound) must not happen here.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import httpx

from pettui.client.errors import NoAnswerError
from pettui.client.http.exchange import Exchange
from pettui.client.http.retrying import retried
from pettui.client.http.transport_errors import FAILURES, deadline_passed, no_answer
from pettui.client.parsing.addresses import host_and_port, same_origin
from pettui.client.parsing.error_responses import response_error
from pettui.client.parsing.pages import pet_answer, pet_page
from pettui.client.parsing.redirects import redirect_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.client.http_messages import Request, Response
    from pettui.client.results import OnWait, PetAnswer, PetPage
    from pettui.settings import ApiKey, Limits

Result = TypeVar("Result")
LARGE = 64 * 1024  # bytes of a body


class Transport:
    """All requests to one service, and its responses.

    Adds have an httpx transport of their own, which keeps no connection: one that the service
    closes at that very moment, or that still holds a part of an earlier response, would leave it
    unknown whether the animal was added.
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
        self._host_and_port = host_and_port(base_url)
        self._limits = limits
        self._last_parsed = "", httpx.URL("")  # the address of the last request
        self._error = partial(response_error, is_in_process=isinstance(adds, httpx.ASGITransport))

    async def page(self, request: Request, key: ApiKey, on_wait: OnWait | None) -> PetPage:
        """Call listPets, or load a further page of it."""
        return await self._call(request, key, pet_page, on_wait)

    async def pet(self, request: Request, key: ApiKey, on_wait: OnWait | None) -> PetAnswer:
        """Call createPet or getPet."""
        return await self._call(request, key, pet_answer, on_wait)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._reads.aclose()
        if self._adds is not self._reads:
            await self._adds.aclose()

    async def _call(
        self,
        request: Request,
        key: ApiKey,
        parse: Callable[[Response], Result],
        on_wait: OnWait | None,
    ) -> Result:
        async def attempt() -> Response:
            response = await self._follow_redirects(request, key)
            if not response.is_success:
                raise await _parsed(self._error, response)
            return response

        response = await retried(attempt, self._limits, is_add=request.is_add, on_wait=on_wait)
        return await _parsed(parse, response)

    async def _follow_redirects(self, request: Request, key: ApiKey) -> Response:
        deadline = asyncio.get_running_loop().time() + self._limits.deadline
        response = await self._send(request, request.address, key, deadline)
        for _ in range(self._limits.redirects):
            address = redirect_target(response)
            if address is None:
                break
            response = await self._send(request, address, key, deadline)
        return response

    async def _send(self, request: Request, address: str, key: ApiKey, deadline: float) -> Response:
        """Send one request, to the service's own origin alone."""
        if not self._is_own(address):  # the last check: the key goes nowhere else
            reason = "the key goes to no other origin"
            raise NoAnswerError("send to", host_and_port(address), reason)
        exchange = Exchange(request, address, key, self._limits, self._parse_address)
        try:
            async with asyncio.timeout_at(deadline):
                return await exchange.run(self._adds if request.is_add else self._reads)
        except TimeoutError:
            failure = deadline_passed(exchange.progress, self._host_and_port, self._limits)
        except FAILURES as error:
            failure = no_answer(
                error, exchange.progress, self._host_and_port, self._limits, exchange.masked
            )
        response = exchange.partial_refusal(failure.reason)
        if response is None:
            raise failure
        return response

    def _parse_address(self, address: str) -> httpx.URL:
        """Return an address as httpx's type; all adds have the same one, which is parsed once.

        Raises:
            httpx.InvalidURL: it is not an address.
        """
        if address != self._last_parsed[0]:
            self._last_parsed = address, httpx.URL(address)
        return self._last_parsed[1]

    def _is_own(self, address: str) -> bool:
        """Whether an address has the origin of the service.

        One that continues the base address does, since that contains the host and the port.
        Parsing both would be a twelfth of what an add costs.
        """
        is_below = address.startswith(f"{self._base_url}/")
        return is_below or same_origin(self._base_url, address)


async def _parsed(parse: Callable[[Response], Result], response: Response) -> Result:
    """Parse a response; a large one in a thread, so that the screen goes on responding to keys."""
    if len(response.body) < LARGE:
        return parse(response)
    return await asyncio.to_thread(parse, response)
