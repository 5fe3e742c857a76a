"""Any order of pages, filters, finds, sorts, refreshes, marks and failures, against a model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pettui.models.pets import NewPet, Pet, PetStatus
from pettui.rows.columns import CATEGORY, ID, NAME, STATUS
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService, error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.rows.shown import SortedBy

LIMIT = 4
STATUSES = (PetStatus.AVAILABLE, PetStatus.PENDING, PetStatus.SOLD, None)
NAMES = ("rex", "luna", "lux", "max", "re lu")
ORDERS = {ID: attrgetter("id"), NAME: attrgetter("name"), CATEGORY: attrgetter("category_id")}
CATEGORIES = {1: "cats", 2: "birds", 3: "dogs"}
MOVES = frozenset(("j", "k", "g", "G", "n", "N", "pagedown"))
FILTERS = frozenset(("1", "2", "4"))
KEYS = (*sorted(MOVES), *sorted(FILTERS), "m", "M", "s", "S", "r", "escape")

STEPS = st.one_of(
    st.sampled_from(KEYS),
    st.sampled_from(["find l", "find re", "find lu x", "find dogs", "find", "find zzz"]),
    st.sampled_from(["fails", "by itself"]),
    st.integers(1, 6).map(lambda count: f"added {count}"),
)


def a_new_pet(number: int) -> NewPet:
    """Return one of many that differ."""
    return NewPet(
        name=NAMES[number % 5], category_id=1 + number % 3, status=STATUSES[number * 3 % 4]
    )


@dataclass
class Model:
    """What the list must be, said in the plainest way."""

    pets: int  # so many are in the store: their ids are 1, 2, 3 …
    before: list[int] = field(default_factory=list)  # ids that were shown
    cursor: int = 0
    is_any_shown: bool = False

    def is_found(self, pet: Pet, words: str) -> bool:
        category = CATEGORIES[pet.category_id]
        status = pet.status or "not set"
        text = f"{pet.name}\n{pet.id}\n{pet.category_id}\n{category}\n{status}"
        return all(word in text for word in words.split())

    def in_order(self, pets: list[Pet], order: Sequence[SortedBy]) -> list[Pet]:
        if not order:
            return pets
        [(column, is_reversed)] = order
        if column is not STATUS:
            return sorted(pets, key=ORDERS[column], reverse=is_reversed)
        present = [pet for pet in pets if pet.status is not None]
        present.sort(key=lambda pet: STATUSES.index(pet.status), reverse=is_reversed)
        return [*present, *(pet for pet in pets if pet.status is None)]

    def ids_of_service(self, status: str | None) -> list[int]:
        """Return the ids that the service lists, newest first."""
        return [
            number
            for number in range(self.pets, 0, -1)
            if status is None or a_new_pet(number).status == status
        ]

    def nearest(self, after: list[int], step: str) -> int | None:
        """Return the id that the cursor must be on; None where it may be on any.

        A word is typed letter by letter, and each may hide the row under the cursor.
        """
        farthest = 1 if step.startswith("find") or not self.is_any_shown else len(self.before)
        for distance in range(farthest):
            for index in (self.cursor + distance, self.cursor - distance):
                if 0 <= index < len(self.before) and self.before[index] in after:
                    return self.before[index]
        return None


async def do(step: str, driver: Driver, model: Model) -> None:
    """Do a step, and wait until nothing of it is under way."""
    screen = driver.screen
    what, _, rest = step.partition(" ")
    if what == "find":
        await driver.press("slash", "ctrl+u", *rest, "enter")
    elif what == "fails":
        driver.service.next("listPets", error(400, "no", "No luck"))
    elif what == "added":
        for _ in range(int(rest)):
            model.pets += 1
            await driver.service.store.create_pet(a_new_pet(model.pets))
    elif step == "by itself":
        screen.refresh_first_page()
    else:
        await driver.press(step)
    await driver.until(lambda: not screen.request.is_running)
    await driver.settled()


def check(step: str, driver: Driver, model: Model) -> None:
    """Check that the list is what the model says."""
    screen = driver.screen
    listing, table, view = screen.listing, screen.table, screen.list.view
    loaded = [pet.id for pet in listing.loaded]
    listed = model.ids_of_service(listing.query.status)
    if loaded:
        top, bottom = listed.index(loaded[0]), listed.index(loaded[-1])
        assert loaded == listed[top : bottom + 1], "loaded without a gap, in order"
    found = [pet for pet in listing.loaded if model.is_found(pet, view.words)]
    shown = [pet.id for pet in model.in_order(found, view.order)]
    assert [pet.id for pet in table.rows] == shown
    assert table.marks.new | table.marks.changed <= {*loaded}
    assert not table.marks.changed
    assert 0 <= table.cursor < max(len(shown), 1)
    wanted = model.nearest(shown, step)
    if wanted is not None and step not in MOVES | FILTERS:
        assert shown[table.cursor] == wanted, "the same animal, or its nearest neighbour"
    model.is_any_shown = bool(shown)
    if shown:
        row = next(line for line in driver.lines if line.startswith("▌"))
        assert row[2:].split()[0] == str(shown[table.cursor])
        model.before, model.cursor = shown, table.cursor


async def scenario(steps: list[str]) -> None:
    service = ScriptedService([a_new_pet(number) for number in range(1, 24)])
    model = Model(23)
    async with open_app(service, limit=LIMIT, size=(80, 12)) as driver:
        check("start", driver, model)
        for step in steps:
            await do(step, driver, model)
            check(step, driver, model)
        assert driver.app.failure is None


@given(steps=st.lists(STEPS, min_size=4, max_size=8))
@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.generate],
)
def test_a_few_orders_of_keys_leave_the_list_as_the_model_has_it(steps: list[str]) -> None:
    asyncio.run(scenario(steps))


@pytest.mark.exhaustive
@given(steps=st.lists(STEPS, min_size=8, max_size=25))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_order_of_keys_leaves_the_list_as_the_model_has_it(steps: list[str]) -> None:
    asyncio.run(scenario(steps))
