"""Categories as users type them: by number, or by the shop's own name."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.models.pets import int64_of
from pettui.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

NAMED: Final = 8  # categories that a message lists
NO_NAMES: Final[Mapping[int, str]] = MappingProxyType({})


def category_of(text: str) -> int:
    """Return the category of ASCII digits with an optional minus sign, within int64.

    Raises:
        ValueError: it is none; the message says what would be right.
    """
    if not text.strip().removeprefix("-"):
        raise ValueError("a category is required: a whole number")
    if not is_number(text):
        raise ValueError("enter a whole number")
    return int64_of(text.strip())


def is_number(text: str) -> bool:
    """Whether a text is a whole number of any size, in ASCII digits."""
    digits = text.strip().removeprefix("-")
    return digits.isascii() and digits.isdigit()


class SeveralFitError(ValueError):
    """What was typed matches several names; the message lists them."""


class Categories:
    """The categories that a profile names or the outbox used, found by what is typed."""

    def __init__(
        self,
        names: Mapping[int, str] = NO_NAMES,
        used: Callable[[], Iterable[int]] = tuple,
    ) -> None:
        """Prepare the names for matching.

        Args:
            names: the shop's own, by number; several numbers may share a name.
            used: returns the categories of added animals, the last used first.
        """
        self.names = names
        self._used = used
        self._folded = {number: _folded(name) for number, name in names.items()}

    @property
    def has_names(self) -> bool:
        """Whether a category can be typed by its name."""
        return any(self._folded.values())

    def name(self, number: int) -> str:
        """Return the shop's own name, raw; "" where there is none."""
        return self.names.get(number, "")

    def is_unknown(self, number: int) -> bool:
        """Whether the profile has no name for a category, though it names others."""
        return self.has_names and not self.name(number)

    def label(self, number: int) -> str:
        """Return number and name, raw: "3 Dogs"."""
        return f"{number} {self.name(number)}".rstrip()

    def number_of(self, text: str) -> int:
        """Return the category with this number or name, or the only one whose name matches.

        Raises:
            SeveralFitError: several names match.
            ValueError: it is none; the message says what would be right.
        """
        if is_number(text) or text.strip() in ("", "-") or not self.has_names:
            return category_of(text)
        found = self._called(text) or self._fitting_names(_folded(text))
        if not found:
            raise ValueError(f"a whole number, or {self._list(self._all())}")
        if len(found) > 1:
            raise SeveralFitError(f"fits {self._list(found)}")
        return found[0]

    def number_in(self, text: str) -> int | None:
        """Return the category of ``number_of``; None where the text is none."""
        try:
            return self.number_of(text)
        except ValueError:
            return None

    def matching(self, text: str) -> list[int]:
        """Return the categories that match what is typed so far, the last used first."""
        if not text.strip():
            return self._all()
        if is_number(text):
            return [each for each in self._all() if str(each).startswith(text.strip())]
        return self._called(text) or self._fitting_names(_folded(text))

    def as_listed(self, numbers: Iterable[int]) -> list[int]:
        """Return categories in the profile's order, those that it does not name last."""
        return sorted(numbers, key=[*self.names, *self._all()].index)

    def offers(self, text: str) -> list[int]:
        """Return the categories that match what is typed so far; [] where it is complete."""
        found = self.matching(text)
        is_complete = len(self._called(text)) == 1 or text.strip() in map(str, found)
        return [] if is_complete else found

    def completed(self, text: str) -> str:
        """Return the first offer as it would be typed, or the text if there is none."""
        offers = self.offers(text)
        if not offers:
            return text
        name = self.name(offers[0])
        by_name = text.strip() and not is_number(text) and len(self._called(name)) == 1
        return name if by_name else str(offers[0])

    def _all(self) -> list[int]:
        return list(dict.fromkeys((*self._used(), *self.names)))

    def _called(self, text: str) -> list[int]:
        """Return the categories with exactly this name or label."""
        folded = _folded(text)
        return [
            number
            for number, name in self._folded.items()
            if name and folded in (name, f"{number} {name}")
        ]

    def _fitting_names(self, typed: str) -> list[int]:
        """Return those with a word, or a label, that starts so; otherwise those that contain it."""
        if not typed or is_number(typed):  # in digits other than ASCII's
            return []
        named = [number for number in self._all() if self._folded.get(number)]
        starting = [
            number
            for number in named
            if f" {typed}" in f" {self._folded[number]}"
            or f"{number} {self._folded[number]}".startswith(typed)
        ]
        return starting or [number for number in named if typed in self._folded[number]]

    def _list(self, numbers: list[int]) -> str:
        labels = [self.label(number) for number in numbers[:NAMED]]
        return ", ".join(labels) + (", …" if len(numbers) > NAMED else "")


def _folded(text: str) -> str:
    return " ".join(fold(text).split())
