"""The outbox: animals on their way to the service; nothing here knows that a screen exists.

No other room imports the modules behind this one.
"""

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.client import Backoff
from pettui.outbox.candidates import CandidateSearch, Likeness, likeness, why_cut
from pettui.outbox.drafts import Drafts, Origin
from pettui.outbox.entries import (
    Author,
    Contents,
    Draft,
    Entry,
    EntryState,
    EntryStore,
    OutboxError,
    Refusal,
)
from pettui.outbox.idempotency import idempotency_key, ordered_key, random_key
from pettui.outbox.moving import Moved, join, move
from pettui.outbox.outbox import GRACE, Outbox
from pettui.outbox.outcome import EARLIER_TRY, is_of_other_store
from pettui.outbox.people import LOCAL, ON_THE_WAY, Census, Owner, People, Summary, ssh_owner
from pettui.outbox.receipts import (
    Added,
    Audit,
    Certain,
    DayReceipt,
    MemoryReceipts,
    Receipts,
    Source,
    today,
)
from pettui.outbox.sending import NO_PROMISE, Sending, Timer
from pettui.outbox.store_thread import SharedThread
from pettui.outbox.stores.memory import MemoryEntryStore

if TYPE_CHECKING:
    from pettui.outbox.stores.directory import DirectoryEntryStore
    from pettui.outbox.stores.files import restored_name
    from pettui.outbox.stores.people import (
        OUTBOXES,
        DirectoryPeople,
        directory_people,
        saved_files,
    )
    from pettui.outbox.stores.postgres import PostgresPeople, id_of_people, postgres_people
    from pettui.outbox.stores.postgres_connections import StateDatabase, prepared
    from pettui.outbox.stores.postgres_schema import StateSchemaError

_LATE: Final = MappingProxyType(
    {
        "DirectoryEntryStore": "directory",
        "DirectoryPeople": "people",
        "OUTBOXES": "people",
        "PostgresPeople": "postgres",
        "StateDatabase": "postgres_connections",
        "StateSchemaError": "postgres_schema",
        "id_of_people": "postgres",
        "postgres_people": "postgres",
        "directory_people": "people",
        "prepared": "postgres_connections",
        "restored_name": "files",
        "saved_files": "people",
    }
)

__all__ = [
    "EARLIER_TRY",
    "GRACE",
    "LOCAL",
    "NO_PROMISE",
    "ON_THE_WAY",
    "OUTBOXES",
    "Added",
    "Audit",
    "Author",
    "Backoff",
    "CandidateSearch",
    "Census",
    "Certain",
    "Contents",
    "DayReceipt",
    "DirectoryEntryStore",
    "DirectoryPeople",
    "Draft",
    "Drafts",
    "Entry",
    "EntryState",
    "EntryStore",
    "Likeness",
    "MemoryEntryStore",
    "MemoryReceipts",
    "Moved",
    "Origin",
    "Outbox",
    "OutboxError",
    "Owner",
    "People",
    "PostgresPeople",
    "Receipts",
    "Refusal",
    "Sending",
    "SharedThread",
    "Source",
    "StateDatabase",
    "StateSchemaError",
    "Summary",
    "Timer",
    "directory_people",
    "id_of_people",
    "idempotency_key",
    "is_of_other_store",
    "join",
    "likeness",
    "move",
    "ordered_key",
    "postgres_people",
    "prepared",
    "random_key",
    "restored_name",
    "saved_files",
    "ssh_owner",
    "today",
    "why_cut",
]


def __getattr__(name: str) -> Any:
    """Return what keeps entries (PEP 562): a demo needs none of it, and a directory no psycopg."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"pettui.outbox.stores.{_LATE[name]}"), name)
