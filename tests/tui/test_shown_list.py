"""A list that is loaded and shown without a screen: what is found, marked and exported of it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.client import PetClient, PetClientError
from pettui.glyphs import glyphs_for
from pettui.outbox import MemoryEntryStore, Outbox
from pettui.settings import Glyphs, Settings
from pettui.transfer.seen_lists import SeenLists
from pettui.tui.list_loading import ListLoader
from pettui.tui.session import UserSession
from pettui.tui.shown_list import ShownList
from tests.tui.driving import PRODUCTION, QUICK_LIMITS, FixedClock
from tests.tui.scripted_service import KEY, ScriptedService, error, listing, page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pettui.tui.list_loading import Fetch


@asynccontextmanager
async def opened(service: ScriptedService) -> AsyncIterator[tuple[ListLoader, ShownList]]:
    """Yield the list of a service, of which nothing is loaded yet."""
    transport = httpx.ASGITransport(service)
    client = PetClient(PRODUCTION.base_url, KEY, transport=transport, limits=QUICK_LIMITS)
    session = UserSession(
        client=client,
        outbox=Outbox(MemoryEntryStore(), client),
        settings=Settings(PRODUCTION, limit=20),
        glyphs=glyphs_for(Glyphs.UNICODE),
        clock=FixedClock(),
        seen=SeenLists(),
    )
    loader = ListLoader(session)
    try:
        yield loader, ShownList(session, loader)
    finally:
        await client.aclose()
        await service.aclose()


async def load(loader: ListLoader, shown: ShownList, fetch: Fetch | None) -> None:
    """Request what is wanted, and show what came."""
    assert fetch is not None
    loader.begin(fetch)
    async for _ in loader.pages(fetch, lambda _: None):
        assert loader.listing is not None
        shown.show(loader.listing)


async def test_an_export_takes_the_marked_rows_else_those_found_and_then_all_pages() -> None:
    first = page(21, 100)
    async with opened(listing(first, first, page(1, 20, last=True))) as (loader, shown):
        await load(loader, shown, loader.load(loader.query))
        assert shown.everything == "all pages"
        shown.use(shown.view.with_words("animal 119"))
        assert shown.selection(is_everything=False).text == "1 row, as shown"
        shown.marked.add(shown.listing.pets[:2] if shown.listing else ())
        assert shown.selection(is_everything=False).text == "2 marked, 1 not shown"
        await load(loader, shown, loader.all_pages())
        assert shown.everything == "all rows"
        assert shown.selection(is_everything=True).text == "120 rows, all there are"


async def test_rows_go_on_below_the_last_one_in_their_own_order_until_a_page_failed() -> None:
    service = listing(page(21, 100), error(500, "internal", "Sorry"))
    async with opened(service) as (loader, shown):
        await load(loader, shown, loader.load(loader.query))
        assert shown.can_go_on
        shown.use(shown.view.by_next_column())
        assert not shown.can_go_on
        shown.use(shown.view.unsorted())
        with pytest.raises(PetClientError, match="Sorry"):
            await load(loader, shown, loader.more())
        loader.is_stale = True
        assert not shown.can_go_on
