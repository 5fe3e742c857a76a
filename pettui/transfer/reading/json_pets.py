"""The JSON of an animal → NewPet, or what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pettui.json_text import NotJsonError, json_text, json_value
from pettui.settings import Limits
from pettui.transfer.reading.import_columns import field_names
from pettui.transfer.reading.import_lines import WHOLE, FaultError
from pettui.transfer.reading.new_pets import pet_of_values
from pettui.transfer.reading.text_pieces import why_not_text
from pettui.validation import WrongShapeError, fields_of

if TYPE_CHECKING:
    from pettui.models import NewPet
    from pettui.transfer.reading.category_names import CategoryNames

_SHORT: Final = 4_000  # characters; no number in fewer has more digits than Python converts
_LIMITS: Final = Limits()


def pet_of_json(text: str, categories: CategoryNames, ignored: dict[str, None]) -> NewPet:
    """Return the animal in a JSON text.

    Args:
        text: one JSON value, with white space around it.
        categories: the profile's.
        ignored: names that createPet does not have; those of this animal are added.

    Raises:
        FaultError: it is not an animal that can be added.
    """
    if (reason := why_not_text(text)) is not None:
        raise FaultError(WHOLE, reason)
    try:
        values: dict[str, Any] = fields_of(_value(text))
    except (NotJsonError, WrongShapeError) as error:
        raise FaultError(WHOLE, str(error)) from None
    names = field_names(values)
    taken = set(names.values())
    ignored.update((name, None) for name in values if name not in taken)
    return pet_of_values(values, names, categories)


def _value(text: str) -> Any:
    return json_value(text if len(text) <= _SHORT else json_text(text.encode(), _LIMITS))
