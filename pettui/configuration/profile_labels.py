"""How a profile is shown: its label, its colour, and the names of its categories."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from pettui.configuration.errors import ConfigurationError
from pettui.settings import COLOURS, Profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.configuration.tables import Table

LABEL_KEYS = ("label", "colour", "categories")
LABEL_MAXIMUM = 24  # characters
INT64 = range(-(2**63), 2**63)
# The colour of a name that starts like this. Any other may be production, so it stands out.
_COLOURS = (
    ("red", ("prod", "live")),
    ("yellow", ("stag", "test", "qa", "uat", "accept")),
    ("blue", ("demo",)),
    ("green", ("embedded", "local", "dev")),
)
_OTHER_COLOUR = "orange"


def labelled(profile: Profile, table: Table) -> Profile:
    """Return the profile with the label, colour and categories that its table sets.

    Raises:
        ConfigurationError: one of them cannot be used.
    """
    label = table.value("label", str)
    if label is not None and not 1 <= len(label.strip()) <= LABEL_MAXIMUM:
        raise table.error("label", f"must be 1 to {LABEL_MAXIMUM} characters long")
    colour = table.value("colour", str)
    if colour is not None and colour not in COLOURS:
        raise table.error("colour", f"must be one of {', '.join(COLOURS)}")
    return replace(
        profile,
        label=(label or profile.label).strip(),
        colour=colour or profile.colour,
        categories=_categories(table.table("categories")),
    )


def _categories(table: Table) -> Mapping[int, str]:
    names = {}
    for key in table.values:
        if not _is_int64(key):
            reason = "must be a category's number, like 3, within the bounds of int64"
            raise ConfigurationError(table.setting(key), reason)
        names[int(key)] = table.value(key, str) or ""
    return MappingProxyType(names)


def _is_int64(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,19}", text) is not None and int(text) in INT64


def default_colour(name: str) -> str:
    """Return the colour of a profile that sets none, by the beginning of its name."""
    start = name.casefold()
    return next((colour for colour, names in _COLOURS if start.startswith(names)), _OTHER_COLOUR)
