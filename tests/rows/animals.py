"""The animals of ``tests.animals``, by the names of tests that have yet to import them there."""

from tests.animals import (
    AWKWARD_NAMES,
    a_pet,
    an_unreadable,
    awkward_texts,
    category_name,
    elements,
    lists,
    words,
)

__all__ = [
    "AWKWARD_NAMES",
    "a_pet",
    "an_unreadable",
    "awkward_texts",
    "category_name",
    "elements",
    "lists",
    "words",
]
