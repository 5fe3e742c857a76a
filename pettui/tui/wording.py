"""The texts of the screens: entries of the outbox, lists, the form, sizes and times."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pettui.amounts import counted, seconds_text, size_text, time_text
from pettui.outbox import EntryState
from pettui.rows import Direction
from pettui.statuses import status_word
from pettui.text import safe
from pettui.tui.lists.categories import NAMED, is_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pettui.columns import Column
    from pettui.glyphs import GlyphSet
    from pettui.outbox import Draft, Entry, Outbox
    from pettui.rows import RowView, ShownRows
    from pettui.tui.lists.categories import Categories
    from pettui.tui.lists.listing import Listing, ListQuery
    from pettui.tui.runs import StyledText


ALLOWED = ", if this terminal allows it"  # after "copied …"


def too_long(size: int, maximum: int) -> str:
    """Return why a paste was refused; both sizes are in bytes."""
    return f"{size_text(size)} is too long: at most {size_text(maximum)} at once"


DRAFT_CELLS = 16  # of the name of one that waits

DUPLICATE_RISK = (
    "It may already have been added. Then there would be two, and neither can be deleted."
)


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


def adds_wait_texts(outbox: Outbox) -> tuple[str, str] | None:
    """Return how long entries wait though the service responds, and shorter; None if they do not.

    They do after lost responses, so that few of them become unknown.
    """
    seconds = outbox.sending.adds_wait
    if not seconds or not any(entry.waits_here for entry in outbox.entries):
        return None
    short = f"adds wait {seconds_text(seconds)}"
    return f"the service answers, {short}", short


def why_not_taken_back(outbox: Outbox) -> str:
    """Return why the newest entry, if there is one, cannot be taken back into the form."""
    own = [entry for entry in outbox.entries if not entry.owned_elsewhere]
    newest = own[-1] if own else None
    return "nothing has been added here yet" if newest is None else too_late_text(newest)


def too_late_text(entry: Entry) -> str:
    """Return why an entry cannot be taken back."""
    if entry.state is EntryState.ADDED:
        with_id = f", with id {entry.pet_id}" if entry.pet_id is not None else ""
        return f"too late: {entry.label} was added{with_id}"
    if entry.state is EntryState.SENDING:
        return f"too late: {entry.label} is being sent"
    return f"too late: {entry.label} was sent, and is {entry.state.value}; see the outbox"


def loss_text(entry: Entry) -> str:
    """Return what is lost if an entry is forgotten that is not known to be added."""
    if entry.state is EntryState.UNKNOWN:
        return "It may have been added. Once forgotten, there is no way to tell from here."
    if entry.state is EntryState.WAITING:
        return "It was not sent yet, and what you typed will be lost."
    return "It was not added, and what you typed will be lost."


def perhaps_added_text(name: str) -> str:
    """Return the risk of adding an unknown entry again, by its raw name."""
    return f"{safe(name, 16)} may have been added already: adding it again would make two"


def double_question(key: str, name: str) -> str:
    """Return the question whether an animal is added that may be there, by its raw name."""
    may_be = f"{safe(name, 16)} may have been added already"
    return f"{key} adds it anyway: {may_be}; typing begins the next"


def pasted_question(key: str, count: int) -> str:
    """Return the question whether all of a paste are added, some of which may be there."""
    return f"{key} adds all: {count:,} may be doubles"


def put_aside_texts(
    glyphs: GlyphSet, drafts: Sequence[Draft], now: datetime, key: str
) -> tuple[str, ...]:
    """Return what waits to be brought back into the form, and since when, ever shorter.

    Args:
        glyphs: of the terminal.
        drafts: the newest first.
        now: the time.
        key: that brings the newest back; "" while it would not.
    """
    if not drafts:
        return ("",)
    newest, others = drafts[0], len(drafts) - 1
    name = glyphs.cut(glyphs.line(newest.name), DRAFT_CELLS) or "no name yet"
    time = draft_time(newest, now)
    more = f", and {others} more" if others else ""
    if not key:
        wait = "wait" if others else "waits"
        return (f"{name}, half typed {time}{more}, {wait}", f"{name} of {time}{more}", name)
    brings = f"{glyphs.dot} {key} brings it back"
    short = f"+{others} " if others else ""
    return (
        f"{name}, half typed {time}{more} {brings}",
        f"{name} of {time}{more} {brings}",
        f"{name} of {time} {short}{glyphs.dot} {key}",
        f"{key}: {name} {short}".rstrip(),
    )


def draft_time(draft: Draft, now: datetime) -> str:
    """Return when a draft was changed last: "17:40", "yesterday 17:40"."""
    at = datetime.fromtimestamp(draft.typed_at, now.tzinfo)
    return time_text(at, now, with_seconds=False)


NOTHING_NEW = "the last page had nothing new"
SERVICE_IS_BACK = "the service is back"
ONLY_MARKED = "only marked"
WORDS_MAXIMUM = 60  # characters of the words in the find line


def query_text(query: ListQuery) -> str:
    """Return what is loading."""
    return f"loading {_which(query.status)} animals"


def _which(status: str | None) -> str:
    return "all" if status is None else status_word(status)


def listing_texts(
    glyphs: GlyphSet,
    query: ListQuery,
    listing: Listing,
    shown: ShownRows,
    as_of: str,
    *,
    is_finding: bool,
) -> list[StyledText]:
    """Return what the status line says of a listing, the most urgent first.

    Args:
        glyphs: of the terminal.
        query: the current one.
        listing: the loaded rows.
        shown: the rows of it that are shown.
        as_of: the time of the rows, if they are older than the query.
        is_finding: a line above says how many are found, and of how many.
    """
    texts = [] if is_finding else _found(glyphs, shown)
    if as_of:
        which = _which(listing.query.status)
        texts.append((f"{which} animals as of {as_of}", "notice", f"{which} as of {as_of}"))
    if listing.is_at_maximum:
        most = "no more than 100 of one list; status filters show more"
        texts.append((most, "notice", "100 at most; try status filters"))
    if not shown.is_narrowed:
        texts.append((f"{len(listing.loaded):,} shown", "strong"))
    elif is_finding:
        texts.append((f"{len(listing.loaded):,} loaded", "strong"))
    if not listing.is_at_maximum:
        texts.append((f"limit {query.limit}", "muted"))
    return texts if as_of else [*texts, *_differences(listing)]


def _found(glyphs: GlyphSet, shown: ShownRows) -> list[StyledText]:
    if not shown.is_narrowed:
        return []
    words = glyphs.line(shown.view.words, WORDS_MAXIMUM)
    parts = (ONLY_MARKED if shown.view.only is not None else "", f"/{words}" if words else "")
    what = f" {glyphs.dot} ".join(filter(None, parts))
    text, short = found_text(shown)
    return [(f"{text} {glyphs.dot} {what}", "strong", f"{short} {glyphs.dot} {what}")]


def found_text(shown: ShownRows) -> tuple[str, str]:
    """Return how many of the loaded rows were found, and a shorter form of the same."""
    found, loaded = len(shown.indexes), len(shown.loaded)
    return f"{found:,} of {loaded:,} loaded", f"{found:,} of {loaded:,}"


def direction_sign(glyphs: GlyphSet, view: RowView, column: Column) -> str:
    """Return the glyph of a column's sort direction; "" where rows are not sorted by it."""
    if column is view.column:
        is_ascending = view.direction is Direction.ASCENDING
        return glyphs.ascending if is_ascending else glyphs.descending
    if column is view.then:
        is_ascending = view.then_direction is Direction.ASCENDING
        return glyphs.then_ascending if is_ascending else glyphs.then_descending
    return ""


def view_remarks(glyphs: GlyphSet, view: RowView, listing: Listing | None) -> tuple[str, ...]:
    """Return by which columns rows are sorted, and how many are; () for the service's order."""
    if view.column is None:
        return ()
    count = len(listing.loaded) if listing is not None else 0
    names = [f"{each.name} {direction_sign(glyphs, view, each)}" for each, _ in view.order]
    return f"by {', '.join(names)}", f"{count:,} rows"


def marked_text(new: int, count: int, listing: Listing | None) -> str:
    """Return what is to be said of marking animals, besides how many are marked now.

    Args:
        new: how many of them were not marked before.
        count: how many they are.
        listing: where they are from.
    """
    if not new:
        return f"all {count:,} are marked already" if count else "there is nothing to mark"
    if listing is not None and listing.goes_on:
        return f"marked {new:,}: further pages are not loaded"
    return ""


def no_mark_text(shown: ShownRows) -> str:
    """Return the message that there is no new or changed row to go to."""
    found = " among those found" if shown.is_narrowed else ""
    return f"no new or changed row{found}"


def _differences(listing: Listing) -> list[StyledText]:
    counts = listing.counts
    return [
        (f"{count:,} {what}", style)
        for count, what, style in (
            (len(listing.marks.new), "new", "good"),
            (len(listing.marks.changed), "changed", "changed"),
            (counts.unreadable, "unreadable", "notice"),
            (counts.of_another_status, "with a status not requested", "notice"),
            (counts.beyond_limit, "more than requested", "notice"),
        )
        if count
    ]


def counts_of(outbox: Outbox, added: int = 0) -> tuple[str, ...]:
    """Return the status line's right side: what is not sent, and how many this session added."""
    states = [entry.state for entry in outbox.entries]
    out = states.count(EntryState.WAITING) + states.count(EntryState.SENDING)
    unsent = (f"{out} {_unsent_state(outbox)}",) if out else ()
    return (*unsent, f"added this session: {added}") if added else unsent


def undecided_texts(glyphs: GlyphSet, outbox: Outbox) -> tuple[str, str]:
    """Return how many entries were refused and are unknown, and the same for less room."""
    # Counted in a list, by identity: an enum's hash is slow.
    states = [entry.state for entry in outbox.entries]
    counts = {state: states.count(state) for state in (EntryState.REFUSED, EntryState.UNKNOWN)}
    text = f" {glyphs.dot} ".join(counts_by_state(counts))
    return text, f"{sum(counts.values()):,} to decide" if all(counts.values()) else text


def counts_by_state(counts: Mapping[EntryState, int]) -> list[str]:
    """Return what an outbox that is not open here holds; what waits for a decision comes first."""
    unsent = counts.get(EntryState.WAITING, 0) + counts.get(EntryState.SENDING, 0)
    parts = (
        (counts.get(EntryState.REFUSED, 0), "refused"),
        (counts.get(EntryState.UNKNOWN, 0), "unknown"),
        (unsent, "unsent"),
    )
    return [f"{count:,} {what}" for count, what in parts if count]


def _unsent_state(outbox: Outbox) -> str:
    if outbox.sending.api_key_error:
        return "unsent: API key needed"
    if outbox.sending.is_service_away:
        return "unsent: no service"
    return "on the way" if outbox.sending.waiting_for is None else "unsent: adds wait"


def empty_text(listing: Listing | None, shown: ShownRows, failed: bool) -> str:
    """Return why there are no rows, and hints of keys (see ``keys.hints``)."""
    if listing is None:
        return "Nothing was loaded.  {refresh} retries." if failed else ""
    if shown.view.only is not None and not shown.terms and shown.loaded:
        return f"None of these {len(shown.loaded):,} rows was marked.  {{only_marked}} shows all."
    if shown.is_narrowed and shown.loaded:
        return f"No matches in {len(shown.loaded):,} rows.  {{put_away}} clears."
    status = listing.query.status
    return (
        "No animals yet.  {add} adds one."
        if status is None
        else f"No {status_word(status)} animals.  {{filter_all}} shows all,  {{add}} adds one."
    )


REMARK_CHARACTERS = 30
STATUS_KEPT = "kept from the previous animal"


def status_text(glyphs: GlyphSet, *, is_kept: bool) -> str:
    """Return how to choose a status, or that it was kept from the previous animal."""
    if is_kept:
        return STATUS_KEPT
    return f"{glyphs.keys['left']} {glyphs.keys['right']} or its first letter"


def category_remark(glyphs: GlyphSet, categories: Categories, typed: str, number: int) -> str:
    """Return the remark beside a category: its name, or number and name where a name was typed."""
    text = categories.name(number) if is_number(typed) else categories.label(number)
    return glyphs.line(text, REMARK_CHARACTERS)


def offers_text(
    glyphs: GlyphSet, categories: Categories, typed: str, *, is_kept: bool, shown: int = NAMED
) -> str:
    """Return the categories that match, the last used first; "" for none.

    Args:
        glyphs: of the terminal.
        categories: the profile's.
        typed: the field's text.
        is_kept: whether it is the previous animal's, so that the next character replaces it.
        shown: how many at most.
    """
    key = glyphs.keys["right"]
    others = categories.offers("" if is_kept else typed)
    labels = [categories.label(each) for each in others if not is_kept or str(each) != typed]
    listed = f" {glyphs.dot} ".join(labels[:shown]) + (
        f" {glyphs.ellipsis}" * (len(labels) > shown > 1)
    )
    if is_kept:
        kept = f"kept: type to replace, {key} to edit"
        return f"{kept} {glyphs.dot} {listed}" if listed else kept
    return f"{key} {listed}" if listed else ""
