"""The journals of imports, one for each store, in the state directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.configuration import state_directory
from pettui.settings import StoreKind

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.settings import Profile
    from pettui.transfer.importing.journals.journal import Journal

IMPORTS: Final = "imports"  # in the state directory


def imports_directory() -> Path:
    """Return the directory of all journals. Raises ConfigurationError if there is no home."""
    return state_directory() / IMPORTS


def open_journal(profile: Profile) -> Journal:
    """Open the journal of a profile's store, in memory for a demo. It blocks.

    Raises:
        ConfigurationError: there is no directory for it.
        JournalError: it cannot be used, or another import to the same store is running.
    """
    from pettui.transfer.importing.journals.journal import Journal

    if profile.kind is StoreKind.DEMO:
        return Journal.in_memory()
    return Journal.open(imports_directory(), str(profile.database or profile.base_url))
