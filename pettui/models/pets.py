"""The interface's resources: NewPet, Pet, PetStatus and Error; and what a list of pets tells.

They are plain data. ``validation`` makes them from what comes from outside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.models.statuses import PetStatus as PetStatus  # noqa: PLC0414, TC001 - imported from here
from pettui.text.json import Number, on_one_line, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INT64_MINIMUM: Final = -(2**63)
INT64_MAXIMUM: Final = 2**63 - 1
_NO_OTHERS: Final[Mapping[str, Any]] = MappingProxyType({})
_SURROGATE: Final = "[\ud800-\udfff]"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPet:
    """What createPet adds."""

    name: str
    category_id: int
    status: PetStatus | None = None

    def body(self) -> dict[str, Any]:
        """Return the JSON object for createPet; a status that is not set is left out."""
        body = {"name": self.name, "categoryId": self.category_id}
        return body if self.status is None else {**body, "status": self.status.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pet:
    """An animal as the service returns it (listPets, createPet, getPet)."""

    id: int
    name: str
    category_id: int
    status: PetStatus | str | None = None  # text that this version does not know is kept as it is
    # Fields that the interface does not know; equal to others however their numbers are written.
    others: Mapping[str, Any] = field(default_factory=lambda: _NO_OTHERS, hash=False)
    # As it was received, which is exact: 1.10, say. A quarter of the size of a str with emoji.
    json: bytes | None = field(default=None, repr=False, compare=False)

    @property
    def as_json(self) -> str:
        """The animal on one line of JSON: exactly as received, if it was received."""
        if self.json is not None:
            return on_one_line(self.json.decode("utf-8-sig"))
        fields = {"id": Number(self.id), "name": self.name, "categoryId": Number(self.category_id)}
        status = {} if self.status is None else {"status": self.status}
        return written({**fields, **status, **self.others})

    @property
    def size(self) -> int:
        """The size of its JSON in bytes: as received, if it was received."""
        return len(self.as_json.encode() if self.json is None else self.json)

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
    others: Mapping[str, Any] = field(default_factory=lambda: _NO_OTHERS, hash=False)


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
    number = value
    if isinstance(value, Number):
        number = value.whole()
        if number is None and value.removeprefix("-").isdecimal():  # of more than 20 digits
            number = INT64_MINIMUM - 1 if value.startswith("-") else INT64_MAXIMUM + 1
    if type(number) is not int:
        is_text = isinstance(value, str) and not isinstance(value, Number)
        raise ValueError("must be a whole number" + (", and is text" if is_text else ""))
    if not INT64_MINIMUM <= number <= INT64_MAXIMUM:
        raise ValueError(f"this number is too {'small' if number < 0 else 'large'}")
    return number


def ids_fall(ids: Sequence[int]) -> bool:
    """Whether the newest animals come first, as far as ids tell."""
    return all(first >= second for first, second in pairwise(ids))


def is_encodable(text: str) -> bool:
    """Whether a text holds no half of a character, which an escape of JSON or a bad byte can be."""
    return not re.search(_SURROGATE, text)
