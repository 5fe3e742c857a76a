"""The cells of a record and the values of a JSON object → NewPet, or what is wrong with them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.json_text import Number
from pettui.models import STATUSES, NewPet, PetStatus, shown
from pettui.transfer.formats import BAD, unguarded
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
    try:
        if isinstance(category, str) and not isinstance(category, Number):
            sent["categoryId"] = categories.number_of(category)
        return _new_pet_of(sent)
    except FaultError as error:
        # A name that is no text must not become one in the result.
        name = sent.get("name")
        is_text = isinstance(name, str) and not isinstance(name, Number)
        texts = (str(name) if is_text else "", *map(_text, map(given.get, (CATEGORY, STATUS))))
        raise FaultError(error.field, error.reason, _as_they_were(*texts)) from None


def _new_pet_of(fields: dict[str, Any]) -> NewPet:
    try:
        return new_pet_of(fields)
    except WrongFieldError as error:
        raise FaultError(_FIELDS[error.name], error.rule) from None


def _as_they_were(*cells: str) -> tuple[str, ...]:
    """Return cells for the result; none if one of them cannot be written as text."""
    return () if any(why_not_text(cell) for cell in cells) else cells


def _text(value: object) -> str:
    return "" if value is None else shown(value)


def _cell(cells: Sequence[str], index: int) -> str:
    return cells[index] if index < len(cells) else ""


def _check_text(field: str, text: str) -> None:
    if (reason := why_not_text(text)) is not None:
        raise FaultError(field, reason)


def _status(value: str) -> PetStatus:
    if value in STATUSES:
        return STATUSES[value]
    raise FaultError(STATUS, "must be available, pending or sold")
