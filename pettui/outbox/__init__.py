"""The outbox: animals on their way to the service; nothing here knows that a screen exists.

No other room imports the modules behind this one.
"""

from typing import TYPE_CHECKING, Any

from pettui.backoff import Backoff
from pettui.outbox.entries import (
    Contents,
    Draft,
    Entry,
    EntryState,
    EntryStore,
    OutboxError,
    find_lost_add,
    is_newest_first,
)
from pettui.outbox.outbox import Outbox
from pettui.outbox.sending import LoopTimer, Sending, Timer
from pettui.outbox.stores.memory import MemoryEntryStore

if TYPE_CHECKING:
    from pettui.outbox.stores.directory import DirectoryEntryStore
    from pettui.outbox.stores.files import is_in_use, restored_name
    from pettui.outbox.stores.locations import (
        OutboxCounts,
        entries_in,
        entry_counts,
        outbox_counts,
        outbox_directory,
        owner_of,
    )

__all__ = [
    "Backoff",
    "Contents",
    "DirectoryEntryStore",
    "Draft",
    "Entry",
    "EntryState",
    "EntryStore",
    "LoopTimer",
    "MemoryEntryStore",
    "Outbox",
    "OutboxCounts",
    "OutboxError",
    "Sending",
    "Timer",
    "entries_in",
    "entry_counts",
    "find_lost_add",
    "is_in_use",
    "is_newest_first",
    "outbox_counts",
    "outbox_directory",
    "owner_of",
    "restored_name",
]


def __getattr__(name: str) -> Any:
    """Return what keeps entries on a disk (PEP 562), which a demo never imports."""
    if name == "DirectoryEntryStore":
        from pettui.outbox.stores.directory import DirectoryEntryStore

        return DirectoryEntryStore
    if name in ("is_in_use", "restored_name"):
        from pettui.outbox.stores import files

        return getattr(files, name)
    if name in (
        "OutboxCounts",
        "entries_in",
        "entry_counts",
        "outbox_counts",
        "outbox_directory",
        "owner_of",
    ):
        from pettui.outbox.stores import locations

        return getattr(locations, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
