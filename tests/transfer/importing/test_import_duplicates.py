"""Lines of an import whose animals the service already lists."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import httpx
import pytest

from pettui.client import NoAnswerError, PetClient
from pettui.models import NewPet, PetStatus
from pettui.service.http.app import create_app
from pettui.service.stores.sqlite import SqliteStore
from pettui.settings import Limits
from pettui.transfer.importing.import_duplicates import find_duplicates
from pettui.transfer.importing.import_preview import check_import
from pettui.transfer.importing.import_summary import import_summary
from pettui.transfer.importing.line_states import LineOutcome, OutcomeKind
from pettui.transfer.importing.listed_duplicates import find_listed_duplicates
from pettui.transfer.reading.import_lines import GoodLine, Position

KEY = "a-key-of-the-tests"
ClientOf = Callable[..., PetClient]


@pytest.fixture
async def client_of() -> AsyncIterator[ClientOf]:
    """Creates clients of the service, in this process, with these animals."""
    async with AsyncExitStack() as stack:

        def make(pets: list[NewPet], limits: Limits | None = None) -> PetClient:
            store = SqliteStore.open_in_memory(pets)
            stack.push_async_callback(store.close)
            transport = httpx.ASGITransport(create_app(store, [KEY]))
            client = PetClient("http://store.test/v1", KEY, transport=transport, limits=limits)
            stack.push_async_callback(client.aclose)
            return client

        yield make


def new_pet(name: str, category: int = 3, status: str | None = None) -> NewPet:
    return NewPet(name=name, category_id=category, status=status and PetStatus(status))


def lines(*pets: NewPet) -> list[GoodLine]:
    return [GoodLine(Position(number), pet) for number, pet in enumerate(pets, start=1)]


def many(count: int) -> list[NewPet]:
    return [new_pet(f"Rex {number}") for number in range(1, count + 1)]


async def test_the_same_name_category_and_status_is_a_duplicate(client_of: ClientOf) -> None:
    client = client_of([new_pet("Rex", 3, "sold"), new_pet("Mimi", 1, "sold")])
    wanted = lines(
        new_pet("Rex", 3, "sold"), new_pet("Rex", 3, "pending"), new_pet("Rex", 1, "sold")
    )
    found = await find_listed_duplicates(client, wanted)
    assert [(each.line.position.line, each.pet_id) for each in found.duplicates] == [(1, 1)]
    assert (found.checked, found.reason) == (2, None)


async def test_a_line_without_a_status_is_the_duplicate_of_any(client_of: ClientOf) -> None:
    client = client_of([new_pet("Rex", 3, "sold")])
    found = await find_listed_duplicates(client, lines(new_pet("Rex"), new_pet("Rex", 4)))
    assert [each.line.position.line for each in found.duplicates] == [1]


async def test_all_pages_are_checked(client_of: ClientOf) -> None:
    pages: list[int] = []
    found = await find_listed_duplicates(
        client_of(many(250)), lines(new_pet("Rex 1")), on_page=pages.append
    )
    assert [each.pet_id for each in found.duplicates] == [1]
    assert (found.checked, found.reason, pages) == (250, None, [100, 200])


async def test_no_more_is_checked_than_the_limits_allow(client_of: ClientOf) -> None:
    client = client_of(many(350), Limits(rows=200))
    found = await find_listed_duplicates(client, lines(new_pet("Rex 1"), new_pet("Rex 350")))
    assert [each.pet_id for each in found.duplicates] == [350]
    assert found.checked == 200
    assert found.reason is not None


async def test_without_lines_nothing_is_requested() -> None:
    nobody = PetClient("http://127.0.0.1:9/v1", KEY, limits=Limits(tries=0))
    assert (await find_listed_duplicates(nobody, [])).checked == 0
    with pytest.raises(NoAnswerError):
        await find_listed_duplicates(nobody, lines(new_pet("Rex")))
    await nobody.aclose()


async def test_a_duplicate_names_its_original(
    client_of: ClientOf,
) -> None:
    content = b"Rex,3,sold\nMimi,1,sold\nRex,3,sold\nTiny,7\nTiny,7\n"
    preview = check_import(io.BytesIO(content), "a.csv", {})
    client = client_of([new_pet("Rex", 3, "sold")])
    found = await find_duplicates(client, preview, preview.lines)
    named = [(position.line, name) for position, name in found.names.items()]
    assert named == [(1, "id 1"), (3, "line 1"), (5, "line 4")]
    assert (found.repeated, found.listed, found.checked) == (2, 1, 1)
    found = await find_duplicates(client, preview, preview.lines[3:])
    assert len(found.names) == 1


def test_a_summary_names_only_what_there_is() -> None:
    line = lines(new_pet("Rex"))[0]
    outcomes = [LineOutcome(line, kind) for kind in (*OutcomeKind, OutcomeKind.ADDED)]
    assert import_summary(outcomes, 1_000).sentence() == (
        "2 lines added, 1 added by an earlier import, 1 left out as duplicate, 1 refused, "
        "1 unknown, 1,000 bad, 1 not sent"
    )
    assert import_summary(outcomes[:1], 0).sentence() == "1 line added"
