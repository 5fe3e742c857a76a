"""The state of one user's session, which every screen is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from pettui.client import NoKeyError
from pettui.settings import ApiKey, StoreKind
from pettui.transfer.last_lists import SeenLists
from pettui.tui.key_order import KeyQueue
from pettui.tui.lists.categories import Categories
from pettui.tui.lists.refreshing import RefreshPace
from pettui.tui.session_receipt import Receipt
from pettui.tui.times import time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pettui.client import Notice, PetClient
    from pettui.glyphs import GlyphSet
    from pettui.outbox import Outbox
    from pettui.settings import Settings
    from pettui.staged_faults import StagedFaults
    from pettui.transfer.journal import Journal


class Clock(Protocol):
    """A source of the time."""

    def now(self) -> datetime:
        """Return the time, with its zone."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the time in the machine's zone."""
        return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class Demo:
    """What only a demo has."""

    faults: StagedFaults  # of this session
    welcome: tuple[str, ...] = ()  # raw lines, shown before the list
    is_read_only: bool = False  # the service refuses every add


@dataclass(slots=True)
class UserSession:
    """One user's client, outbox and settings."""

    client: PetClient
    outbox: Outbox
    settings: Settings
    glyphs: GlyphSet
    clock: Clock
    key_queue: KeyQueue = field(default_factory=KeyQueue)
    pace: RefreshPace = field(default_factory=RefreshPace)  # of automatic refreshes
    seen: SeenLists = field(default_factory=SeenLists)
    user: str = ""  # who logged in over SSH; raw text from outside
    greeting: str = ""  # on the list until it is dismissed; see ``available_actions.hints``
    shown_notices: dict[tuple[str, bool], Notice] = field(default_factory=dict)  # in full
    open_journal: Callable[[], Journal] | None = None  # of imports; it blocks; None: no imports
    writes_files: bool = True  # exports; over SSH they would be files on the server
    is_key_refused: bool = False  # by the newest response: a different API key would help
    added_keys: set[str] = field(default_factory=set)  # of entries, other windows' too
    receipt: Receipt = field(default_factory=Receipt)  # of what this window added
    demo: Demo | None = None  # None: this is no demo

    def was_shown(self, notice: Notice) -> bool:
        """Whether a notice was already shown in full."""
        return self.shown_notices.get((notice.operation, notice.announced)) == notice

    def remember_shown(self, notice: Notice) -> None:
        """Remember that a notice was shown in full; the newest of each operation counts."""
        self.shown_notices[notice.operation, notice.announced] = notice

    @property
    def is_read_only(self) -> bool:
        """Whether the service is known to refuse every add."""
        return self.demo is not None and self.demo.is_read_only

    @property
    def staged(self) -> tuple[str, ...]:
        """The staged faults, a word or two for each: "key 401", "slow 3 s"."""
        faults = self.demo.faults.staged if self.demo is not None else ()
        return tuple(fault.word for fault in faults)

    @property
    def added(self) -> int:
        """How many animals this window added in this session, imported ones too."""
        return self.receipt.count

    @property
    def added_earlier(self) -> frozenset[int]:
        """The ids of the animals that this outbox added in earlier sessions."""
        here = self.outbox.added_here
        return frozenset(
            each.pet_id
            for each in self.outbox.entries
            if each.pet_id is not None and not each.owned_elsewhere and each.key not in here
        )

    @property
    def categories(self) -> Categories:
        """The profile's categories, those that this outbox used last first."""
        return Categories(self.settings.profile.categories, self._used_categories)

    def _used_categories(self) -> Iterable[int]:
        own = (entry for entry in reversed(self.outbox.entries) if not entry.owned_elsewhere)
        return dict.fromkeys(entry.category_id for entry in own)

    @property
    def location(self) -> str:
        """Where the store is: "store.example · v1", "on this machine"."""
        profile = self.settings.profile
        if profile.kind is StoreKind.SERVICE:
            location = f"{urlsplit(profile.base_url).netloc} {self.glyphs.dot} v1"
        else:
            is_demo = profile.kind is StoreKind.DEMO
            in_memory = "read-only, in memory" if self.is_read_only else "nothing is kept"
            location = in_memory if is_demo else "on this machine"
        return f"{location} {self.glyphs.dot} {self.user}" if self.user else location

    def refuse_key(self, error: object) -> None:
        """Remember that the service refused the API key, and forget the lists it sent before."""
        self.is_key_refused = True
        if not isinstance(error, NoKeyError):  # without a key, none was refused
            self.seen.refuse(error)

    def heed_key_error(self) -> None:
        """Forget the last lists if the service refused the API key of an add."""
        error = self.outbox.sending.key_error
        if error is not None and not isinstance(error, NoKeyError):
            self.seen.refuse(error)

    @property
    def can_change_key(self) -> bool:
        """Whether requests are sent with a key of the user's own."""
        is_refused = self.is_key_refused or self.outbox.sending.key_error is not None
        return self.settings.profile.kind is StoreKind.SERVICE or is_refused

    def use_key(self, text: str) -> None:
        """Use a different API key from now on; it is not saved.

        Raises:
            ValueError: it is no valid bearer token.
        """
        self.client = self.client.with_key(text)
        self.is_key_refused = False
        self.seen.use_key(ApiKey(text))
        self.outbox.client = self.client
        self.outbox.sending.resume()

    def category_name(self, category_id: int) -> str:
        """Return the shop's own name of a category; "" where it has none."""
        return self.glyphs.line(self.settings.profile.categories.get(category_id, ""), 30)

    def age(self, at: datetime, elapsed: float | None) -> str:
        """Return when a response came, and how long it took if known: "12:01:03 · 38 ms"."""
        time = time_text(at, self.clock.now())
        if elapsed is None:
            return time
        took = f"{elapsed * 1000:.0f} ms" if elapsed < 1 else f"{elapsed:.1f} s"
        return f"{time} {self.glyphs.dot} {took}"
