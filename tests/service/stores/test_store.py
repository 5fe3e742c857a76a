"""What every store does, whichever database it uses, also beside a plain list."""

from __future__ import annotations

import asyncio
import re
import tempfile
import traceback
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from pettui.models.pets import INT64_MAXIMUM, INT64_MINIMUM, NewPet, PetStatus
from pettui.service import stores
from pettui.service.stores import check_store, postgres, sqlite_files
from pettui.service.stores.batches import Batches
from pettui.service.stores.samples import SAMPLE_CATEGORIES, SAMPLE_COUNT, sample_pets
from pettui.service.stores.sqlite_files import open_database
from pettui.service.stores.store import (
    AlreadyAddedError,
    ConstraintError,
    StoredPet,
    digest_of,
)
from tests.animals import a_new_pet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pettui.service.stores.store import Store
    from tests.service.conftest import ClientOf, OpenStore
    from tests.service.private_postgres import PrivatePostgres


async def test_an_empty_store_gets_samples_once(
    open_store: OpenStore, request: pytest.FixtureRequest
) -> None:
    first = await open_store(sample_pets(60))
    assert len((await first.list_pets(100)).pets) == 60
    if "memory" not in request.node.callspec.id:
        second = await open_store(sample_pets(60))
        assert (await second.list_pets(100)).pets == (await first.list_pets(100)).pets


async def test_a_cancelled_create_cancels_no_other_and_its_animal_is_stored(store: Store) -> None:
    names = ["Rex", "Bello", "Hasso"]
    waiting = [asyncio.create_task(store.create_pet(a_new_pet(name))) for name in names]
    await asyncio.sleep(0)
    waiting[1].cancel()
    await asyncio.wait(waiting)
    assert [pet.name for pet in (await store.list_pets(3)).pets] == names[::-1]
    assert waiting[2].result().id == waiting[0].result().id + 2


async def test_closing_a_store_writes_what_still_waits(store: Store) -> None:
    waiting = [asyncio.create_task(store.create_pet(a_new_pet())) for _ in range(100)]
    await asyncio.sleep(0)
    await store.close()
    assert len({pet.id for pet in await asyncio.gather(*waiting)}) == 100


@pytest.mark.parametrize("error", [MemoryError(), OSError(24, "x")])
async def test_a_batch_that_raises_anything_fails_alone(error: Exception) -> None:
    errors = [error]

    async def run(take: Callable[[], list[int]]) -> list[int]:
        if errors:
            raise errors.pop()
        return take()

    batches = Batches(run, seconds=60.0)
    outcomes = await asyncio.gather(*[batches.submit(n) for n in range(3)], return_exceptions=True)
    assert outcomes == [error] * 3
    assert await asyncio.gather(*[batches.submit(n) for n in range(3)]) == [0, 1, 2]


async def test_an_older_schema_stays_as_it_is(tmp_path: Path) -> None:
    with closing(open_database(tmp_path / "pets.db")) as connection:
        connection.execute("PRAGMA user_version = 1")
        await check_store(str(tmp_path / "pets.db"))
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)


def test_the_first_sixty_differ_in_name_and_have_every_status_and_none() -> None:
    pets = list(sample_pets())
    assert len({pet.name for pet in pets}) == SAMPLE_COUNT
    assert {pet.status for pet in pets} == {*PetStatus, None}
    assert {pet.category_id for pet in pets} == set(SAMPLE_CATEGORIES)
    assert pets == list(sample_pets(seed=1)) != list(sample_pets(seed=2))


NEW_PETS = st.builds(
    NewPet,
    name=st.text(st.characters(exclude_categories=["Cs"])),
    category_id=st.integers(INT64_MINIMUM, INT64_MAXIMUM),
    status=st.sampled_from([*PetStatus, None]),
)
STATUSES = st.sampled_from([*PetStatus, None])
LIMITS = st.integers(1, 100)
KEYS = st.sampled_from([bytes([number]) * (16, 32)[number % 2] for number in range(12)])


class StoreBesideList(RuleBasedStateMachine):
    """A store, and the list of animals that it must hold."""

    new_address: Callable[[], str]  # of a database that is not there, or empty

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.address = self.new_address()
        self.pets: list[StoredPet] = []
        self.added: dict[bytes, tuple[int, bytes]] = {}

    def run(self, coroutine: Any) -> Any:
        return self.runner.run(coroutine)

    @initialize()
    def open(self) -> None:
        self.store = self.run(stores.open_store(self.address))

    @rule(new_pets=st.lists(NEW_PETS, min_size=1, max_size=8))
    def create_at_once(self, new_pets: list[NewPet]) -> None:
        async def together() -> list[StoredPet]:
            creates = [self.store.create_pet(one) for one in new_pets]
            return list(await asyncio.gather(*creates))

        created = self.run(together())
        for wanted, pet in zip(new_pets, created, strict=True):
            assert (pet.name, pet.category_id) == (wanted.name, wanted.category_id)
            assert pet.status == wanted.status
        newest = max((pet.id for pet in self.pets), default=0)
        assert all(pet.id > newest for pet in created)
        self.pets += sorted(created)

    @rule(adds=st.lists(st.tuples(NEW_PETS, KEYS), min_size=1, max_size=8))
    def create_once(self, adds: list[tuple[NewPet, bytes]]) -> None:
        async def together() -> list[StoredPet | BaseException]:
            creates = [self.store.create_pet(*one) for one in adds]
            return list(await asyncio.gather(*creates, return_exceptions=True))

        created = self.run(together())
        for (wanted, key), outcome in zip(adds, created, strict=True):
            if key in self.added:
                assert isinstance(outcome, AlreadyAddedError)
                assert outcome.added == self.added[key]
            else:
                assert outcome == StoredPet.of(outcome.id, wanted)
                self.added[key] = outcome.id, digest_of(wanted)
                self.pets.append(outcome)

    @rule(key=KEYS)
    def find(self, key: bytes) -> None:
        assert self.run(self.store.find_added(key)) == self.added.get(key)

    @rule(data=st.data())
    def get(self, data: st.DataObject) -> None:
        known = {pet.id: pet for pet in self.pets}
        pet_id = data.draw(st.one_of(st.sampled_from([*known, 0]), st.integers(-1, INT64_MAXIMUM)))
        assert self.run(self.store.get_pet(pet_id)) == known.get(pet_id)

    @rule(limit=LIMITS, status=STATUSES, before=st.none() | st.integers(1, 40))
    def list(self, limit: int, status: PetStatus | None, before: int | None) -> None:
        expected = [
            pet
            for pet in reversed(self.pets)
            if (status is None or pet.status == status) and (before is None or pet.id < before)
        ]
        page = self.run(self.store.list_pets(limit, status, before))
        assert page.pets == tuple(expected[:limit])
        assert page.next_before == (expected[limit - 1].id if len(expected) > limit else None)

    @rule()
    def open_again(self) -> None:
        self.run(self.store.close())
        self.open()

    @invariant()
    def the_newest_page_is_the_same(self) -> None:
        page = self.run(self.store.list_pets(100))
        assert page.pets == tuple(self.pets[::-1][:100])

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.run(self.store.close())
        self.runner.close()


EXAMPLES = settings.get_profile("pettui").max_examples
MODEL_SETTINGS = settings(max_examples=EXAMPLES, stateful_step_count=20)
OF_POSTGRES = settings(MODEL_SETTINGS, max_examples=EXAMPLES // 4)


def test_a_file_agrees_with_a_list(tmp_path: Path) -> None:
    class FileBesideList(StoreBesideList):
        def new_address(self) -> str:
            return f"{tempfile.mkdtemp(dir=tmp_path)}/pets.db"

    run_state_machine_as_test(FileBesideList, settings=MODEL_SETTINGS)


def test_postgres_agrees_with_a_list(postgres: PrivatePostgres) -> None:
    class PostgresBesideList(StoreBesideList):
        def new_address(self) -> str:
            return postgres.new_database("beside_a_list")

    run_state_machine_as_test(PostgresBesideList, settings=OF_POSTGRES)


def test_the_databases_accept_the_statuses_of_the_interface() -> None:
    """One that is added needs another step: existing databases have these in a CHECK."""
    for migrations in (sqlite_files.MIGRATIONS, postgres.MIGRATIONS):
        [accepted] = re.findall(r"status IN \((.*?)\)", " ".join(migrations))
        assert re.findall(r"'(\w+)'", accepted) == ["available", "pending", "sold"]


async def test_a_value_that_a_constraint_refuses_is_a_bug_and_no_outage(
    store: Store, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PetStatus.SOLD, "_value_", "asleep")
    name = "Secret" + "name"
    body = {"name": name, "categoryId": 3, "status": "sold"}
    client = client_of(store)
    monkeypatch.setattr(client._transport, "raise_app_exceptions", False)
    response = await client.post("/v1/pets", json=body)
    assert (response.status_code, response.json()["code"]) == (500, "internal_error")
    with pytest.raises(ConstraintError) as bug:
        await store.create_pet(NewPet(name=name, category_id=3, status=PetStatus.SOLD))
    assert name not in "".join(traceback.format_exception(bug.value))
    assert (await store.list_pets(1)).pets == ()
    assert (await store.create_pet(NewPet(name="Rex", category_id=3))).name == "Rex"


async def test_what_a_constraint_refuses_leaves_what_came_with_it_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PetStatus.SOLD, "_value_", "asleep")
    statuses = [PetStatus.SOLD if number == 4 else None for number in range(10)]
    adds = [NewPet(name="Rex", category_id=3, status=status) for status in statuses]
    results = await asyncio.gather(*map(store.create_pet, adds), return_exceptions=True)
    assert [isinstance(one, ConstraintError) for one in results] == list(map(bool, statuses))
    assert len((await store.list_pets(100)).pets) == 9
