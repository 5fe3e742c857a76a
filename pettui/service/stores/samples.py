"""Sample animals, the same for the same seed."""

from __future__ import annotations

from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pettui.models.pets import NewPet

SAMPLE_COUNT: Final = 60

# The interface has no category names; a demo's profile uses these for the samples.
SAMPLE_CATEGORIES: Final[Mapping[int, str]] = MappingProxyType(
    {
        1: "Cats",
        2: "Birds",
        3: "Dogs",
        4: "Fish",
        5: "Rabbits",
        6: "Reptiles",
        7: "Small pets",
        8: "Horses",
    }
)

_NAMES: Final[Mapping[int, tuple[str, ...]]] = MappingProxyType({
    1: ("Mimi", "Luna", "Görli", "Miso", "小梅", "Earl Grey", "Zoë", "Biscuit", "Mitzi", "Pumpkin"),
    2: ("Kiwi", "Peaches", "Coco", "Ñandú", "Sir Chirps-a-Lot", "Pip", "Olive", "Tweety 🐦"),
    3: ("Rex", "Bella", "Waldi", "Fiona", "Amélie", "Bruno", "ハチ", "Frau Müller", "Scout"),
    4: ("Nemo", "Bubbles", "Captain Finn", "Dory", "Sushi", "金魚 🐠"),
    5: ("Clover", "Thumper", "Binky", "Señor Orejas", "Hazel", "Oreo", "Łatka"),
    6: ("Spike", "Shelly", "Monty", "Žofie", "Rango", "Speedy 🐢"),
    7: ("Tiny 🐹", "Nibbles", "Peanut", "Gus", "Popcorn", "Ægir", "Nameless"),
    8: ("Bella Donna", "Blackjack", "Søren", "Silver", "Pünktchen", "Maple", "Whiskey in the Jar"),
})  # fmt: skip
_STATUSES: Final = ("available", "pending", "sold", None)
_WEIGHTS: Final = (5, 2, 2, 1)


def sample_pets(count: int = SAMPLE_COUNT, seed: int = 1) -> Iterator[NewPet]:
    """Return animals, one by one; repeated names are numbered."""
    # Imported here, so that the category names alone load fast.
    from pettui.models.pets import NewPet, PetStatus  # noqa: PLC0415

    random = Random(seed)  # noqa: S311 - samples, no secrets
    pets = [(name, category_id) for category_id, names in _NAMES.items() for name in names]
    random.shuffle(pets)
    for number in range(count):
        repetition, index = divmod(number, len(pets))
        name, category_id = pets[index]
        status = random.choices(_STATUSES, _WEIGHTS)[0]
        name = f"{name} {repetition + 1}" if repetition else name
        yield NewPet(
            name=name, category_id=category_id, status=PetStatus(status) if status else None
        )
