"""A list that is loaded and shown without a screen: what is found, marked and exported of it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.appearance.glyphs import glyphs_for
from pettui.client import PetClient, PetClientError
from pettui.outbox import MemoryEntryStore, Outbox
from pettui.remembered.seen_lists import SeenLists
from pettui.settings.settings import Glyphs, Settings
from pettui.tui.list.list_loading import Extent, ListLoader
from pettui.tui.list.shown_list import ShownList
from pettui.tui.session.session import UserSession
from pettui.tui.transfer.selection import Scope
from tests.tui.driving import PRODUCTION, QUICK_LIMITS, FixedClock
from tests.tui.scripted_service import KEY, Response, ScriptedService, error, listing, page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pettui.tui.list.list_loading import Fetch


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
        shown.update()


async def test_an_export_takes_the_marked_rows_else_those_found_and_then_all_pages() -> None:
    first = page(21, 100)
    async with opened(listing(first, first, page(1, 20, last=True))) as (loader, shown):
        await load(loader, shown, loader.load(loader.query))
        assert [*shown.scopes.values()] == ["as shown", "all pages"]
        shown.use(shown.view.with_words("animal 119"))
        assert [*shown.scopes.values()] == ["as shown", "all found", "all pages"]
        assert shown.selection(Scope.SHOWN).text == "1 row, as shown"
        found = shown.selection(Scope.FOUND)
        assert found.text == "1 row, found, then all further pages"
        shown.marked.add(shown.listing.pets[:2] if shown.listing else ())
        assert shown.selection(Scope.SHOWN).text == "2 marked, 1 not shown"
        await load(loader, shown, loader.all_pages())
        assert [*shown.scopes.values()] == ["marked", "all found", "all rows"]
        assert shown.selection(Scope.FOUND).text == "1 row, found on all pages"
        assert shown.selection(Scope.EVERYTHING).text == "120 rows, all there are"
        shown.marked.clear()
        assert [*shown.scopes.values()] == ["as shown", "all rows"]


async def test_a_row_that_nothing_can_be_found_in_may_be_one_of_those_found() -> None:
    strange = listing(Response(body=[*page(1, 2, last=True).body, {"id": "x"}]))
    async with opened(strange) as (loader, shown):
        await load(loader, shown, loader.load(loader.query))
        shown.use(shown.view.with_words("animal 2"))
        found = shown.selection(Scope.FOUND)
        assert (found.text, found.unreadable) == (
            "1 row, found on all pages; 1 unreadable left out", 1,
        )  # fmt: skip


async def test_rows_go_on_below_the_last_one_in_their_own_order_until_a_page_failed() -> None:
    service = listing(page(21, 100), error(500, "internal", "Sorry"))
    async with opened(service) as (loader, shown):
        await load(loader, shown, loader.load(loader.query))
        assert shown.can_go_on
        shown.use(shown.view.by_next_column())
        assert not shown.can_go_on
        shown.use(shown.view.by(None))
        with pytest.raises(PetClientError, match="Sorry"):
            await load(loader, shown, loader.more())
        assert not shown.can_go_on


# What failed or was stopped


def ids(loader: ListLoader) -> list[int]:
    assert loader.listing is not None
    return [each.id for each in loader.listing.pets]


async def test_all_pages_go_on_after_the_one_that_failed_though_fewer_rows_than_before_came() -> (
    None
):
    service = listing(page(81, 120), page(151, 50), error(500, "internal", "Sorry"))
    async with opened(service) as (loader, shown):
        await load(loader, shown, loader.load(loader.query))
        with pytest.raises(PetClientError, match="Sorry"):
            await load(loader, shown, loader.all_pages())
        assert (loader.is_interrupted, loader.is_stale, len(ids(loader))) == (True, True, 120)
        service.next("listPets", page(81, 70), page(1, 80, last=True))
        await load(loader, shown, loader.refresh(20))
        assert service.requests[-2].query["cursor"] == "151"
        assert (loader.is_interrupted, loader.is_stale) == (False, False)
        assert ids(loader) == [*range(200, 0, -1)]


@pytest.mark.parametrize("wish", [ListLoader.more, ListLoader.all_pages])
async def test_a_page_that_failed_is_asked_for_again_until_it_is_given_up(
    wish: Callable[[ListLoader], Fetch | None],
) -> None:
    service = listing(page(21, 100), error(500, "internal", "Sorry"))
    async with opened(service) as (loader, shown):
        await load(loader, shown, loader.load(loader.query))
        with pytest.raises(PetClientError, match="Sorry"):
            await load(loader, shown, fetch := wish(loader))
        assert loader.refresh(20) == wish(loader) == fetch
        loader.give_up()
        assert not loader.is_interrupted
        assert loader.refresh(20).extent is Extent.WHOLE


async def test_what_was_stopped_is_asked_for_by_a_key_alone() -> None:
    async with opened(listing(page(1))) as (loader, shown):
        await load(loader, shown, loader.load(loader.query))
        loader.begin(loader.filter("sold", 20))
        assert loader.stop() == ""
        assert (loader.is_stale, loader.refresh(20).query.status) == (True, "sold")
        assert loader.refresh_first_page().query.status is None
