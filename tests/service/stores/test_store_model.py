"""Every store against a plain list: whatever is done to both, they agree."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, NewPet, PetStatus
from pettui.service.stores.postgres import PostgresStore
from pettui.service.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.service.stores.store import Store, StoredPet
    from tests.service.private_postgres import PrivatePostgres

NEW_PETS = st.builds(
    NewPet,
    name=st.text(st.characters(exclude_categories=["Cs"])),
    category_id=st.integers(INT64_MINIMUM, INT64_MAXIMUM),
    status=st.sampled_from([*PetStatus, None]),
)
STATUSES = st.sampled_from([*PetStatus, None])
LIMITS = st.integers(1, 100)


class StoreBesideList(RuleBasedStateMachine):
    """A store, and the list of animals that it must hold."""

    # Opens the database of this run, which is empty at first.
    opening: Callable[[], Awaitable[Store]]

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.pets: list[StoredPet] = []

    def run(self, coroutine: Any) -> Any:
        return self.runner.run(coroutine)

    @initialize()
    def open(self) -> None:
        self.store = self.run(self.opening())

    @rule(new_pets=st.lists(NEW_PETS, min_size=1, max_size=8))
    def create_at_once(self, new_pets: list[NewPet]) -> None:
        async def together() -> list[StoredPet]:
            creates = [self.store.create_pet(one) for one in new_pets]
            return list(await asyncio.gather(*creates))

        created = self.run(together())
        for new_pet, pet in zip(new_pets, created, strict=True):
            assert (pet.name, pet.category_id) == (new_pet.name, new_pet.category_id)
            assert pet.status == new_pet.status
        newest = max((pet.id for pet in self.pets), default=0)
        assert all(pet.id > newest for pet in created)
        self.pets += sorted(created)

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
        self.store = self.run(self.opening())

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
        def __init__(self) -> None:
            super().__init__()
            self.path = Path(tempfile.mkdtemp(dir=tmp_path)) / "pets.db"

        async def opening(self) -> Store:
            return SqliteStore.open(self.path)

    run_state_machine_as_test(FileBesideList, settings=MODEL_SETTINGS)


def test_postgres_agrees_with_a_list(postgres: PrivatePostgres) -> None:
    class PostgresBesideList(StoreBesideList):
        def __init__(self) -> None:
            super().__init__()
            self.address = postgres.new_database("beside_a_list")

        async def opening(self) -> Store:
            return await PostgresStore.open(self.address)

    run_state_machine_as_test(PostgresBesideList, settings=OF_POSTGRES)
