"""The numbers that whoever serves may set, for ``serve`` and for the command line."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGE: Final = 100_000
_LONG: Final = 1_000_000  # seconds


class Bounds(NamedTuple):
    """What a number may be."""

    least: int
    most: int
    usual: int  # if nobody says


BOUNDS: Final[Mapping[str, Bounds]] = MappingProxyType(
    {
        "port": Bounds(0, 65_535, 2222),
        "workers": Bounds(1, 64, 1),
        "max_sessions": Bounds(1, _LARGE, 100),
        "max_queue": Bounds(0, _LARGE, 200),
        "per_address": Bounds(1, _LARGE, 20),
        "per_connection": Bounds(1, _LARGE, 4),
        "threads": Bounds(1, _LARGE, 32),
        "idle_timeout": Bounds(0, _LONG, 900),
        "login_timeout": Bounds(1, 3_600, 30),
        "time_limit": Bounds(0, _LONG, 0),
        "drain_timeout": Bounds(0, _LONG, 1800),
    }
)
