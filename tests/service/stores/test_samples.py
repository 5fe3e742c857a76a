"""The sample animals."""

from __future__ import annotations

from pettui.models import PetStatus
from pettui.service.stores.samples import SAMPLE_CATEGORIES, SAMPLE_COUNT, sample_pets


def test_the_first_sixty_differ_in_name_and_have_every_status_and_none() -> None:
    pets = list(sample_pets())
    assert len({pet.name for pet in pets}) == SAMPLE_COUNT
    assert {pet.status for pet in pets} == {*PetStatus, None}
    assert {pet.category_id for pet in pets} == set(SAMPLE_CATEGORIES)


def test_the_same_seed_gives_the_same_animals_and_another_gives_others() -> None:
    assert list(sample_pets(200)) == list(sample_pets(200, seed=1))
    assert list(sample_pets(200)) != list(sample_pets(200, seed=2))
