"""Duplicates are animals with the same name and category."""

from __future__ import annotations

from pettui.models import Pet
from pettui.outbox import Draft, Entry, EntryState
from pettui.tui.lists.duplicates import Duplicates


def test_a_duplicate_has_the_same_name_and_category() -> None:
    duplicates = Duplicates([Pet(id=7, name="Rex", category_id=3)])
    assert duplicates.id_of(Draft("Rex", " 3 ")) == 7
    assert duplicates.id_of(Draft("rex", "3")) is None
    assert duplicates.id_of(Draft("Rex", "4")) is None
    assert duplicates.id_of(Draft("Rex", "x")) is None


def test_an_animal_that_was_just_added_can_have_a_duplicate() -> None:
    duplicates = Duplicates([])
    duplicates.add(Entry("1", "Rex", 3, None, EntryState.ADDED, 0.0, pet_id=8))
    duplicates.add(Entry("2", "Mimi", 3, None, EntryState.WAITING, 0.0))
    assert duplicates.id_of(Draft("Rex", "3")) == 8
    assert duplicates.id_of(Draft("Mimi", "3")) is None
