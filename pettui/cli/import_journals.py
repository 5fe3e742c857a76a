"""Where the journals of imports are: one for each store, beside the user's other state."""

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
    """Return the directory of all journals. Raises ConfigurationError."""
    return state_directory() / IMPORTS


def open_journal(profile: Profile) -> Journal:
    """Open the journal of a profile's store; a demo's is gone at the end. It blocks.

    Raises:
        ConfigurationError: there is nowhere to keep it.
        JournalError: it cannot be used, or another import to the same store is under way.
    """
    from pettui.transfer.importing.journals.journal import Journal

    if profile.kind is StoreKind.DEMO:
        return Journal.in_memory()
    return Journal.open(imports_directory(), str(profile.database or profile.base_url))
