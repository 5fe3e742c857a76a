"""CategoryNames: categories as people write them, by number or by the profile's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pettui.json_text import Number
from pettui.models import int64
from pettui.transfer.reading.import_lines import CATEGORY, MISSING, FaultError

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBER: Final = re.compile(r"([+-]?)0*([0-9]+)(?:\.0+)?", re.ASCII)  # 3.0: from a spreadsheet
_SHOWN: Final = 40  # characters of an unknown name


class CategoryNames:
    """The categories of a profile, looked up by number or name."""

    def __init__(self, categories: Mapping[int, str]) -> None:
        """Index the profile's names by number; several categories may have the same name."""
        self._numbers: dict[str, list[int]] = {}
        for number, name in categories.items():
            self._numbers.setdefault(_folded(name), []).append(number)

    def has(self, text: str) -> bool:
        """Whether a text is a number, or one of the names."""
        return _NUMBER.fullmatch(text.strip()) is not None or _folded(text) in self._numbers

    def number_of(self, text: str) -> int:
        """Return the number of a category.

        Raises:
            FaultError: no category matches, or more than one does.
        """
        written = text.strip()
        if not written:
            raise FaultError(CATEGORY, MISSING)
        if number := _NUMBER.fullmatch(written):
            try:
                return int64(Number(number[1].removeprefix("+") + number[2]))
            except ValueError as error:
                raise FaultError(CATEGORY, str(error)) from None
        match self._numbers.get(_folded(written), []):
            case [only]:
                return only
            case []:
                raise FaultError(CATEGORY, f"{_cut(written)} is not a number or a category name")
            case [first, second, *_]:
                reason = f"{_cut(written)} is the name of {first} and of {second}"
                raise FaultError(CATEGORY, f"{reason}; use the number")
        raise AssertionError  # unreachable


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
