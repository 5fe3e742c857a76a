"""The cells of a record and the values of a JSON object → NewPet, or what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettui.models import NewPet, PetStatus, encodable, int64
from pettui.transfer.formats import unguarded
from pettui.transfer.reading.import_lines import CATEGORY, MISSING, NAME, STATUS, WHOLE, FaultError
from pettui.transfer.reading.text_pieces import why_not_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pettui.transfer.reading.category_names import CategoryNames
    from pettui.transfer.reading.import_columns import Columns


def pet_of_cells(cells: Sequence[str], columns: Columns, categories: CategoryNames) -> NewPet:
    """Return the animal in a record. Raises FaultError."""
    if columns.width is not None and any(cells[columns.width :]):
        reason = f"it has {len(cells)} cells, but the header has {columns.width}"
        raise FaultError(WHOLE, reason)
    name, category = _cell(cells, columns.name), _cell(cells, columns.category)
    status = "" if columns.status is None else _cell(cells, columns.status)
    for field, text in ((NAME, name), (CATEGORY, category), (STATUS, status)):
        _check_text(field, text)
    if columns.is_export:
        name, status = unguarded(name), unguarded(status)
    else:
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
    if NAME not in names:
        raise FaultError(NAME, MISSING)
    name = values[names[NAME]]
    if not isinstance(name, str):
        raise FaultError(NAME, "must be text")
    try:
        encodable(name)
    except ValueError as error:
        raise FaultError(NAME, str(error)) from None
    number = _category(values.get(names.get(CATEGORY, "")), categories)
    status = values.get(names.get(STATUS, ""))
    return NewPet(name=name, categoryId=number, status=None if status is None else _status(status))


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
