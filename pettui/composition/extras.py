"""The extras that commands need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.configuration.errors import ConfigurationError
from pettui.system.extras import why_missing

if TYPE_CHECKING:
    from collections.abc import Iterable


def require_extras(command: str, extras: Iterable[str]) -> None:
    """Check that the modules of some extras are installed.

    Raises:
        ConfigurationError: some are not; it says which extras have them.
    """
    if reason := why_missing(extras):
        raise ConfigurationError(command, reason)
