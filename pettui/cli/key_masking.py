"""A line as it may be shown, whatever the user put into a wrong place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.configuration import SHORTEST_KEY
from pettui.settings import ApiKey

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY_VARIABLES = ("PETTUI_API_KEY", "PETTUI_SERVICE_KEYS")


def without_keys(text: str, environment: Mapping[str, str]) -> str:
    """Return a text without the keys of the environment, which may stand in a wrong place too."""
    for name in KEY_VARIABLES:
        for key in environment.get(name, "").split(","):
            if len(key.strip()) >= SHORTEST_KEY:
                text = ApiKey(key.strip()).mask(text)
    return text
