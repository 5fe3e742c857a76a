"""One user's session: client, outbox and settings, what happened and what was added.

Its messages go to every screen of an app.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from textual.message import Message

from pettui.client import ErrorBodyError, NoKeyError, Notice, PetClient, PetClientError
from pettui.outbox.entries import Entry, EntryState, OutboxError
from pettui.outbox.receipts import today
from pettui.remembered.seen_lists import SeenBefore, SeenLists
from pettui.rows.shown import pets_of
from pettui.settings.settings import ApiKey, Profile, Settings, StoreKind
from pettui.text.amounts import duration_text, time_text
from pettui.transfer.open_imports import OpenImports
from pettui.tui.session.categories import Categories
from pettui.tui.session.counts import Receipt
from pettui.tui.session.key_order import KeyQueue

REMEMBERED: Final = 2_000  # animals, the first that came


class _Sighting(NamedTuple):
    at: datetime  # when the response came in which it stood
    is_earlier: bool  # an earlier session saw it, too, as far as ids tell
    newest_entry: str  # id of what was added last by then, whatever the clock says; "" for nothing
    what: int  # hash of name and category: a service may give an id again, or begin anew


class FirstSeen:
    """Of this session each by its time; of earlier ones only that it was there."""

    def __init__(self) -> None:
        self._seen: dict[int, _Sighting] = {}  # by id
        self._newest_entry = ""  # so far: it may have been forgotten

    def saw(
        self, pets: Iterable[Pet], at: datetime, newest_entry: str, before: SeenBefore | None = None
    ) -> None:
        """Remember the animals that a response had.

        Args:
            pets: of one list.
            at: when it came.
            newest_entry: the id of the outbox's newest entry; "" for none.
            before: what earlier sessions showed of that list; None for nothing.
        """
        self._newest_entry = newest = max(self._newest_entry, newest_entry)
        for pet in pets:
            if len(self._seen) >= REMEMBERED:
                return
            if pet.id not in self._seen:
                is_earlier = before is not None and before.has(pet)
                self._seen[pet.id] = _Sighting(at, is_earlier, newest, _what(pet))

    def is_known(self, pet: Pet) -> bool:
        """Whether it is remembered when an animal was first seen."""
        return pet.id in self._seen

    def at(self, pet: Pet) -> datetime | None:
        """Return when that was; None for in an earlier session."""
        seen = self._seen[pet.id]
        return None if seen.is_earlier else seen.at

    def is_before(self, pet: Pet, entry_id: str) -> bool:
        """Whether this very animal stood in a list before an entry of this session was made.

        Nothing is taken from ids of animals, nor from another animal that had the same one. What is
        not known is False.
        """
        seen = self._seen.get(pet.id)
        return seen is not None and seen.what == _what(pet) and seen.newest_entry < entry_id


def _what(pet: Pet) -> int:
    return hash((pet.name, pet.category_id))


class Namesakes:
    """The loaded animals by their names; if rows were only appended, only those are read."""

    def __init__(self) -> None:
        self._loaded: Sequence[Element] = ()
        self._by_name: dict[str, list[Pet]] = {}

    def update(self, loaded: Sequence[Element]) -> None:
        """Read all rows that are loaded."""
        known = self._loaded
        if len(loaded) < len(known) or not all(map(is_, known, loaded)):
            known, self._by_name = (), {}
        for pet in pets_of(loaded[len(known) :]):
            self._by_name.setdefault(pet.name, []).append(pet)
        self._loaded = loaded

    def of(self, pet: Pet) -> Sequence[Pet]:
        """Return the other animals with this name, if it is one."""
        same = self._by_name.get(pet.name, ()) if pet.name else ()
        return [each for each in same if each.id != pet.id]


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pettui.appearance.glyphs import GlyphSet
    from pettui.models.pets import Pet
    from pettui.models.staged_faults import StagedFaults
    from pettui.outbox.outbox import Outbox
    from pettui.rows.shown import Element
    from pettui.transfer.journal import Journal


class RefreshPace(NamedTuple):
    """The seconds between two automatic refreshes."""

    first: float = 2.0  # after a failure; doubled with each further one
    longest: float = 15.0  # after many failures
    longest_watch: float = 60.0  # the same, while the list is watched


class Clock(Protocol):
    """A source of the time."""

    def now(self) -> datetime:
        """Return the time, with its zone."""
        ...

    @property
    def zone(self) -> tzinfo | None:
        """The zone of what is told; None is the machine's."""
        ...


class SystemClock:
    """The machine's clock."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        """Tell the time in a zone; None is the machine's."""
        self.zone = zone

    def now(self) -> datetime:
        """Return the time in the zone."""
        return datetime.now().astimezone(self.zone)


class Demo(NamedTuple):
    """What only a demo has."""

    faults: StagedFaults  # of this session
    welcome: tuple[str, ...] = ()  # raw lines, shown before the list
    is_read_only: bool = False  # the service refuses every add


class Profiles(Protocol):
    """The profiles that this user can switch to."""

    def listed(self) -> Sequence[tuple[Profile, Mapping[EntryState, int] | None]]:
        """Return each, and how many animals of each state its outbox holds; it blocks.

        None: its outbox cannot be read.

        Raises:
            ValueError: they cannot be read, and why.
        """
        ...

    def problem(self, name: str) -> str:
        """Return why a profile cannot be opened, in one raw line; "" where it can; it blocks."""
        ...

    async def test(self, name: str) -> str:
        """Ask the service of a profile for an animal; return how that went, in one raw line."""
        ...


class KeepMapping(Protocol):
    """Keeps what somebody says of a file's columns, for the next one that has them."""

    def __call__(self, name: str, values: Mapping[str, Any], categories: Mapping[int, str]) -> None:
        """Keep it in the configuration; it blocks.

        Args:
            name: of the mapping.
            values: as ``Settings.mappings`` has them.
            categories: names of categories that the profile has not yet, by number.

        Raises:
            ValueError: it cannot be kept, and why.
        """
        ...


class Samples(Protocol):
    """The samples that this store began with, while nothing else is in it."""

    def count(self) -> int:
        """Return how many there are while the store has nothing else; 0 otherwise; it blocks.

        Raises:
            TransferError: the store can't be read.
        """
        ...

    def remove(self) -> int:
        """Empty the store, unless it has something else by now; return how many went; it blocks.

        Raises:
            TransferError: the store can't be written; it is as it was.
        """
        ...


# Seconds: Textual (8.2.8) forgets a timer of a widget if the process stands still for the timer's
# time just as it starts (``PetApp.set_timer``).
SHORTEST_TIMER: Final = 0.05
FINDS_KEPT: Final = 50
NAMES_KEPT: Final = 500


class Happening(NamedTuple):
    """An error or a notice that this session was shown; raw."""

    at: datetime  # the newest time
    title: str
    text: str
    times: int = 1  # in a row
    output: str = ""  # of a program; each of its lines is one


HAPPENINGS_KEPT: Final = 200
RECALLING: Final = 1.0  # seconds for which the first request waits at most


class Age(NamedTuple):
    """When a response came; joined: "12:01:03 CET · 38 ms"."""

    time: str
    zone: str  # "" where it is the user's own
    took: str


@dataclass(slots=True, eq=False, repr=False)
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
    first_seen: FirstSeen = field(default_factory=FirstSeen)
    namesakes: Namesakes = field(default_factory=Namesakes)  # among what the list has loaded
    user: str = ""  # who logged in over SSH; raw text from outside
    greeting: str = ""  # on the list until it is dismissed; see ``keys.hints``
    shown_notices: dict[tuple[str, bool], Notice] = field(default_factory=dict)  # in full
    open_journal: Callable[[], Journal] | None = None  # of imports; it blocks; None: no imports
    keep_mapping: KeepMapping | None = None  # None: no configuration is the user's own
    mappings: dict[str, Mapping[str, Any]] = field(default_factory=dict)  # kept here, by name
    open_imports: OpenImports = field(default_factory=OpenImports)
    names_zone: bool = False  # beside the time of the list, where it may not be the user's
    writes_files: bool = True  # exports; over SSH they would be files on the server
    finds: list[str] = field(default_factory=list)  # that Enter kept, the newest last
    is_api_key_refused: bool = False  # by the newest response: a different API key would help
    added_entry_ids: set[str] = field(default_factory=set)  # other windows' too
    receipt: Receipt = field(default_factory=Receipt)  # of what this window added, imported too
    history: deque[Happening] = field(default_factory=partial(deque, maxlen=HAPPENINGS_KEPT))
    added_names: list[str] = field(default_factory=list)  # in the form, the newest last
    accepted_categories: set[int] = field(default_factory=set)  # unnamed: not asked about again
    dismissed: frozenset[str] = frozenset()  # ids of refused entries whose banner was closed
    demo: Demo | None = None  # None: this is no demo
    samples: Samples | None = None  # None: the store is not of this machine, or others' too
    profiles: Profiles | None = None  # None: there is no switching, as over SSH
    next_profile: Profile | None = None  # to be opened once the app has ended
    running_command: str = ""  # the title of the user's own that runs now
    is_sent_by_server: bool = False  # what waits as the session ends, but for a key of the user's

    _is_import_recalled: bool = False
    _recalled_ids: frozenset[int] = frozenset()  # of animals that an open import has added
    category_names: Mapping[int, str] = field(init=False)  # safe to draw, and not long

    def __post_init__(self) -> None:
        """Make the names of categories safe once: each row that is found or drawn asks for one."""
        names = self.settings.profile.categories
        self.category_names = {each: self.glyphs.line(name, 30) for each, name in names.items()}

    def was_shown(self, notice: Notice) -> bool:
        """Whether a notice was already shown in full."""
        return self.shown_notices.get((notice.operation, notice.announced)) == notice

    def remember_shown(self, notice: Notice) -> None:
        """Remember that a notice was shown in full; the newest of each operation counts."""
        self.shown_notices[notice.operation, notice.announced] = notice

    def record(self, title: str, text: str, *, output: str = "") -> None:
        """Record an error or a notice; the same in a row is one, with its count."""
        found = Happening(self.clock.now(), title, text, output=output)
        if self.history and self.history[-1]._replace(at=found.at, times=1) == found:
            found = found._replace(times=self.history.pop().times + 1)
        self.history.append(found)

    def record_once(self, title: str, text: str) -> None:
        """Record a notice unless it is there already."""
        if all((title, text) != (each.title, each.text) for each in self.history):
            self.record(title, text)

    def remember_find(self, words: str) -> None:
        """Remember words that were found, as the newest; a find line offers them again."""
        if words.strip():
            self.finds = _newest_last(self.finds, words, FINDS_KEPT)

    def remember_name(self, name: str) -> None:
        """Remember the name of an animal that was added in the form; the field offers it again."""
        self.added_names = _newest_last(self.added_names, name, NAMES_KEPT)

    @property
    def is_read_only(self) -> bool:
        """Whether the service is known to refuse every add."""
        return self.demo is not None and self.demo.is_read_only

    @property
    def staged(self) -> tuple[str, ...]:
        """The staged faults, a word or two for each: "key 401", "slow 3 s"."""
        faults = self.demo.faults.staged if self.demo is not None else ()
        return tuple(fault.word for fault in faults)

    def saw(self, status: str | None, pets: Iterable[Pet], at: datetime) -> None:
        """Remember when the animals in the list of a status were first seen."""
        before = self.seen.before(status, ()) if self.seen.has_sessions else None
        newest = max((entry.entry_id for entry in self.outbox.entries), default="")
        self.first_seen.saw(pets, at, newest, before)

    def first_seen_text(self, pet: Pet) -> str:
        """Return when this user first saw an animal; "" where that is not known."""
        if not self.first_seen.is_known(pet):
            return ""
        at = self.first_seen.at(pet)
        return "in an earlier session" if at is None else time_text(at, self.clock.now())

    @property
    def own_ids(self) -> frozenset[int]:
        """The ids of the animals that this user added, here or in another window, now or before."""
        entries = (each.pet_id for each in self.outbox.entries if each.pet_id is not None)
        return frozenset((*entries, *(pet.id for pet in self.receipt.pets))) | self._recalled_ids

    async def recall_import(self) -> None:
        """Learn what an import that was left open has added today, as the receipt has it.

        The session that it ended with may not have seen its animals in the list.
        """
        if self._is_import_recalled or not self.open_imports.all:
            return
        self._is_import_recalled = True
        zone, receipts = self.clock.zone, self.outbox.receipts
        with suppress(OutboxError, TimeoutError):
            async with asyncio.timeout(RECALLING):
                of_today = await self.outbox.store_thread.run(receipts.of, today(zone), zone)
            self._recalled_ids = frozenset(each.pet.id for each in of_today.added)

    @property
    def categories(self) -> Categories:
        """The profile's categories, those that this outbox used last, and not in vain, first."""
        return Categories(self.settings.profile.categories, self._used_categories)

    def _used_categories(self) -> Iterable[int]:
        own = (entry for entry in reversed(self.outbox.entries) if not entry.owned_elsewhere)
        refused = EntryState.REFUSED  # perhaps for the category
        return dict.fromkeys(each.category_id for each in own if each.state is not refused)

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

    def request_failed(self, error: PetClientError) -> None:
        """Remember whether the service refused the API key; it then forgets the last lists."""
        if error.is_unauthorized:
            self.is_api_key_refused = True
            self._forget_lists(error)
        elif isinstance(error, ErrorBodyError):
            self.is_api_key_refused = False  # the service accepted the key

    def request_succeeded(self) -> None:
        """Remember that the service accepted the API key."""
        self.is_api_key_refused = False

    def heed_api_key_error(self) -> None:
        """Forget the last lists if the service refused the API key of an add."""
        if (error := self.outbox.sending.api_key_error) is not None:
            self._forget_lists(error)

    def _forget_lists(self, error: PetClientError) -> None:
        if not isinstance(error, NoKeyError):  # without a key, none was refused
            self.seen.refuse(error)

    @property
    def is_api_key_needed(self) -> bool:
        """Whether the service refused the API key, of the newest request or of an add."""
        # Two facts, which end apart: a response of the service itself ends the one, so that a
        # proxy's 502 does not, and the other ends when sending is resumed.
        return self.is_api_key_refused or self.outbox.sending.api_key_error is not None

    @property
    def can_change_key(self) -> bool:
        """Whether requests are sent with a key of the user's own."""
        return self.settings.profile.kind is StoreKind.SERVICE or self.is_api_key_needed

    def use_api_key(self, text: str) -> None:
        """Use a different API key from now on; it is not saved.

        Raises:
            ValueError: it is no valid bearer token.
        """
        self.client = self.client.with_key(text)
        self.is_api_key_refused = False
        self.seen.use_api_key(ApiKey(text))
        self.outbox.use_own_key(self.client)

    def renew_client(self, former: PetClient, client: PetClient) -> None:
        """Use another client where this was that of the profile, whose API key is another now."""
        if self.client is former:
            self.client = self.outbox.client = client
            self.is_api_key_refused = False
            if self.outbox.sending.api_key_error is not None:
                self.outbox.sending.resume()

    def category_name(self, category_id: int) -> str:
        """Return the shop's own name of a category; "" where it has none."""
        return self.category_names.get(category_id, "")

    def age(self, at: datetime, elapsed: float | None) -> Age:
        """Return when a response came, and how long it took if that is known."""
        now = self.clock.now()
        zone = f" {now.tzname()}" if self.names_zone else ""
        took = "" if elapsed is None else f" {self.glyphs.dot} {duration_text(elapsed)}"
        return Age(time_text(at, now), zone, took)


def _newest_last(texts: Iterable[str], newest: str, maximum: int) -> list[str]:
    """Return texts with a newest one, each once, as many as are kept."""
    return [*(each for each in texts if each != newest), newest][-maximum:]


class EntryChanged(Message):
    """An entry of the outbox was added, removed, or changed its state.

    Attributes:
        entry: the entry as it is now.
    """

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.entry = entry


class OutboxChanged(Message):
    """The status of the outbox as a whole changed: a problem began, changed or is over."""


class FaultsChanged(Message):
    """The faults that are staged in a demo changed."""


class StoreEmptied(Message):
    """The samples were taken out of the store; what shows them is outdated."""


class PasteRefused(Protocol):
    """The terminal's driver refused a paste that is too long.

    Attributes:
        size: in bytes.
        maximum: the largest paste that is accepted, in bytes.
    """

    size: int
    maximum: int
