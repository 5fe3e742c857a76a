"""PetClient: the interface's three operations; a call returns a result or raises."""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from contextvars import Context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias
from urllib.parse import urlencode, urlsplit

from pettui.client.errors import ErrorBodyError, IncompleteListError, NoAnswerError, NoKeyError
from pettui.client.request_log import RequestLog
from pettui.client.requests import (
    NEVER,
    VISITED_KEPT,
    Deadline,
    Destination,
    PetAnswer,
    PetPage,
    Request,
    is_store_id,
    structured_string,
)
from pettui.client.retrying import PendingRetry
from pettui.models.pets import NewPet, Pet, PetStatus, UnreadablePet, int64, pet_status
from pettui.settings.settings import (
    LIMIT_BOUNDS,
    LIMIT_DEFAULT,
    LIMIT_MAXIMUM,
    LIMIT_MINIMUM,
    ApiKey,
    Limits,
    is_bearer_token,
)
from pettui.system.addresses import base_address, service_proxy

if TYPE_CHECKING:
    import httpx

    from pettui.client.http import Transport

    GivenTransport: TypeAlias = httpx.AsyncBaseTransport | Callable[[], httpx.AsyncBaseTransport]
else:  # whoever asks for the types of the arguments gets them without httpx
    GivenTransport: TypeAlias = Any
OnWait: TypeAlias = Callable[[PendingRetry], None]

# A service may filter behind its pages, so that some are empty; it may also link them without end.
BARREN_PAGES_MAXIMUM: Final = 200


_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110, 5.6.2
_HEADER_VALUE: Final = re.compile(r"(?:[!-~](?:[ !-~]*[!-~])?)?")
_OWN_HEADERS: Final = frozenset(
    {
        "accept", "accept-encoding", "authorization", "connection", "content-length",
        "content-type", "expect", "host", "idempotency-key", "keep-alive", "pettui-store",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip


class PetClient:
    """The store service's client.

    Making one costs nothing: httpx is imported, and the connection opened, at the first call.
    ``async with`` closes it. It may be used in one event loop after the other, and in several
    threads' at once: each has connections of its own. A call that fails raises ``PetClientError``,
    and nothing else. Reads are tried again as ``Limits`` says; ``on_wait`` is called before each
    wait, and cancelling the call's task ends it.
    """

    def __init__(
        self,
        base_url: str,
        api_key: ApiKey | str,
        *,
        transport: GivenTransport | None = None,
        limits: Limits | None = None,
        proxy: str | None = None,
        ca_file: Path | str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        why_no_key: str = "",
    ) -> None:
        """Create the client of a service; nothing is opened yet.

        Args:
            base_url: ``http`` or ``https``, ending in ``/v1``.
            api_key: the bearer key, one word of visible ASCII.
            transport: in place of the network, or what makes it: called once in an event loop, in a
                thread of its own, at the first call.
            limits: how much of a response is accepted, and how long the client tries for it.
            proxy: address of an HTTP proxy, for a service over https alone. None of the
                environment is ever used.
            ca_file: certificates (PEM) to trust in place of those that the system does, which go by
                ``SSL_CERT_FILE`` and ``SSL_CERT_DIR``; certifi's where it has none.
            headers: further ones of each request, such as those that a gateway wants. They go to
                the service's own origin alone, and the log has ``***`` for their values.
            timeout: seconds in which each call returns or raises, with all its attempts and waits;
                by default ``Limits`` bound each attempt. A call's own ``timeout`` goes before it.
            why_no_key: for a client without a key, which is empty then: every call raises
                ``NoKeyError`` with this reason, until ``with_key``.

        Raises:
            ValueError: the address, the key, the proxy, a header or the time can't be used; the
                message contains none of them, but the header's name.
            TypeError: an argument is of another type.
        """
        _check_type("base_url", base_url, str, "text")
        _check_type("limits", limits, (Limits, type(None)), "a Limits or None")
        _check_type("proxy", proxy, (str, type(None)), "text or None")
        _check_type("ca_file", ca_file, (str, Path, type(None)), "a path or None")
        if not (
            transport is None
            or callable(transport)
            or callable(getattr(transport, "handle_async_request", None))
        ):
            raise TypeError("transport must be an httpx.AsyncBaseTransport, or what makes one")
        self._base_url = _checked_address(base_url)
        self._why_no_key = why_no_key
        self._key = ApiKey("") if why_no_key else _checked_key(api_key)
        if proxy is not None:
            _check_proxy(proxy, self._base_url)
        self._timeout = _checked_timeout(timeout)
        self.log = RequestLog()  # of all requests, also those of ``with_key``
        self._transport = _LazyTransport(
            transport,
            Destination(
                self._base_url,
                limits or Limits(),
                proxy,
                None if ca_file is None else Path(ca_file),
                _checked_headers(headers),
            ),
            self.log,
        )

    async def trusted(self) -> str:
        """Return whom it trusts over TLS, in words; "" over plain http, or for another transport.

        Raises:
            NoAnswerError: the CA file can't be used.
        """
        return (await self._transport.opened()).trusted

    @property
    def api_key(self) -> ApiKey:
        """The key that is sent."""
        return self._key

    @property
    def has_key(self) -> bool:
        """Whether there is a key to send."""
        return not self._why_no_key

    def with_key(self, api_key: ApiKey | str) -> Self:
        """Return a client of the same service with another key.

        The two share their connections, so closing either closes both.

        Raises:
            ValueError: the key can't be sent.
        """
        other = copy.copy(self)
        other._key = _checked_key(api_key)  # noqa: SLF001 - one of its own
        other._why_no_key = ""  # noqa: SLF001
        return other

    async def list_pets(
        self,
        limit: int = LIMIT_DEFAULT,
        status: PetStatus | str | None = None,
        *,
        on_wait: OnWait | None = None,
        timeout: float | None = None,
        is_endless: bool = False,
        idempotency_key: str | None = None,
    ) -> PetPage:
        """Load the newest animals (listPets).

        Args:
            limit: how many at most.
            status: those of this status alone.
            on_wait: called before each wait between two attempts.
            timeout: seconds in which the call returns or raises, in place of the client's.
            is_endless: ``Limits`` do not bound the list.
            idempotency_key: any that was not used yet. It asks for the promise alone: the page's
                ``store_id`` says whether an add with a key is carried out once.

        Raises:
            ValueError: the limit, the status or the key is none that can be sent.
        """
        limit, status = _checked_limit(limit), _checked_status(status)
        query = {"limit": str(limit)} | ({} if status is None else {"status": str(status)})
        request = Request(
            "listPets",
            "GET",
            f"{self._base_url}/pets?{urlencode(query)}",
            expected_status=200,
            limit=limit,
            status=status,
            is_endless=is_endless,
            idempotency_key=_checked_idempotency_key(idempotency_key),
        )
        page: PetPage = await self._call(request, on_wait, timeout)
        return page

    def all_pets(
        self,
        status: PetStatus | str | None = None,
        *,
        on_wait: OnWait | None = None,
        timeout: float | None = None,
    ) -> AsyncGenerator[Pet, None]:
        """Load all animals, as ``all_pages``; rows that are none are left out."""
        pages = self.all_pages(status=status, on_wait=on_wait, timeout=timeout)

        async def pets() -> AsyncGenerator[Pet, None]:
            async with aclosing(pages):
                async for page in pages:
                    for pet in page.pets:
                        yield pet

        return pets()

    def all_pages(
        self,
        limit: int = LIMIT_MAXIMUM,
        status: PetStatus | str | None = None,
        *,
        on_wait: OnWait | None = None,
        timeout: float | None = None,
    ) -> AsyncGenerator[PetPage, None]:
        """Load page after page of a list of any length, as they are asked for.

        An animal that moved to the next page meanwhile is only on the one where it was first. The
        ``timeout`` is that of each page.

        Raises:
            IncompleteListError: after the last page, if that links to one that is not followed, or
                after too many that brought no animal.
            ValueError: by the call itself: the limit or the status is none that can be sent.
        """
        return self._pages(
            _checked_limit(limit),
            _checked_status(status),
            _checked_call(on_wait),
            _checked_timeout(timeout),
        )

    async def _pages(
        self,
        limit: int,
        status: PetStatus | None,
        on_wait: OnWait | None,
        timeout: float | None,
    ) -> AsyncGenerator[PetPage, None]:
        seen, barren = _SeenIds(), 0
        page = await self.list_pets(
            limit, status, on_wait=on_wait, timeout=timeout, is_endless=True
        )
        while True:
            new = page._replace(rows=tuple(filter(seen.is_new, page.rows)))
            yield new
            if page.next_link is None:
                break
            barren = 0 if new.pets else barren + 1
            if barren == BARREN_PAGES_MAXIMUM:
                raise IncompleteListError(f"its last {barren} pages brought no further animal")
            page = await self.list_next_pets(page, on_wait=on_wait, timeout=timeout)
        if page.is_cut:
            raise IncompleteListError(page.remarks[-1])

    async def list_next_pets(
        self, page: PetPage, *, on_wait: OnWait | None = None, timeout: float | None = None
    ) -> PetPage:
        """Load the page after this one, by its ``next_link`` (RFC 8288).

        Raises:
            ValueError: the page has no such link.
        """
        _check_type("page", page, PetPage, "a PetPage")
        if page.next_link is None:
            raise ValueError("there is no page after this one")
        before, number = page.request, page.request.pages_before + 1
        request = before._replace(
            address=page.next_link,
            idempotency_key=None,
            visited=(*before.visited, before.address)[-VISITED_KEPT:],
            milestone=before.milestone if number & (number - 1) else before.address,
            pages_before=number,
            rows_before=before.rows_before + len(page.rows),
            bytes_before=before.bytes_before + page.size,
        )
        next_page: PetPage = await self._call(request, on_wait, timeout)
        return next_page

    async def create_pet(
        self,
        new_pet: NewPet,
        *,
        on_wait: OnWait | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        store_id: str | None = None,
    ) -> PetAnswer:
        """Add an animal (createPet).

        It is sent once, and tried again only where it was not carried out: no connection could be
        opened, or the service asked to wait (429); and after a 503, where a store was named, which
        adds it once. An error's ``maybe_sent`` says whether the animal may have been added all the
        same.

        Args:
            new_pet: the animal.
            on_wait: called before each wait between two attempts.
            timeout: seconds in which the call returns or raises, in place of the client's.
            idempotency_key: of this animal. A service that promises so, by the ``store_id`` of its
                answer, adds it once, however often it is sent.
            store_id: of the store that promised it; another one refuses (412).

        Raises:
            ValueError: the key or the id is none that can be sent.
        """
        _check_type("new_pet", new_pet, NewPet, "a NewPet")
        _check_type("store_id", store_id, (str, type(None)), "text or None")
        if store_id is not None and (idempotency_key is None or not is_store_id(store_id)):
            raise ValueError("a store is named by 32 hexadecimal digits, and beside a key")
        request = Request(
            "createPet",
            "POST",
            f"{self._base_url}/pets",
            expected_status=201,
            new_pet=new_pet,
            idempotency_key=_checked_idempotency_key(idempotency_key),
            store_id=store_id,
        )
        answer: PetAnswer = await self._call(request, on_wait, timeout)
        return answer

    async def get_pet(
        self, pet_id: int, *, on_wait: OnWait | None = None, timeout: float | None = None
    ) -> PetAnswer:
        """Load one animal (getPet, deprecated).

        Raises:
            ValueError: the number is no int64.
        """
        _check_type("pet_id", pet_id, int, "a whole number")
        int64(pet_id)
        request = Request(
            "getPet", "GET", f"{self._base_url}/pets/{pet_id}", expected_status=200, pet_id=pet_id
        )
        answer: PetAnswer = await self._call(request, on_wait, timeout)
        return answer

    async def wants_key(self) -> bool:
        """Ask once without the key; return whether that is refused in the interface's own words.

        Raises:
            PetClientError: the response is none of the interface's, or there is none.
        """
        address = f"{self._base_url}/pets?limit=1"
        request = Request("listPets", "GET", address, expected_status=200, limit=1)
        try:
            await (await self._transport.opened()).call(request, ApiKey(""))
        except ErrorBodyError as error:
            if not error.is_unauthorized:
                raise
            return True
        return False

    async def aclose(self) -> None:
        """Close the connections of this event loop. A call made later opens them again."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _call(self, request: Request, on_wait: OnWait | None, timeout: float | None) -> Any:
        _checked_call(on_wait)
        if not self.has_key:
            raise NoKeyError(self._why_no_key)
        seconds = self._timeout if timeout is None else _checked_timeout(timeout)
        end = NEVER if seconds is None else Deadline.after(seconds)
        try:
            async with asyncio.timeout_at(end.when):
                transport = await self._transport.opened()
        except TimeoutError:
            transport = None
        if transport is None:
            raise NoAnswerError("connect to", urlsplit(self._base_url).netloc, end.reason)
        return await transport.call(request, self._key, on_wait, end)


class _SeenIds:
    """The ids of a list of any length; those of most services are dense, and take few bytes."""

    def __init__(self) -> None:
        self._bits: dict[int, int] = {}  # 256 ids each

    def is_new(self, row: Pet | UnreadablePet) -> bool:
        """Whether a row is no animal that was seen before; it is from now on."""
        if isinstance(row, UnreadablePet):
            return True
        block, bit = row.id >> 8, 1 << (row.id & 255)
        seen = self._bits.get(block, 0)
        self._bits[block] = seen | bit
        return not seen & bit


def _checked_address(text: str) -> str:
    try:
        return base_address(text)
    except ValueError as error:
        raise ValueError(f"the base address {error}") from None


def _check_type(name: str, value: object, types: type | tuple[type, ...], expected: str) -> None:
    """Raise TypeError if an argument is of another type; ``True`` is no number."""
    is_truth = isinstance(value, bool) and types is int
    if is_truth or not isinstance(value, types):
        found = "None" if value is None else f"of type {type(value).__name__}"
        raise TypeError(f"{name} must be {expected}, not {found}")


def _checked_limit(limit: int) -> int:
    _check_type("limit", limit, int, "a whole number")
    if not LIMIT_MINIMUM <= limit <= LIMIT_MAXIMUM:
        raise ValueError(f"limit must be {LIMIT_BOUNDS}")
    return limit


def _checked_status(status: PetStatus | str | None) -> PetStatus | None:
    return None if status is None else pet_status(status)


def _checked_timeout(timeout: float | None) -> float | None:
    if timeout is not None:
        _check_type("timeout", timeout, (int, float), "a number of seconds or None")
        if isinstance(timeout, bool) or not timeout > 0:
            raise ValueError("timeout must be more than 0 seconds")
    return timeout


def _checked_headers(headers: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the headers of the caller, which are none of the client's own."""
    _check_type("headers", headers, (Mapping, type(None)), "a mapping of names to texts or None")
    checked: dict[str, str] = {}
    for name, value in (headers or {}).items():
        if not (isinstance(name, str) and _HEADER_NAME.fullmatch(name)):
            raise ValueError("headers: a name is one word of ASCII")
        if name.lower() in _OWN_HEADERS:
            raise ValueError(f"headers: {name} is set by the client")
        if name.title() in checked:
            raise ValueError(f"headers: {name} occurs twice")
        if not (isinstance(value, str) and _HEADER_VALUE.fullmatch(value)):
            raise ValueError(f"headers: {name} must be printable text of ASCII")
        checked[name.title()] = value
    return checked


def _checked_call(
    on_wait: OnWait | None,
) -> OnWait | None:
    if not (on_wait is None or callable(on_wait)):
        raise TypeError("on_wait must be a function, or None")
    return on_wait


def _checked_key(api_key: ApiKey | str) -> ApiKey:
    _check_type("api_key", api_key, (ApiKey, str), "text")
    key = ApiKey(api_key) if isinstance(api_key, str) else api_key
    if not is_bearer_token(key.reveal()):
        raise ValueError("the API key must be one word of visible ASCII characters")
    return key


def _checked_idempotency_key(key: str | None) -> str | None:
    """Return a key that can be sent; raises ValueError."""
    _check_type("idempotency_key", key, (str, type(None)), "text or None")
    if key is not None:
        structured_string(key)
    return key


def _check_proxy(proxy: str, base_url: str) -> None:
    try:
        service_proxy(proxy, base_url)
    except ValueError as error:
        raise ValueError(f"the proxy {error}") from None


def prepare() -> None:
    """Import and read what a first request would, for a process that outlives its files."""
    # Not at the start of every program.
    from pettui.client.http import read_authorities  # noqa: PLC0415

    read_authorities()


class _LazyTransport:
    """Opens in a thread, once in an event loop for all calls that wait for it.

    Importing httpx takes as long as drawing the first screen, which responds to keys meanwhile.
    """

    def __init__(self, transport: GivenTransport | None, to: Destination, log: RequestLog) -> None:
        self._transport, self._to, self._log = transport, to, log
        self._is_given = not (transport is None or callable(transport))
        # Connections belong to the event loop that opened them: asyncio.run makes one each time.
        self._openings: dict[asyncio.AbstractEventLoop, asyncio.Task[Transport]] = {}

    async def opened(self) -> Transport:
        """Return the transport that is open in this event loop.

        Cancelling a call that waits for it does not stop the opening: it is not done twice.

        Raises:
            NoAnswerError: it cannot be opened; the next call tries again.
        """
        loop = asyncio.get_running_loop()
        opening = self._openings.get(loop)
        if opening is None or _has_failed(opening):
            self._forget_closed_loops()
            is_elsewhere = self._is_given and any(loop is not each for each in self._openings)
            opened = asyncio.to_thread(self._open, is_elsewhere=is_elsewhere)
            # In a context of nobody's: over SSH the first user's may have to wait for others.
            opening = asyncio.create_task(opened, context=Context())
            # Retrieved even when nobody waits any more: asyncio would log the exception otherwise.
            opening.add_done_callback(_has_failed)
            self._openings[loop] = opening
        return await asyncio.shield(opening)

    async def aclose(self) -> None:
        """Close what is open in this event loop; a later call opens it again."""
        self._forget_closed_loops()
        opening = self._openings.pop(asyncio.get_running_loop(), None)
        if opening is not None:
            await asyncio.wait([opening])
            if not _has_failed(opening):
                await opening.result().aclose()

    def _forget_closed_loops(self) -> None:
        """Drop what nobody can close any more; a transport that was given is still spoilt."""
        if not self._is_given:
            for loop in [loop for loop in self._openings if loop.is_closed()]:
                self._openings.pop(loop, None)

    def _open(self, *, is_elsewhere: bool) -> Transport:
        # Not at the top: the start of the program must not wait for it.
        from pettui.client.http import open_transport  # noqa: PLC0415

        return open_transport(self._transport, self._to, self._log, is_elsewhere=is_elsewhere)


def _has_failed(task: asyncio.Task[Transport]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
