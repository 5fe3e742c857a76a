"""What belongs to one person's session, and is handed to each screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from pettui.settings import ApiKey, StoreKind
from pettui.tui.keys.key_queue import KeyOrder
from pettui.tui.lists.categories import Categories
from pettui.tui.lists.refresh_timing import RefreshPace
from pettui.tui.lists.seen_lists import SeenLists
from pettui.tui.session_receipt import Receipt
from pettui.tui.times import time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pettui.client import Notice, PetClient
    from pettui.outbox import Outbox
    from pettui.settings import Settings
    from pettui.staged_faults import StagedFaults
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.tui.look import Look


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Give the time, with its zone."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Give the time in the machine's zone."""
        return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class Demo:
    """What is said and done in a demo alone."""

    faults: StagedFaults  # of this session
    welcome: tuple[str, ...] = ()  # raw lines, shown before the list
    is_read_only: bool = False  # the service refuses every add


@dataclass(slots=True)
class UserSession:
    """One person's client, outbox and way of looking at things."""

    client: PetClient
    outbox: Outbox
    settings: Settings
    look: Look
    clock: Clock
    key_order: KeyOrder = field(default_factory=KeyOrder)
    pace: RefreshPace = field(default_factory=RefreshPace)  # of what happens by itself
    seen: SeenLists = field(default_factory=SeenLists)
    person: str = ""  # who came over SSH; raw text from outside
    greeting: str = ""  # stands on the list until it is put away; see ``key_guide.hints``
    told: dict[tuple[str, bool], Notice] = field(default_factory=dict)  # shown whole
    open_journal: Callable[[], Journal] | None = None  # of imports; it blocks; None: no imports
    writes_files: bool = True  # exports; over SSH they would be files of the server's
    is_key_refused: bool = False  # by the newest answer: another key would help
    added_keys: set[str] = field(default_factory=set)  # seen added, by another window too
    receipt: Receipt = field(default_factory=Receipt)  # of what was added by this window
    demo: Demo | None = None  # None: it is none

    def is_told(self, notice: Notice) -> bool:
        """Whether a notice was shown whole before."""
        return self.told.get((notice.operation, notice.announced)) == notice

    def tell(self, notice: Notice) -> None:
        """Remember that a notice was shown whole; one of each operation."""
        self.told[notice.operation, notice.announced] = notice

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be added here, as is known before it is tried."""
        return self.demo is not None and self.demo.is_read_only

    @property
    def staged(self) -> str:
        """Say in a word each what is staged: "staged: key 401, slow 3 s"; "" where nothing is."""
        faults = self.demo.faults.staged if self.demo is not None else ()
        return f"staged: {', '.join(fault.word for fault in faults)}" if faults else ""

    @property
    def added(self) -> int:
        """Count the animals that were added in this session, by this window."""
        return len(self.outbox.added_here)

    @property
    def added_ids(self) -> set[int]:
        """The ids of the animals that this outbox added, in earlier sessions too."""
        entries = self.outbox.entries
        return {e.pet_id for e in entries if e.pet_id is not None and not e.owned_elsewhere}

    @property
    def categories(self) -> Categories:
        """The categories as they are typed, the last used ones of this outbox first."""
        return Categories(self.settings.profile.categories, self._used_categories)

    def _used_categories(self) -> Iterable[int]:
        own = (entry for entry in reversed(self.outbox.entries) if not entry.owned_elsewhere)
        return dict.fromkeys(entry.category_id for entry in own)

    @property
    def place(self) -> str:
        """Say where the store is: "store.example · v1", "on this machine"."""
        profile = self.settings.profile
        if profile.kind is StoreKind.SERVICE:
            place = f"{urlsplit(profile.base_url).netloc} {self.look.dot} v1"
        else:
            is_demo = profile.kind is StoreKind.DEMO
            in_memory = (
                "read-only, in memory" if self.is_read_only else "in memory, gone at the end"
            )
            place = in_memory if is_demo else "on this machine"
        return f"{place} {self.look.dot} {self.person}" if self.person else place

    def refuse_key(self, error: object) -> None:
        """Remember that the service refused the key, and forget what it showed before."""
        self.is_key_refused = True
        self.seen.refuse(error)

    def heed_key_error(self) -> None:
        """Forget what the service showed where it refused the key of an animal that was added."""
        if (error := self.outbox.delivery.key_error) is not None:
            self.seen.refuse(error)

    def use_key(self, text: str) -> None:
        """Send another API key from now on; it is kept nowhere.

        Raises:
            ValueError: it can't be sent.
        """
        self.client = self.client.with_key(text)
        self.is_key_refused = False
        self.seen.use_key(ApiKey(text))
        self.outbox.client = self.client
        self.outbox.delivery.resume()

    def category_name(self, category_id: int) -> str:
        """Give the shop's own name of a category; "" where it has none."""
        return self.look.line(self.settings.profile.categories.get(category_id, ""), 30)

    def age(self, at: datetime, elapsed: float | None) -> str:
        """Say when an answer came, and how long it took: "12:01:03 · 38 ms"; None says no more."""
        time = time_text(at, self.clock.now())
        if elapsed is None:
            return time
        took = f"{elapsed * 1000:.0f} ms" if elapsed < 1 else f"{elapsed:.1f} s"
        return f"{time} {self.look.dot} {took}"
