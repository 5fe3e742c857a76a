"""Lines of an import whose animals the service already lists."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import httpx
import pytest

from pettui.client import NoAnswerError, PetClient
from pettui.models import NewPet, PetStatus
from pettui.service.app import create_app
from pettui.service.stores.sqlite import SqliteStore
from pettui.settings import Limits
from pettui.transfer.lines import GoodLine, ImportPreview, Position, check_import
from pettui.transfer.results import LineOutcome, OutcomeKind, import_summary
from pettui.transfer.searching import Duplicates, find_duplicates

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


def many(count: int) -> list[NewPet]:
    return [new_pet(f"Rex {number}") for number in range(1, count + 1)]


def checked(content: str) -> ImportPreview:
    return check_import(io.BytesIO(content.encode()), "a.csv", {})


async def found(client: PetClient, content: str, **others: object) -> Duplicates:
    """Return the duplicates among the lines of a file."""
    preview = checked(content)
    return await find_duplicates(client, preview.lines, preview.lines, **others)


def named(duplicates: Duplicates) -> list[tuple[int, str]]:
    return [(position.line, name) for position, name in duplicates.names.items()]


async def test_the_same_name_category_and_status_is_a_duplicate(client_of: ClientOf) -> None:
    client = client_of([new_pet("Rex", 3, "sold"), new_pet("Mimi", 1, "sold")])
    duplicates = await found(client, "Rex,3,sold\nRex,3,pending\nRex,1,sold\n")
    assert named(duplicates) == [(1, "id 1")]
    assert (duplicates.checked, duplicates.reason) == (2, None)


async def test_a_line_without_a_status_is_the_duplicate_of_any(client_of: ClientOf) -> None:
    client = client_of([new_pet("Rex", 3, "sold")])
    assert named(await found(client, "Rex,3\nRex,4\n")) == [(1, "id 1")]


async def test_all_pages_are_checked(client_of: ClientOf) -> None:
    pages: list[int] = []
    duplicates = await found(client_of(many(250)), "Rex 1,3\n", on_page=pages.append)
    assert named(duplicates) == [(1, "id 1")]
    assert (duplicates.checked, duplicates.reason, pages) == (250, None, [100, 200])
    assert duplicates.sentence == (
        "1 duplicate: 0 within the file, 1 among the 250 animals that the service lists"
    )


async def test_no_more_is_checked_than_the_limits_allow(client_of: ClientOf) -> None:
    client = client_of(many(350), Limits(rows=200))
    duplicates = await found(client, "Rex 1,3\nRex 350,3\n")
    assert named(duplicates) == [(2, "id 350")]
    assert duplicates.checked == 200
    assert duplicates.reason is not None


async def test_without_lines_nothing_is_requested() -> None:
    nobody = PetClient("http://127.0.0.1:9/v1", KEY, limits=Limits(tries=0))
    assert (await found(nobody, "")).checked == 0
    with pytest.raises(NoAnswerError):
        await found(nobody, "Rex,3\n")
    await nobody.aclose()


async def test_a_repeated_line_names_the_first_one(client_of: ClientOf) -> None:
    duplicates = await found(client_of([]), "Rex,3,sold\nRex,3\nRex,3,sold\nMimi,1\nRex,3\nRex,3\n")
    assert named(duplicates) == [(3, "line 1"), (5, "line 2"), (6, "line 2")]


async def test_a_duplicate_names_its_original(client_of: ClientOf) -> None:
    preview = checked("Rex,3,sold\nMimi,1,sold\nRex,3,sold\nTiny,7\nTiny,7\n")
    client = client_of([new_pet("Rex", 3, "sold")])
    duplicates = await find_duplicates(client, preview.lines, preview.lines)
    assert named(duplicates) == [(1, "id 1"), (3, "line 1"), (5, "line 4")]
    assert (duplicates.repeated, duplicates.listed, duplicates.checked) == (2, 1, 1)
    of_the_last = await find_duplicates(client, preview.lines, preview.lines[3:])
    assert named(of_the_last) == [(5, "line 4")]


def test_a_summary_names_only_what_there_is() -> None:
    line = GoodLine(Position(1), new_pet("Rex"))
    outcomes = [LineOutcome(line, kind) for kind in (*OutcomeKind, OutcomeKind.ADDED)]
    assert import_summary(outcomes, 1_000).sentence() == (
        "2 lines added, 1 added by an earlier import, 1 left out as duplicate, 1 refused, "
        "1 unknown, 1,000 bad, 1 not sent"
    )
    assert import_summary(outcomes[:1], 0).sentence() == "1 line added"
