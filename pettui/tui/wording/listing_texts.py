"""The texts of a list's status line, and of an empty table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox import EntryState
from pettui.rows import Direction
from pettui.statuses import status_word
from pettui.tui.lists.rows import not_shown_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.glyphs import GlyphSet
    from pettui.outbox import Outbox
    from pettui.rows import RowView, ShownRows
    from pettui.tui.lists.listing import Listing, ListQuery
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.text_runs import StyledText

NOTHING_NEW = "the last page had nothing new"
WORDS_MAXIMUM = 60  # characters of the words in the find line


def query_text(query: ListQuery) -> str:
    """Return what is loading."""
    return f"loading {_which(query.status)} animals"


def _which(status: str | None) -> str:
    return "all" if status is None else status_word(status)


def status_texts(
    glyphs: GlyphSet,
    query: ListQuery,
    listing: Listing | None,
    shown: ShownRows | None,
    *,
    busy: str,
    remark: str,
    is_stale: bool,
    busy_short: str = "",
    as_of: str = "",
    marked: int = 0,
    adds_wait: StyledText | None = None,
    hidden: int = 0,
) -> tuple[StyledText, ...]:
    """Return the status line's left side, the most urgent first.

    Args:
        glyphs: of the terminal.
        query: the current one.
        listing: the loaded rows; None before the first response.
        shown: the rows of it that are shown.
        busy: what is loading; "" for nothing.
        remark: a message that is shown once.
        is_stale: whether the query failed.
        busy_short: the same as ``busy``, for less room; "" for the same text.
        as_of: the time of the rows, if they are older than the query.
        marked: how many animals the user marked.
        adds_wait: that adds wait although the service responds; None if they do not.
        hidden: how many of them are not shown.
    """
    texts: list[StyledText] = []
    if busy:
        texts.append((busy, "accent", busy_short or busy))
    if adds_wait is not None:
        texts.append(adds_wait)
    if remark:
        texts.append((remark, "notice"))
    if marked:
        texts.append((f"{marked:,} marked{not_shown_text(hidden)}", "accent"))
    if listing is not None:
        texts += _shown(glyphs, query, listing, shown, as_of)
        texts += [] if as_of else _differences(listing)
    elif not busy and is_stale:
        texts.append(("nothing to show yet", "muted"))
    return tuple(texts)


def _shown(
    glyphs: GlyphSet, query: ListQuery, listing: Listing, shown: ShownRows | None, as_of: str
) -> list[StyledText]:
    texts = _found(glyphs, shown)
    if as_of:
        texts.append((f"{_which(listing.query.status)} as of {as_of}", "notice"))
    if listing.is_at_maximum:
        most = "no more than 100 of one list; status filters show more"
        texts.append((most, "notice", "100 at most; try status filters"))
    if shown is None or not shown.is_narrowed:
        texts.append((f"{len(listing.loaded):,} shown", "strong"))
    if not listing.is_at_maximum:
        texts.append((f"limit {query.limit}", "muted"))
    return texts


def _found(glyphs: GlyphSet, shown: ShownRows | None) -> list[StyledText]:
    if shown is None or not shown.is_narrowed:
        return []
    words = glyphs.line(shown.view.words, WORDS_MAXIMUM)
    text, short = found_text(shown)
    return [(f"{text} {glyphs.dot} /{words}", "strong", f"{short} {glyphs.dot} /{words}")]


def found_text(shown: ShownRows | None) -> tuple[str, str]:
    """Return how many of the loaded rows were found, and a shorter form of the same."""
    found, loaded = (len(shown.indexes), len(shown.loaded)) if shown is not None else (0, 0)
    return f"{found:,} of {loaded:,} loaded", f"{found:,} of {loaded:,}"


def direction_sign(glyphs: GlyphSet, view: RowView) -> str:
    """Return the glyph of the sort direction."""
    return glyphs.ascending if view.direction is Direction.ASCENDING else glyphs.descending


def view_notes(glyphs: GlyphSet, view: RowView, listing: Listing | None) -> tuple[str, ...]:
    """Return the column that rows are sorted by, and how many are; () for the service's order."""
    if view.column is None:
        return ()
    count = len(listing.loaded) if listing is not None else 0
    return f"by {view.column.name} {direction_sign(glyphs, view)}", f"{count:,} rows"


def no_mark_text(shown: ShownRows | None) -> str:
    """Return the message that there is no new or changed row to go to."""
    found = " among those found" if shown is not None and shown.is_narrowed else ""
    return f"no new or changed row{found}"


def _differences(listing: Listing) -> list[StyledText]:
    counts = listing.counts
    return [
        (f"{count:,} {what}", style)
        for count, what, style in (
            (len(listing.marks.new), "new", "good"),
            (len(listing.marks.changed), "changed", "changed"),
            (counts.unreadable, "unreadable", "error"),
            (counts.of_another_status, "with a status not requested", "notice"),
            (counts.beyond_limit, "more than requested", "notice"),
        )
        if count
    ]


def counts_of(session: UserSession) -> tuple[str, ...]:
    """Return the status line's right side: entries by state, and how many animals were added."""
    added = (f"added this session: {session.added}",) if session.added else ()
    return (*not_added_counts(session.outbox), *added)


def not_added_counts(outbox: Outbox) -> tuple[str, ...]:
    """Return how many entries are not sent yet, refused or unknown."""
    states = [entry.state for entry in outbox.entries]
    parts = []
    out = states.count(EntryState.WAITING) + states.count(EntryState.SENDING)
    for count, what in (
        (out, _unsent_state(outbox)),
        (states.count(EntryState.REFUSED), "refused"),
        (states.count(EntryState.UNKNOWN), "unknown"),
    ):
        if count:
            parts.append(f"{count} {what}")
    return tuple(parts)


def _unsent_state(outbox: Outbox) -> str:
    if outbox.sending.key_error:
        return "unsent: API key needed"
    if outbox.sending.is_service_away:
        return "unsent: no service"
    return "on the way" if outbox.sending.waiting_for is None else "unsent: adds wait"


def empty_text(listing: Listing | None, shown: ShownRows | None, failed: bool) -> str:
    """Return why there are no rows, and hints of keys (see ``available_actions.hints``)."""
    if listing is None:
        return "Nothing was loaded.  {refresh} retries." if failed else ""
    if shown is not None and shown.is_narrowed and shown.loaded:
        return f"No matches in {len(shown.loaded):,} rows.  {{put_away}} clears."
    status = listing.query.status
    return (
        "No animals yet.  {add} adds one."
        if status is None
        else f"No {status_word(status)} animals.  {{filter_all}} shows all,  {{add}} adds one."
    )


def fitting(texts: Sequence[str], width: int) -> str:
    """Return as many of the texts as fit, joined; the first one always."""
    shown = [*texts]
    while len(shown) > 1 and len(" ".join(shown)) > width:
        del shown[-1]
    return " ".join(shown).removesuffix(",")
