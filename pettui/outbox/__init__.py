"""What was typed and is on its way to the service; nothing here knows that a screen exists."""

from pettui.outbox.entries import Draft, Entry, EntryState, OutboxError
from pettui.outbox.entry_store import EntryStore
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.memory import MemoryEntryStore

__all__ = [
    "Draft",
    "Entry",
    "EntryState",
    "EntryStore",
    "MemoryEntryStore",
    "Outbox",
    "OutboxError",
]
