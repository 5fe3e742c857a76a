"""Settings and profiles as frozen data; ``configuration`` reads them, nothing here does I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LIMIT_MINIMUM = 1
LIMIT_MAXIMUM = 100
LIMIT_DEFAULT = 20

NO_NAMES: Mapping[int, str] = MappingProxyType({})


class ApiKey:
    """A bearer key that shows itself nowhere: ``repr``, ``str`` and formatting are masked.

    Only ``reveal()`` gives the key; the client's transport alone calls it.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Give the key itself."""
        return self._value

    def __repr__(self) -> str:
        return "ApiKey(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApiKey) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("an API key is not pickled or copied to disk")


class StoreKind(Enum):
    """Where a profile's animals are."""

    SERVICE = "service"  # over HTTP, at base_url
    EMBEDDED = "embedded"  # in this process, in a file of the user's
    DEMO = "demo"  # in this process, in memory


class Glyphs(Enum):
    """Which characters the screens are drawn with."""

    UNICODE = "unicode"
    ASCII = "ascii"


@dataclass(frozen=True, slots=True)
class Profile:
    """One store to work with: where it is, and how the header tells it from the others."""

    name: str
    kind: StoreKind
    base_url: str  # ends in /v1; of an embedded store, a name that never meets a network
    api_key: ApiKey
    label: str  # in the header: PRODUCTION, STAGING, DEMO …
    colour: str  # of the label; a name of COLOURS
    database: Path | None = None  # of an embedded store
    categories: Mapping[int, str] = NO_NAMES  # the shop's own names; the interface has none
    warnings: tuple[str, ...] = ()  # e.g. that the key travels in the clear


COLOURS = ("red", "orange", "yellow", "green", "blue", "violet", "grey")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user can set, read once at the start."""

    profile: Profile
    limit: int = LIMIT_DEFAULT
    theme: str = "pettui-dark"  # or pettui-light, ansi
    glyphs: Glyphs = Glyphs.UNICODE
    mouse: bool = True
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # action → keys
