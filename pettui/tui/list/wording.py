"""The texts of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models.statuses import status_word
from pettui.rows.shown import Direction

if TYPE_CHECKING:
    from pettui.appearance.glyphs import GlyphSet
    from pettui.rows.columns import Column
    from pettui.rows.shown import RowView, ShownRows
    from pettui.tui.list.listing import Listing, ListQuery
    from pettui.tui.widgets.runs import StyledText


NOTHING_NEW = "the last page had nothing new"
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
    if listing.end_is_unknown:
        texts.append(("whether there are more is not known", "notice", "perhaps more"))
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


def marked_text(new: int, count: int, *, goes_on: bool) -> str:
    """Return what is to be said of marking animals, besides how many are marked now.

    Args:
        new: how many of them were not marked before.
        count: how many they are.
        goes_on: further pages are not loaded.
    """
    if not new:
        return f"all {count:,} are marked already" if count else "there is nothing to mark"
    if goes_on:
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


def empty_text(listing: Listing | None, shown: ShownRows, failed: bool) -> str:
    """Return why there are no rows, and hints of keys (see ``keys.hints``)."""
    if listing is None:
        return (
            "Nothing was loaded.  {refresh} retries.  {add} adds: it is sent later."
            if failed
            else ""
        )
    if shown.view.only is not None and not shown.terms and shown.loaded:
        return f"None of these {len(shown.loaded):,} rows was marked.  {{only_marked}} shows all."
    if shown.is_narrowed and shown.loaded:
        return f"No matches in {len(shown.loaded):,} rows.  {{put_away}} clears."
    status = listing.query.status
    if failed:
        return "None were listed then.  {refresh} retries.  {add} adds: it is sent later."
    return (
        "No animals yet.  {add} adds one."
        if status is None
        else f"No {status_word(status)} animals.  {{filter_all}} shows all,  {{add}} adds one."
    )
