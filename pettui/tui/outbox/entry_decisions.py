"""What can be done about an entry of the outbox, which wait for a decision, order and find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models.pets import Pet
from pettui.models.statuses import STATUSES, status_word
from pettui.outbox.candidates import likeness
from pettui.outbox.entries import Entry, EntryState
from pettui.text.amounts import counted, seconds_text
from pettui.text.folding import fold, has_words, natural_key
from pettui.tui.session.wording import LIST

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pettui.outbox.outbox import Outbox

POSSIBLE: Mapping[str, tuple[EntryState, ...]] = {
    "open": (EntryState.ADDED,),
    "view_entry": (EntryState.UNKNOWN,),
    "edit": (EntryState.WAITING, EntryState.REFUSED),
    "look_for": (EntryState.UNKNOWN,),
    "send_again": (EntryState.REFUSED, EntryState.UNKNOWN),
    "give_up": (EntryState.SENDING,),
    "edit_copy": (EntryState.REFUSED, EntryState.UNKNOWN),
    "forget": (EntryState.WAITING, EntryState.ADDED, EntryState.REFUSED, EntryState.UNKNOWN),
}
"""The states in which an entry of this window can be opened, edited and so on."""
ENTER = ("open", "view_entry", "edit")
"""What Enter does, by the state."""
ORDERS = ("", "name", "category", "state")
"""The columns to sort by, one after the other; "" leaves the newest first."""
DECISIONS_FIRST = (
    EntryState.REFUSED,
    EntryState.UNKNOWN,
    EntryState.WAITING,
    EntryState.SENDING,
    EntryState.ADDED,
)


def in_order(entries: Sequence[Entry], order: str) -> list[Entry]:
    """Return entries, given oldest first, sorted by one of ORDERS; equal ones newest first."""
    newest = [*reversed(entries)]
    if order == "name":
        newest.sort(key=lambda entry: natural_key(fold(entry.name)))
    elif order == "category":
        newest.sort(key=lambda entry: entry.category_id)
    elif order == "state":
        newest.sort(key=lambda entry: DECISIONS_FIRST.index(entry.state))
    return newest


def found_entries(
    entries: Sequence[Entry], words: Collection[str], category_name: Callable[[int], str]
) -> Sequence[Entry]:
    """Return the entries that contain all the folded words, in the same order."""
    return [each for each in entries if _contains(each, words, category_name)] if words else entries


def _contains(entry: Entry, words: Collection[str], category_name: Callable[[int], str]) -> bool:
    texts = (
        entry.name,
        f"{entry.category_id}",
        category_name(entry.category_id),
        status_word(entry.status),
        entry.state.value,
        f"{entry.pet_id or ''}",
        entry.error or "",
    )
    return has_words(words, *texts)


def is_possible(action: str, entry: Entry | None) -> bool:
    """Whether one of the actions in POSSIBLE can be done, with an entry or without any."""
    if entry is None or entry.state not in POSSIBLE[action]:
        return False
    if action == "open":
        return entry.pet_id is not None
    if action == "give_up" and entry.store_id is None:  # it ends by itself
        return False
    return not entry.owned_elsewhere


def undecided_here(entries: Iterable[Entry]) -> list[Entry]:
    """Return the refused and unknown entries that this window owns, in the same order."""
    states = (EntryState.REFUSED, EntryState.UNKNOWN)
    return [each for each in entries if each.state in states and not each.owned_elsewhere]


def is_perhaps_added(entries: Iterable[Entry], name: str, category_id: int) -> bool:
    """Whether an entry that may have been added is an animal alike, as a service may have it."""
    alike = likeness(name, category_id)
    perhaps = (entry for entry in entries if may_be_added(entry))
    return any(likeness(entry.name, entry.category_id) == alike for entry in perhaps)


def may_be_added(entry: Entry) -> bool:
    """Whether an entry was sent, and no response says whether it was added."""
    return entry.state is EntryState.UNKNOWN or entry.is_sent_again


def why_not(action: str, entry: Entry) -> str:
    """Return why one of the actions in POSSIBLE, which is not possible, does nothing; raw."""
    if entry.owned_elsewhere:
        return f"{entry.label} belongs to another window: decide there"
    if entry.state is EntryState.SENDING:
        again = " again, until it is answered" if entry.is_sent_again else ""
        return f"{entry.label} is being sent{again}"
    if entry.state is EntryState.ADDED and entry.pet_id is None:  # killed before it was written
        return f"{entry.label} was added, but its id was not kept: find it in the {LIST}"
    states = " or ".join(state.value for state in POSSIBLE[action])
    return f"{entry.label} is {entry.state.value}: this key is for {states} animals"


def no_undecided_text(entries: Sequence[Entry], *, is_on_one: bool, is_found: bool) -> str:
    """Return that no further entry waits for a decision, or that another window's do."""
    others = [entry.state for entry in entries if entry.owned_elsewhere]
    counts = [
        f"{others.count(state)} {state.value}"
        for state in (EntryState.REFUSED, EntryState.UNKNOWN)
        if state in others
    ]
    other = "other " if is_on_one else ""
    if not counts:
        found = " among those found" if is_found else ""
        return f"no {other}entry{found} is refused or unknown"
    return f"no {other}one here: another window has {', '.join(counts)}"


def next_undecided(entries: Sequence[Entry], index: int, step: int) -> int | None:
    """Return the index of the next refused or unknown entry, wrapping round; None for none.

    Args:
        entries: in the order in which they are shown.
        index: the cursor's; it comes last.
        step: 1 for the next one, -1 for the previous one.
    """
    around = ((index + step * distance) % len(entries) for distance in range(1, len(entries) + 1))
    return next((i for i in around if is_possible("send_again", entries[i])), None)


def added_pet(entry: Entry) -> Pet:
    """Return the animal of an added entry whose id is known: as it was received, or was sent."""
    if entry.pet is not None:
        return entry.pet
    assert entry.pet_id is not None  # noqa: S101 - as is_possible has it
    status = STATUSES.get(entry.status or "")
    return Pet(id=entry.pet_id, name=entry.name, category_id=entry.category_id, status=status)


# What is said of them

LOOKS = "{look_for} shows the listed animals that it could be."

GIVEN_UP_RISK = (
    "It may have been added, or still be. It is unknown then, and no longer sent again by itself."
)


def sending_text(outbox: Outbox, entry: Entry) -> str:
    """Return the state of an entry that is not added, in words, and when it is sent again."""
    if outbox.waits_for_own_key(entry):
        return f"{entry.state.value}, for its API key"
    if not entry.is_sent_again:
        return entry.state.value
    seconds = outbox.goes_again_in(entry)
    return f"sending again in {seconds_text(seconds)}" if seconds else "sending again"


def counts_text(entries: Sequence[Entry]) -> str:
    """Return how many entries there are, and how many of each state but added."""
    count = counted(len(entries), "entry")
    states = [entry.state for entry in entries]
    others = [
        f"{states.count(state)} {state.value}"
        for state in EntryState
        if state is not EntryState.ADDED and state in states
    ]
    return ", ".join((count, *others))


def loss_text(entry: Entry) -> str:
    """Return what is lost if an entry is forgotten that is not known to be added."""
    if entry.state is EntryState.UNKNOWN or entry.unanswered_by is not None:
        return "It may have been added. Once forgotten, there is no way to tell from here."
    if entry.state is EntryState.WAITING:
        return "It was not sent yet, and what you typed will be lost."
    return "It was not added, and what you typed will be lost."
