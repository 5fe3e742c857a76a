"""The cells of a record and the values of a JSON object → NewPet, or what is wrong with them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.json_text import Number
from pettui.models import STATUSES, NewPet, PetStatus
from pettui.transfer.formats import unguarded
from pettui.transfer.reading.import_lines import CATEGORY, MISSING, NAME, STATUS, WHOLE, FaultError
from pettui.transfer.reading.text_pieces import why_not_text
from pettui.validation import WrongFieldError, new_pet_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pettui.transfer.reading.category_names import CategoryNames
    from pettui.transfer.reading.import_columns import Columns


_SENT: Final = MappingProxyType({NAME: "name", CATEGORY: "categoryId", STATUS: "status"})
_FIELDS: Final = MappingProxyType({name: field for field, name in _SENT.items()})


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
    return NewPet(name=name, category_id=number, status=_status(status) if status else None)


def pet_of_values(
    values: Mapping[str, Any], names: Mapping[str, str], categories: CategoryNames
) -> NewPet:
    """Return the animal in a JSON object. Raises FaultError.

    Args:
        values: the object.
        names: of the object, by field.
        categories: the profile's.
    """
    given = {field: values[name] for field, name in names.items()}
    sent = {_SENT[field]: value for field, value in given.items() if value is not None}
    if NAME in given:
        sent["name"] = given[NAME]  # null is no name, and nothing else than one
    category = sent.get("categoryId")
    if isinstance(category, str) and not isinstance(category, Number):
        sent["categoryId"] = categories.number_of(category)
    try:
        return new_pet_of(sent)
    except WrongFieldError as error:
        raise FaultError(_FIELDS[error.name], error.rule) from None


def _cell(cells: Sequence[str], index: int) -> str:
    return cells[index] if index < len(cells) else ""


def _check_text(field: str, text: str) -> None:
    if (reason := why_not_text(text)) is not None:
        raise FaultError(field, reason)


def _status(value: str) -> PetStatus:
    if value in STATUSES:
        return STATUSES[value]
    raise FaultError(STATUS, "must be available, pending or sold")
