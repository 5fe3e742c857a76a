"""The cells of a record and the values of a JSON object → NewPet, or what is wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pettui.models import NewPet, PetStatus, encodable, int64
from pettui.transfer.formats import BAD, unguarded
from pettui.transfer.reading.import_lines import CATEGORY, MISSING, NAME, STATUS, WHOLE, FaultError
from pettui.transfer.reading.text_pieces import why_not_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pettui.transfer.reading.category_names import CategoryNames
    from pettui.transfer.reading.import_columns import Columns


def pet_of_cells(cells: Sequence[str], columns: Columns, categories: CategoryNames) -> NewPet:
    """Return the animal in a record. Raises FaultError."""
    name, category = _cell(cells, columns.name), _cell(cells, columns.category)
    status = "" if columns.status is None else _cell(cells, columns.status)
    if columns.is_export:
        name, category, status = unguarded(name), unguarded(category), unguarded(status)
    too_many = () if columns.width is None else tuple(filter(None, cells[columns.width :]))
    try:
        if too_many:
            _refuse_width(len(cells), columns.width)
        # What was bad in the result of an import is corrected by hand.
        outcome = "" if columns.outcome is None else _cell(cells, columns.outcome)
        is_typed = not columns.is_export or outcome == BAD
        return _pet_of_texts(name, category, status, categories, is_typed=is_typed)
    except FaultError as error:
        were = _as_they_were(name, category, status, *too_many)
        raise FaultError(error.field, error.reason, were) from None


def _refuse_width(count: int, width: int | None) -> None:
    raise FaultError(WHOLE, f"it has {count} cells, but the header has {width}")


def _pet_of_texts(
    name: str, category: str, status: str, categories: CategoryNames, *, is_typed: bool
) -> NewPet:
    """Return the animal; of typed ones the name is there, and the status is read leniently."""
    for field, text in ((NAME, name), (CATEGORY, category), (STATUS, status)):
        _check_text(field, text)
    if is_typed:
        status = status.strip().lower()
        if not name.strip():
            raise FaultError(NAME, MISSING)
    number = categories.number_of(category)
    return NewPet(name=name, categoryId=number, status=_status(status) if status else None)


def pet_of_values(
    values: Mapping[str, Any], names: Mapping[str, str], categories: CategoryNames
) -> NewPet:
    """Return the animal in a JSON object. Raises FaultError.

    Args:
        values: the object.
        names: of the object, by field.
        categories: the profile's.
    """
    name, category, status = (values.get(names.get(each, "")) for each in (NAME, CATEGORY, STATUS))
    try:
        text = _checked_name(name, is_there=NAME in names)
        number = _category(category, categories)
        return NewPet(
            name=text, categoryId=number, status=None if status is None else _status(status)
        )
    except FaultError as error:
        # A name that is no text must not become one in the result.
        texts = (name if isinstance(name, str) else "", _text(category), _text(status))
        raise FaultError(error.field, error.reason, _as_they_were(*texts)) from None


def _checked_name(name: object, *, is_there: bool) -> str:
    if not is_there:
        raise FaultError(NAME, MISSING)
    if not isinstance(name, str):
        raise FaultError(NAME, "must be text")
    try:
        return encodable(name)
    except ValueError as error:
        raise FaultError(NAME, str(error)) from None


def _as_they_were(*cells: str) -> tuple[str, ...]:
    """Return cells for the result; none if one of them cannot be written as text."""
    return () if any(why_not_text(cell) for cell in cells) else cells


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _cell(cells: Sequence[str], index: int) -> str:
    return cells[index] if index < len(cells) else ""


def _check_text(field: str, text: str) -> None:
    if (reason := why_not_text(text)) is not None:
        raise FaultError(field, reason)


def _category(value: object, categories: CategoryNames) -> int:
    if value is None:
        raise FaultError(CATEGORY, MISSING)
    if isinstance(value, str):
        return categories.number_of(value)
    try:
        return int64(value)
    except ValueError as error:
        raise FaultError(CATEGORY, str(error)) from None


def _status(value: object) -> PetStatus:
    if isinstance(value, str) and value in PetStatus.__members__.values():
        return PetStatus(value)
    raise FaultError(STATUS, "must be available, pending or sold")
