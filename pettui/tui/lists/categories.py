"""Categories as they are typed: by number, or by the shop's own name."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.models import int64
from pettui.tui.rows.folding import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

NAMED: Final = 8  # categories that a message names
NO_NAMES: Final[Mapping[int, str]] = MappingProxyType({})


def category_of(text: str) -> int:
    """Return the category that was typed: ASCII digits with an optional sign, within int64.

    Raises:
        ValueError: it is none; the text says what would be right.
    """
    digits = text.strip().removeprefix("-")
    if not digits:
        raise ValueError("a category is needed: a whole number")
    if not is_number(text):
        raise ValueError("a whole number is needed")
    try:
        return int64(int(text.strip()) if len(digits) <= 19 else 2**63)
    except ValueError:
        raise ValueError("from -2^63 to 2^63 - 1") from None


def is_number(text: str) -> bool:
    """Whether a text is written as a whole number, of any size."""
    digits = text.strip().removeprefix("-")
    return digits.isascii() and digits.isdigit()


class SeveralFitError(ValueError):
    """What was typed is the beginning of more than one name; the text says of which."""


class Categories:
    """The categories that a profile names and those that were used, found by what is typed."""

    def __init__(
        self,
        names: Mapping[int, str] = NO_NAMES,
        used: Callable[[], Iterable[int]] = tuple,
    ) -> None:
        """Take the names.

        Args:
            names: the shop's own, by number; a name may be that of several.
            used: returns the categories of what was added, the last used first.
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

    def label(self, number: int) -> str:
        """Return number and name, raw: "3 Dogs"."""
        return f"{number} {self.name(number)}".rstrip()

    def number_of(self, text: str) -> int:
        """Return the category that is meant: by its number, its name, or what fits one name alone.

        Raises:
            SeveralFitError: it is the beginning of several names.
            ValueError: it is none; the text says what would be right.
        """
        if is_number(text) or text.strip() in ("", "-") or not self.has_names:
            return category_of(text)
        found = self._called(text) or self._fitting_names(_folded(text))
        if not found:
            raise ValueError(f"a whole number, or {self._list(self._all())}")
        if len(found) > 1:
            raise SeveralFitError(f"fits {self._list(found)}")
        return found[0]

    def offers(self, text: str) -> list[int]:
        """Return what the typed text may become, the last used first; [] where it is one whole."""
        if not text.strip():
            return self._all()
        if is_number(text):
            written = text.strip()
            longer = [each for each in self._all() if str(each).startswith(written)]
            return [] if any(str(each) == written for each in longer) else longer
        return [] if len(self._called(text)) == 1 else self._fitting_names(_folded(text))

    def completed(self, text: str) -> str:
        """Return the first offer as it would be typed, or the text where there is none."""
        offers = self.offers(text)
        if not offers:
            return text
        name = self.name(offers[0])
        by_name = text.strip() and not is_number(text) and len(self._called(name)) == 1
        return name if by_name else str(offers[0])

    def _all(self) -> list[int]:
        return list(dict.fromkeys((*self._used(), *self.names)))

    def _called(self, text: str) -> list[int]:
        """Return the categories of just this name, or of this label."""
        folded = _folded(text)
        return [
            number
            for number, name in self._folded.items()
            if name and folded in (name, f"{number} {name}")
        ]

    def _fitting_names(self, typed: str) -> list[int]:
        """Return those of which a word, or the label, begins so; else those that hold it."""
        if not typed or is_number(typed):  # in digits that are none of ASCII's
            return []
        there = [number for number in self._all() if self._folded.get(number)]
        begun = [
            number
            for number in there
            if f" {typed}" in f" {self._folded[number]}"
            or f"{number} {self._folded[number]}".startswith(typed)
        ]
        return begun or [number for number in there if typed in self._folded[number]]

    def _list(self, numbers: list[int]) -> str:
        labels = [self.label(number) for number in numbers[:NAMED]]
        return ", ".join(labels) + (", …" if len(numbers) > NAMED else "")


def _folded(text: str) -> str:
    return " ".join(fold(text).split())
