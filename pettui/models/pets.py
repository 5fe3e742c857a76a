"""The interface's resources: NewPet, Pet, PetStatus and Error; and what a list of pets tells.

They are plain data. ``validation`` makes them from what comes from outside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003 - whoever asks for the types of fields finds it
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from pettui.models.statuses import ONE_OF_STATUSES, STATUSES
from pettui.models.statuses import PetStatus as PetStatus  # noqa: PLC0414 - imported from here
from pettui.text.json import kind_of, on_one_line, whole_number, written

if TYPE_CHECKING:
    from collections.abc import Sequence

INT64_MINIMUM: Final = -(2**63)
INT64_MAXIMUM: Final = 2**63 - 1
_SURROGATE: Final = "[\ud800-\udfff]"


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class NewPet:
    """What createPet adds."""

    name: str
    category_id: int
    status: PetStatus | None = None

    def __init__(
        self, *, name: str, category_id: int, status: PetStatus | str | None = None
    ) -> None:
        """Describe an animal; a status may be its word, such as ``"sold"``.

        Raises:
            TypeError: one of the three is of another type.
            ValueError: it can't be sent: not an int64, no status, half a character in the name.
        """
        if not isinstance(name, str):
            raise TypeError(f"name must be text, not {_type_of(name)}")
        if not is_encodable(name):
            raise ValueError("name must hold no half of a character")
        if type(category_id) is not int:
            raise TypeError(f"category_id must be a whole number, not {_type_of(category_id)}")
        try:
            int64(category_id)
        except ValueError as error:
            raise ValueError(f"category_id: {error}") from None
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "category_id", category_id)
        object.__setattr__(self, "status", None if status is None else pet_status(status))

    def body(self) -> dict[str, Any]:
        """Return the JSON object for createPet; a status that is not set is left out."""
        body = {"name": self.name, "categoryId": self.category_id}
        return body if self.status is None else {**body, "status": self.status.value}


def pet_status(status: PetStatus | str) -> PetStatus:
    """Return a status, which may be its word.

    Raises:
        TypeError: it is no text.
        ValueError: the interface has no such status.
    """
    if not isinstance(status, str):
        raise TypeError(f"status must be {ONE_OF_STATUSES}, not {_type_of(status)}")
    if status not in STATUSES:
        raise ValueError(f"status must be {ONE_OF_STATUSES}")
    return STATUSES[status]


def _type_of(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pet:
    """An animal as the service returns it (listPets, createPet, getPet)."""

    id: int
    name: str
    category_id: int
    status: PetStatus | str | None = None  # text that this version does not know is kept as it is
    # Fields that the interface does not know, whose numbers are int or Decimal, and written as
    # they came; equal to others however that is.
    others: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # As it was received, which is exact: 1.10, say. A quarter of the size of a str with emoji. No
    # argument: an animal that is made of other values was not received.
    json: bytes | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "json", None)

    def received_as(self, json: bytes) -> Pet:
        """Return this animal, new and nobody's yet, with the JSON that it was read from."""
        object.__setattr__(self, "json", json)
        return self

    def to_json(self) -> str:
        """Return the animal on one line of JSON: exactly as received, if it was received."""
        if self.json is not None:
            return on_one_line(self.json.decode("utf-8-sig"))
        fields = {"id": self.id, "name": self.name, "categoryId": self.category_id}
        status = {} if self.status is None else {"status": self.status}
        return written({**fields, **status, **self.others})

    @property
    def size(self) -> int:
        """The size of its JSON in bytes: as received, if it was received."""
        return len(self.to_json().encode() if self.json is None else self.json)

    @property
    def other_texts(self) -> dict[str, str]:
        """The texts of the unknown fields: the string itself, or JSON."""
        return {name: shown(value) for name, value in self.others.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBody:
    """The interface's Error: ``status`` is the HTTP status that its sender claims."""

    code: str
    message: str
    status: int
    others: Mapping[str, Any] = field(default_factory=dict, hash=False)


def trimmed_name(text: str) -> str:
    """Return the name to send for one that a person or a file gives; "" is none.

    Blanks at its ends are seen by nobody, and make two animals of one. Whatever else a name may be
    is the service's to say.
    """
    return text.strip()


def shown(value: object) -> str:
    """Return the text of a JSON value: the string itself, or JSON."""
    return str(value) if isinstance(value, str) else written(value)


def int64(value: object) -> int:
    """Return a number as an int64. ``1.0`` is an integer in JSON Schema; ``true`` is none.

    Raises:
        ValueError: it is no whole number, or out of range.
    """
    if type(value) is int:
        return _in_bounds(value)
    if (kind := kind_of(value)) != "a number":
        is_text = kind == "a text"
        raise ValueError("must be a whole number" + (", and is text" if is_text else ""))
    return int64_of(str(value))


def int64_of(text: str) -> int:
    """Return a number that somebody wrote as an int64; raises as ``int64``."""
    number = whole_number(text)
    if number is None and text.removeprefix("-").isdecimal():  # of more than 20 digits
        number = INT64_MINIMUM - 1 if text.startswith("-") else INT64_MAXIMUM + 1
    if number is None:
        raise ValueError("must be a whole number")
    return _in_bounds(number)


def _in_bounds(number: int) -> int:
    if not INT64_MINIMUM <= number <= INT64_MAXIMUM:
        raise ValueError(f"this number is too {'small' if number < 0 else 'large'}")
    return number


def ids_fall(ids: Sequence[int]) -> bool:
    """Whether the newest animals come first, as far as ids tell."""
    return all(first >= second for first, second in pairwise(ids))


def is_encodable(text: str) -> bool:
    """Whether a text holds no half of a character, which an escape of JSON or a bad byte can be."""
    return not re.search(_SURROGATE, text)


@dataclass(frozen=True, slots=True)
class UnreadablePet:
    """An element of a list that is not a Pet."""

    index: int  # in the list as it was sent
    reason: str  # "categoryId: must be a whole number"
    excerpt: str  # of the element's JSON, cut
