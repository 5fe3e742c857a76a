"""What a session added, counted by category and status."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pettui.models.pets import Pet
from pettui.outbox import Entry, EntryState
from pettui.tui.outbox.entry_decisions import added_pet
from pettui.tui.session.counts import Receipt, Total

STATUSES = (None, "available", "pending", "sold", "on holiday")


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
    receipt = receipt_of(*(added(n, 20 - n, status) for n, status in enumerate(statuses)))
    assert [total.category_id for total in receipt.totals] == [None, 15, 16, 17, 18, 19, 20]
    ordered = ["available", "pending", "sold", "on holiday", "zoo", None]
    assert list(receipt.totals[0].by_status) == ordered


def test_an_entry_that_is_reported_twice_counts_once() -> None:
    receipt = receipt_of(added(1), added(2), added(1))
    assert receipt.count == 2
    assert receipt.totals == (Total(None, {None: 2}), Total(3, {None: 2}))


def test_beyond_what_is_kept_all_are_counted() -> None:
    receipt = receipt_of(*map(added, range(5)), kept=3)
    assert [pet.id for pet in receipt.pets] == [4, 3, 2]
    assert receipt.count == receipt.totals[0].number == 5


def test_an_animal_with_a_very_long_body_is_listed_as_it_was_typed() -> None:
    typed = Entry("1-a", "Rex", 3, "sold", EntryState.SENDING, 0.0)
    long = Pet(id=1, name="Rex", category_id=3, status="sold", others={"story": "x" * 5_000})
    (pet,) = receipt_of(typed.added_as(long)).pets
    assert (pet.id, pet.name, pet.category_id, pet.status) == (1, "Rex", 3, "sold")
    assert not pet.others


@given(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(STATUSES))))
def test_every_animal_is_counted_once_in_all_and_once_in_its_category(
    animals: list[tuple[int, str | None]],
) -> None:
    receipt = receipt_of(*(added(n, *animal) for n, animal in enumerate(animals)))
    of_category = Counter(category for category, _ in animals)
    assert {t.category_id: t.number for t in receipt.totals[1:]} == of_category
    assert sum(total.number for total in receipt.totals) == 2 * len(animals)
