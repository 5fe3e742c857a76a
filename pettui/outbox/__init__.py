"""The outbox: animals on their way to the service; nothing here knows that a screen exists.

No other room imports the modules behind this one, but for the stores on disk and in PostgreSQL,
where one is opened: a demo needs neither, and a directory no psycopg.
"""

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
from pettui.outbox.moving import Moved, join, move
from pettui.outbox.outbox import GRACE, Outbox
from pettui.outbox.outcome import EARLIER_TRY, is_of_other_store
from pettui.outbox.owners import LOCAL, ON_THE_WAY, Census, Owner, Owners, Summary, ssh_owner
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
from pettui.outbox.sending import (
    NO_PROMISE,
    LoopTimer,
    Sending,
    idempotency_key,
    ordered_key,
    random_key,
)
from pettui.outbox.store_thread import SharedThread
from pettui.outbox.stores.memory import MemoryEntryStore

__all__ = [
    "EARLIER_TRY",
    "GRACE",
    "LOCAL",
    "NO_PROMISE",
    "ON_THE_WAY",
    "Added",
    "Audit",
    "Author",
    "Backoff",
    "CandidateSearch",
    "Census",
    "Certain",
    "Contents",
    "DayReceipt",
    "Draft",
    "Drafts",
    "Entry",
    "EntryState",
    "EntryStore",
    "Likeness",
    "LoopTimer",
    "MemoryEntryStore",
    "MemoryReceipts",
    "Moved",
    "Origin",
    "Outbox",
    "OutboxError",
    "Owner",
    "Owners",
    "Receipts",
    "Refusal",
    "Sending",
    "SharedThread",
    "Source",
    "Summary",
    "idempotency_key",
    "is_of_other_store",
    "join",
    "likeness",
    "move",
    "ordered_key",
    "random_key",
    "ssh_owner",
    "today",
    "why_cut",
]
