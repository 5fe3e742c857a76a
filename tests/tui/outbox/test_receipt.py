"""The receipt: what was added on a day, and what is done with it."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from pettui.models.pets import Pet
from pettui.outbox.entries import Entry, EntryState
from pettui.outbox.receipts import Added, Source, today
from pettui.tui.outbox.entry_decisions import added_pet
from pettui.tui.session.counts import Receipt, totals_of
from tests.tui.driving import (
    Case,
    Driver,
    FixedClock,
    case,
    fits,
    has_copied,
    open_app,
    responds,
    sees,
    sees_no,
    table,
)
from tests.tui.form.steps import goes_on, holds, on_empty, outbox_has, pastes
from tests.tui.scripted_service import Response, ScriptedService

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.tui.driving import Step

STATUSES = (None, "available", "pending", "sold", "on holiday")
DAY = timedelta(days=1).total_seconds()


def added(number: int, category: int = 3, status: str | None = None) -> Entry:
    """Return an added entry, with the animal that the service answered."""
    entry = Entry(f"{number:020d}-a", f"Animal {number}", category, status, EntryState.SENDING, 0.0)
    return entry.added_as(Pet(id=number, name=entry.name, category_id=category, status=status))


def receipt_of(*entries: Entry, kept: int = 10_000) -> Receipt:
    receipt = Receipt(kept)
    for entry in entries:
        receipt.add(entry.entry_id, added_pet(entry))
    return receipt


def test_categories_are_in_order_of_their_numbers_and_statuses_in_that_of_the_interface() -> None:
    statuses = (None, "zoo", "sold", "on holiday", "pending", "available")
    totals = totals_of({(20 - n, status): 1 for n, status in enumerate(statuses)})
    assert [total.category_id for total in totals] == [None, 15, 16, 17, 18, 19, 20]
    ordered = ["available", "pending", "sold", "on holiday", "zoo", None]
    assert list(totals[0].by_status) == ordered


def test_an_entry_that_is_reported_twice_counts_once() -> None:
    assert receipt_of(added(1), added(2), added(1)).count == 2


def test_beyond_what_is_kept_all_are_counted() -> None:
    receipt = receipt_of(*map(added, range(5)), kept=3)
    assert [pet.id for pet in receipt.pets] == [4, 3, 2]
    assert receipt.count == 5


@given(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(STATUSES))))
def test_every_animal_is_counted_once_in_all_and_once_in_its_category(
    animals: list[tuple[int, str | None]],
) -> None:
    totals = totals_of(Counter(animals))
    of_category = Counter(category for category, _ in animals)
    assert {t.category_id: t.number for t in totals[1:]} == of_category
    assert sum(total.number for total in totals) == 2 * len(animals)


# Its screen


def put(driver: Driver, names: Sequence[str], source: Source, *, days_ago: int = 0) -> None:
    """Record animals that were added so many days ago."""
    receipts = driver.app.session.outbox.receipts
    for number, name in enumerate(names, 100 * (1 + days_ago)):
        record = Added.of(name, source, Pet(id=number, name=name, category_id=3))
        receipts.record(record._replace(at=record.at - days_ago * DAY))


async def test_the_day_is_the_user_s_and_not_the_machine_s() -> None:
    zones = (timezone(timedelta(hours=hours)) for hours in (14, -12))
    zone = next(each for each in zones if today(each) != today())
    async with open_app(ScriptedService([]), clock=FixedClock(zone=zone)) as driver:
        put(driver, [f"Pet {number}" for number in range(20)], Source.FORM)
        receipts = driver.app.session.outbox.receipts
        receipts.record(*(
            one._replace(key=f"{one.key}, {hours}", at=one.at - 3_600 * hours)
            for hours in range(1, 60)
            for one in receipts.of(today()).added[:1]
        ))  # fmt: skip
        days = Counter(
            datetime.fromtimestamp(each.at, zone).date()
            for days in range(-3, 2)
            for each in receipts.of(today() + timedelta(days=days)).added
        )
        await driver.press("R")
        await driver.sees(f"{days[today(zone)]} added today")
        await driver.press("left")
        await driver.sees(f"{days[today(zone) - timedelta(days=1)]} added yesterday")


def added_were(*names: str, source: Source = Source.FORM, days_ago: int = 0) -> Step:
    """Return a step after which animals were added so many days ago."""

    async def record(driver: Driver) -> None:
        put(driver, names, source, days_ago=days_ago)

    return record


def rows_end_with(*texts: str) -> Step:
    """Return a step that checks what stands last in the rows, from the top."""

    async def check(driver: Driver) -> None:
        assert [line[:72].split()[-1] for line in driver.lines[2 : 2 + len(texts)]] == [*texts]

    return check


async def two_have_one_id(driver: Driver) -> None:
    """Record animals of a store that began anew, and gave an id again."""
    for name in ("Old", "New"):
        record = Added.of(name, Source.FORM, Pet(id=1, name=name, category_id=3))
        driver.app.session.outbox.receipts.record(record)


async def add_four(driver: Driver) -> None:
    """Add four animals from the list, and go back there."""
    keys = ["a", *"Rex", "tab", "3", "enter", *"Luna", "enter", *"Mimi", "tab", "1", "tab", "p"]
    await driver.press(*keys, "enter", *"Tiny", "tab", *"99", "tab", "s", "enter")
    await driver.press("f10", "escape")
    await driver.until(lambda: driver.app.session.receipt.count == 4)
    await driver.settled()


EXACT = b'{"id":  7, "name":"Rex","categoryId":3.0, "price": 1.10, "status": "available"}'
JSON = (("content-type", "application/json"),)
REX = ("a", *"Rex", "tab", "3", "enter")
THREE = added_were("Molly", "Rex", "Tom")


@table(
    case("the day is shown with times and sources, and other days beside it", on_empty(),
         added_were("Molly", "Rex", source=Source.COMMAND),
         added_were("Tom", source=Source.SERVER, days_ago=1), "a", *"Luna", "tab", "3", "enter",
         "escape", outbox_has("Luna 3 added"), "R", sees("3 added today"),
         rows_end_with("form", "command", "command"), fits, "left", sees("1 added yesterday"),
         rows_end_with("server"), "left", sees("nothing is kept of an earlier day"),
         "right", "right", sees("that is today")),
    case("marks and the cursor stay while another animal comes", on_empty(), THREE, holds,
         "a", *"Luna", "tab", "3", "enter", "escape", "R", "space", "j", goes_on,
         sees("4 added today", "1 marked"), "y", has_copied("102"), "enter",
         sees("Id          100")),
    case("a pasted animal says so also on a small screen", on_empty(size=(60, 16)), "a",
         pastes("Rex,3\nTom,3"), "enter", "escape", outbox_has("Rex 3 added", "Tom 3 added"), "R",
         sees("2 added today", "paste")),
    case("marked animals are copied and exported, and Esc takes the marks away", on_empty(), THREE,
         "R", "space", "space", "y", sees("copied 2 ids"), has_copied("102\n101"), "A",
         sees("3 marked"), *"Igvjv", "Y", has_copied('{"id": 102, "name": "Tom", "categoryId": 3}'),
         "e", sees("2 marked"), "escape", "escape", sees("2 marks removed"), "escape",
         sees_no("Receipt", "Tom")),
    case("on a day with fewer rows the cursor is on one of them", on_empty(), THREE,
         added_were("Luna", days_ago=1), "R", "G", "left", "y", has_copied("200"),
         "right", "enter", sees("Id          10")),
    case("keys for animals do nothing on an empty day", on_empty(size=(40, 12)), "R", "enter",
         "space", *"vAIyYev", "left", "right", sees("Nothing was added today."), "escape",
         sees("1 All")),
    case("two animals with one id are two rows", on_empty(), two_have_one_id, "R",
         sees("2 added today", "Old", "New"), "j", "Y", has_copied('"name": "Old"')),
    case("it shows what was added, and fits", on_empty(size=(40, 12)), add_four, "R",
         sees("Tiny", "Rex", "4 added"), fits, "escape", sees("1 All")),
    case("its animals are what the service answered, to the last digit", on_empty(),
         responds("createPet", Response(201, EXACT, JSON)), *REX, "escape",
         outbox_has("Rex 3 added"), "R", "Y", has_copied(EXACT.decode()), "y", has_copied("7")),
    case("an animal opens, and the cursor follows to where it is left", on_empty(), add_four,
         "R", "enter", sees("confirmed"), "j", "j", "escape", "Y", has_copied('"name":"Luna"')),
)  # fmt: skip
async def test_receipt(case: Case) -> None:
    await case.run()


async def test_each_category_has_its_name_its_count_and_its_statuses() -> None:
    async with open_app(ScriptedService([]), size=(80, 24)) as driver:
        await add_four(driver)
        await driver.press("R")
        totals = [line.split() for line in driver.lines[-7:-2]]
        assert totals == [
            ["◐", "pending", "○", "sold", "–", "not", "set"],
            ["All", "4", "1", "1", "2"],
            ["1", "Cats", "1", "1", "╍" * 12],
            ["3", "Dogs", "2", "2", "┄" * 24],
            ["99", "1", "1", "─" * 12],
        ]
