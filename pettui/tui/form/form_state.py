"""What the form does and knows, without a screen: its question, its drafts, F8 and the banner.

While a question stands below a field, F10 adds the animal anyway. Below the name a letter begins
the next one, below the category it replaces what is asked about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.keyboard.actions import CORRECT, NEW_ANIMAL
from pettui.models.pets import Pet, trimmed_name
from pettui.outbox.entries import Draft, Entry, EntryState
from pettui.text.amounts import time_text
from pettui.text.safe import safe
from pettui.tui.outbox.entry_decisions import is_perhaps_added, may_be_added, undecided_here
from pettui.tui.session.wording import OUTBOX
from pettui.tui.widgets.failures import Failure, refusal_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pettui.appearance.glyphs import GlyphSet
    from pettui.outbox.drafts import Drafts
    from pettui.tui.session.session import UserSession

TWINS: Final = (EntryState.WAITING, EntryState.SENDING, EntryState.ADDED)
DRAFT_CELLS: Final = 16  # of the name of one that waits
TOO_LATE: Final = 1.0  # seconds after the end of a countdown
# What the banner offers for a refused entry: while its copy is in the form, and otherwise.
ADD_AGAIN: Final = "{add_and_next} Add again"
CORRECT_IT: Final = f"{{take_back}} {CORRECT}  {{refresh}} Send again"
DECIDE: Final = "{outbox} Decide"  # of an unknown one
EDIT_IT: Final = "{refresh} Send again  {outbox} Edit"


class Question(Enum):
    """What is asked before an animal is added, each once: it may be there already, and so on."""

    DOUBLE = "{key} adds it anyway: {about} may have been added already; typing begins the next"
    DIGITS = "{key} adds it anyway: {about} is a number, not a name; typing begins the next"
    SEVERAL = "{key} adds one animal named {about}"
    CATEGORY = "{key} adds it anyway: {about} is not a known category"

    @property
    def field(self) -> str:
        """The field below which it stands."""
        return "category" if self is Question.CATEGORY else "name"

    def text(self, key: str, about: str) -> str:
        """Return it with the key that says yes, about a raw name or a category."""
        characters = 40 if self is Question.SEVERAL else 20
        return self.value.format(key=key, about=safe(about, characters))


@dataclass(frozen=True, slots=True)
class Asking:
    """The line below a field asks whether the animal is added as it stands there."""

    question: Question
    about: str  # the name of this or of the other animal, or the category; raw
    draft: Draft  # once it is edited, nothing is asked any more
    at: float  # monotonic seconds; a key that was typed before does not answer
    opens_added: bool = False  # the animal was to be added and opened
    answered: frozenset[Question] = frozenset()  # before this one


def several_of(name: str) -> tuple[int, str] | None:
    """Return how many animals a trimmed name means, and their name: "12x Guppy"; None for one."""
    found = re.fullmatch(r"([1-9]?[0-9])\s*[xX×]\s+(\S.*)", name)
    return (int(found[1]), found[2]) if found and int(found[1]) > 1 else None


class Doubts:
    """What is odd about an animal: it is there already, as far as is known, or its category."""

    def __init__(self, session: UserSession, known: Iterable[Pet], *, knows_all: bool) -> None:
        """Ask about what stands in a session's form, where some animals are known, or all."""
        self._outbox, self._categories = session.outbox, session.categories
        self._accepted_categories = session.accepted_categories
        known = [*known]
        self._ids = {(pet.name, pet.category_id): pet.id for pet in known}
        loaded = len({pet.id for pet in known})
        of_loaded = f", of the {loaded:,} that {'is' if loaded == 1 else 'are'} loaded"
        self._listed = f"listed{'' if knows_all else of_loaded}"

    @property
    def known(self) -> dict[tuple[str, int], str]:
        """Where an animal is, by name and category: listed, of how many, or in the outbox."""
        there = {
            (each.name, each.category_id): f"in the {OUTBOX}"
            for each in self._outbox.entries
            if each.state in TWINS
        }
        return there | dict.fromkeys(self._ids, self._listed)

    def ask(
        self,
        draft: Draft,
        before: Asking | None,
        *,
        opens_added: bool,
        answered: frozenset[Question] = frozenset(),
    ) -> Asking | None:
        """Return the next question before a draft is added; None if there is nothing to ask.

        Args:
            draft: to be added.
            before: what is asked already, and is as old as it was.
            opens_added: it was to be added and opened.
            answered: what is not asked again.
        """
        for question, about in self._questions(draft):
            if about and question not in answered:
                is_asked = before is not None and before.question is question
                at = before.at if before is not None and is_asked else monotonic()
                return Asking(question, about, draft, at, opens_added, answered)
        return None

    def _questions(self, draft: Draft) -> Iterator[tuple[Question, str]]:
        """Yield what there is to ask, and about what; "" for nothing."""
        yield Question.DOUBLE, self.perhaps_added(draft)
        name = trimmed_name(draft.name)
        yield Question.DIGITS, name if name.isdecimal() else ""
        yield Question.SEVERAL, name if several_of(name) is not None else ""
        number = self._categories.number_in(draft.category)
        if number is not None and number not in self._accepted_categories:
            yield Question.CATEGORY, str(number) if self._categories.is_unknown(number) else ""

    def perhaps_added(self, draft: Draft) -> str:
        """Return the raw name of an animal that a draft may add once more; "" for none.

        It was made of one that is not surely refused, even if it was edited since, or it has name
        and category of an unknown one.
        """
        name = trimmed_name(draft.name)
        if not name:
            return ""
        entries = self._outbox.entries
        if draft.copy_of and self._outbox.may_be_there(draft.copy_of):
            names = (entry.name for entry in entries if entry.entry_id == draft.copy_of)
            return next(names, name)
        category = self._categories.number_in(draft.category)
        is_there = category is not None and is_perhaps_added(entries, name, category)
        return name if is_there else ""

    def warning(self, draft: Draft) -> str:
        """Return what the line below the name points out; "" for nothing."""
        category, name = self._categories.number_in(draft.category), trimmed_name(draft.name)
        if category is not None and name:
            if (twin := self._twin(name, category)) is not None:
                return twin_text(twin, self._categories.label(category))
            if (listed := self._ids.get((name, category))) is not None:
                return f"{listed} already has this name and category"
        if name := self.perhaps_added(draft):
            return f"{safe(name, 16)} may have been added already: adding it again would make two"
        return ""

    def _twin(self, name: str, category: int) -> Entry | None:
        """Return the newest entry of this name and category that is, or will be, an animal."""
        entries = reversed(self._outbox.entries)
        alike = (each for each in entries if (each.category_id, each.name) == (category, name))
        return next(
            (each for each in alike if each.state in TWINS and not may_be_added(each)), None
        )


def twin_text(entry: Entry, label: str) -> str:
    """Return what the outbox has of the same name and category, given as its label."""
    name = f"{safe(entry.name, 16)} {label}"
    if entry.state is EntryState.ADDED:
        return (
            f"{entry.pet_id} already has this name and category"
            if entry.pet_id is not None
            else f"{name} was added already"
        )
    return f"{name} is {'waiting' if entry.state is EntryState.WAITING else 'being sent'} already"


def lines_text(lines: str) -> str:
    """Return how many lines of a paste were left out: "3 lines"."""
    count = lines.count("\n")
    return f"{count:,} {'line' if count == 1 else 'lines'}"


def draft_time(draft: Draft, now: datetime) -> str:
    """Return when a draft was changed last: "17:40", "yesterday 17:40"."""
    at = datetime.fromtimestamp(draft.typed_at, now.tzinfo)
    return time_text(at, now, with_seconds=False)


def begin_day(session: UserSession) -> None:
    """Begin with the profile's own status where nothing was added today; nothing is typed."""
    now, drafts = session.clock.now(), session.outbox.drafts
    kept_on = datetime.fromtimestamp(drafts.draft.typed_at, now.tzinfo).date()
    if drafts.draft.is_empty or kept_on != now.date():
        drafts.go_on(Draft.first(session.settings.profile.status))


class DraftKeys(NamedTuple):
    """What F3 and F4 do with the draft in the form: what its keys and its foot depend on."""

    is_typed: bool
    copy_of: str  # id of the entry that it was made of; "" for none
    is_brought_back: bool  # it was put aside before, and is not edited
    can_restore: bool  # there is none, and what was cleared can come back

    @classmethod
    def of(cls, draft: Draft, drafts: Drafts) -> DraftKeys:
        """Return what the keys do with a draft, which is the newest of some."""
        is_brought_back = drafts.is_brought_back and draft == drafts.draft
        can_restore = drafts.has_cleared and draft.is_empty
        return cls(draft.is_typed, draft.copy_of, is_brought_back, can_restore)

    def new_animal_word(self, drafts: Drafts) -> str:
        """Return what F3 does, in a word or two."""
        if self.is_brought_back:
            return "Next draft" if drafts.older else NEW_ANIMAL
        return "Newest draft" if drafts.put_aside and not self.is_typed else NEW_ANIMAL

    def foot(self, drafts: Drafts, glyphs: GlyphSet, now: datetime, key: str) -> tuple[str, ...]:
        """Return what waits to come back by F3's key, or of when the draft is, ever shorter."""
        if not self.is_brought_back:
            return self._put_aside(drafts.put_aside, glyphs, now, "" if self.is_typed else key)
        lines = drafts.draft.lines
        age = f"{lines_text(lines) if lines else 'draft'} of {draft_time(drafts.draft, now)}"
        more = f", {drafts.older} more" if drafts.older else ""
        then = f"{key} {self.new_animal_word(drafts)}{more}"
        return (f"{age} {glyphs.dot} {then}", f"{age} {glyphs.dot} {key}")

    @staticmethod
    def _put_aside(
        drafts: Sequence[Draft], glyphs: GlyphSet, now: datetime, key: str
    ) -> tuple[str, ...]:
        """Return what waits, and the key that brings the newest back, "" while it would not."""
        if not drafts:
            return ("",)
        newest, others = drafts[0], len(drafts) - 1
        name = glyphs.cut(glyphs.line(newest.name), DRAFT_CELLS) or "no name yet"
        how = "taken back" if newest.is_taken_back else "half typed"
        if newest.lines:
            name, how = lines_text(newest.lines), "left out"
        time, more = draft_time(newest, now), f", and {others} more" if others else ""
        short = f"{name} of {time}"
        if not key:
            wait = "wait" if others else "waits"
            return (f"{name}, {how} {time}{more}, {wait}", f"{short}{more}", name)
        brings = f"{more} {glyphs.dot} {key} brings it back"
        shorter = f"{short}{f' +{others}' if others else ''} {glyphs.dot} {key}"
        return (f"{name}, {how} {time}{brings}", f"{short}{brings}", shorter, f"{key}: {name}")


class F8(Enum):
    """What F8 does with an entry."""

    TAKE_BACK = auto()  # it waits, and comes back into the form
    CORRECT = auto()  # it was refused, and a copy of it comes into the form
    TOO_LATE = auto()  # it was counted down a moment ago, and is out: nothing else is done


class TakeBackTarget:
    """What F8 acts on: what the screen names.

    That is the entry that is counted down, else the refused one in the banner, else the newest that
    waits. Who aims at a countdown that ends just then gets no other animal.
    """

    def __init__(
        self, goes_in: Callable[[Entry], float], clock: Callable[[], float] = monotonic
    ) -> None:
        self._goes_in = goes_in
        self._clock = clock
        self._last = ""  # id of the entry that was counted down last
        self._until = 0.0

    def observe(self, entries: Sequence[Entry]) -> None:
        """Remember which entry is counted down, and until when; it may end early."""
        now, waiting = self._clock(), self._newest_waiting(entries)
        if waiting is not None and (seconds := self._goes_in(waiting)) > 0:
            self._last, self._until = waiting.entry_id, now + seconds
        else:
            self._until = min(self._until, now)

    def now(self, entries: Sequence[Entry], refused: Entry | None) -> tuple[F8, Entry] | None:
        """Return what the key does now, and with which entry; None for nothing.

        Args:
            entries: of the outbox, the oldest first.
            refused: the one that the banner names.
        """
        waiting = self._newest_waiting(entries)
        if waiting is not None and self._goes_in(waiting) > 0:
            return F8.TAKE_BACK, waiting
        if self._clock() < self._until + TOO_LATE:
            last = next((entry for entry in entries if entry.entry_id == self._last), None)
            if last is not None:  # not taken back, nor forgotten
                return F8.TAKE_BACK if last.waits_here else F8.TOO_LATE, last
        if refused is not None:
            return F8.CORRECT, refused
        return None if waiting is None else (F8.TAKE_BACK, waiting)

    def _newest_waiting(self, entries: Sequence[Entry]) -> Entry | None:
        """Return what can be taken back for longest; a correction stands among older ones."""
        waiting = (entry for entry in entries if entry.waits_here)
        return max(waiting, key=lambda each: (self._goes_in(each), each.entry_id), default=None)


class RefusedBanner:
    """What the banner says of the refused and unknown entries, one of which it names.

    It is the one that is corrected now, or else the newest, until that is dismissed. Another
    failure stays, unless one was refused since.
    """

    def __init__(self, session: UserSession, target: TakeBackTarget) -> None:
        """Tell of a session's entries; ``target`` says whether F8 would correct one."""
        self._session = session
        self._target = target
        self._named: Entry | None = None
        self._shown: Failure | None = None  # what was said of it
        self._ids: frozenset[str] = frozenset()  # of all that were there then

    def named_in(self, failure: Failure | None) -> Entry | None:
        """Return the entry that a failure names; None for another failure."""
        return self._named if failure is not None and failure is self._shown else None

    def in_place_of(self, failure: Failure | None, draft: Draft) -> Failure | None:
        """Return what the banner shows from now on.

        Args:
            failure: what it shows.
            draft: what stands in the form.
        """
        entries, is_named = undecided_here(self._session.outbox.entries), self.named_in(failure)
        ids = frozenset(entry.entry_id for entry in entries)
        is_new, self._ids = bool(ids - self._ids), ids
        if failure is not None and not is_named and not is_new:
            return failure
        self._session.dismissed &= ids  # one that was sent again may be refused again
        dismissed = self._session.dismissed
        newest = [entry for entry in entries if entry.entry_id not in dismissed][-1:]
        if not newest:
            return None if is_named else failure
        self._named = self.original_of(draft) or newest[0]
        banner = self._text(self._named, draft, len(entries) - 1)
        self._shown = failure if failure == banner else banner
        return self._shown

    def _text(self, entry: Entry, draft: Draft, others: int) -> Failure:
        refusal, hint = refusal_of(entry), EDIT_IT
        if entry.state is EntryState.UNKNOWN:
            hint = DECIDE
        elif draft.copy_of == entry.entry_id:
            hint = ADD_AGAIN
        elif self._target.now(self._session.outbox.entries, entry) == (F8.CORRECT, entry):
            hint = CORRECT_IT
        more = f" {self._session.glyphs.dot} and {others} more" if others else ""
        message = f"{entry.name}: {refusal.message}"
        return refusal._replace(title=f"{refusal.title}{more}", message=message, hint=hint)

    def dismiss(self) -> None:
        """Say no more of those that are there now."""
        self._session.dismissed |= self._ids

    def original_of(self, draft: Draft) -> Entry | None:
        """Return the refused or unknown entry that a draft was made of."""
        entries = undecided_here(self._session.outbox.entries) if draft.copy_of else ()
        return next((entry for entry in entries if entry.entry_id == draft.copy_of), None)
