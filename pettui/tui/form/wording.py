"""The texts of the form."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pettui.outbox import EntryState
from pettui.text.amounts import time_text
from pettui.text.safe import safe
from pettui.tui.session.categories import NAMED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.appearance.glyphs import GlyphSet
    from pettui.outbox import Draft, Entry
    from pettui.tui.session.categories import Categories


DRAFT_CELLS = 16  # of the name of one that waits
KEPT = "kept"  # a value, from the previous animal
NO_CATEGORY = "not a known category"  # where the profile names others


def pasted_doubts(doubles: int, twins: int, digits: int, unknown: Sequence[int]) -> list[str]:
    """Return what is odd about some animals of a paste.

    Args:
        doubles: how many may have been added already.
        twins: how many are there, or stand there before.
        digits: how many names are digits only.
        unknown: their categories that the profile, which names others, does not name.
    """
    counts = (
        (doubles, "may be a double", "may be doubles"),
        (twins, "is a twin", "are twins"),
        (digits, "name is a number", "names are numbers"),
    )
    doubts = [f"{count:,} {one if count == 1 else many}" for count, one, many in counts if count]
    return [*doubts, *(f"{number} is {NO_CATEGORY}" for number in unknown[:1])]


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
    how = "taken back" if newest.is_taken_back else "half typed"
    if newest.lines:
        name, how = lines_text(newest.lines), "left out"
    time = draft_time(newest, now)
    more = f", and {others} more" if others else ""
    if not key:
        wait = "wait" if others else "waits"
        return (f"{name}, {how} {time}{more}, {wait}", f"{name} of {time}{more}", name)
    then = f"{more} {glyphs.dot} {key} brings it back"
    short = f"{name} of {time}{f' +{others}' if others else ''} {glyphs.dot} {key}"
    return (f"{name}, {how} {time}{then}", f"{name} of {time}{then}", short, f"{key}: {name}")


def lines_text(lines: str) -> str:
    """Return how many lines of a paste were left out: "3 lines"."""
    count = lines.count("\n")
    return f"{count:,} {'line' if count == 1 else 'lines'}"


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


def draft_time(draft: Draft, now: datetime) -> str:
    """Return when a draft was changed last: "17:40", "yesterday 17:40"."""
    at = datetime.fromtimestamp(draft.typed_at, now.tzinfo)
    return time_text(at, now, with_seconds=False)


def offers_text(
    glyphs: GlyphSet,
    categories: Categories,
    typed: str,
    replaced: str | None,
    *,
    shown: int = NAMED,
) -> str:
    """Return the categories that match, the last used first; "" for none.

    Args:
        glyphs: of the terminal.
        categories: the profile's.
        typed: the field's text.
        replaced: what is said before that the next character replaces it; None if it does not.
        shown: how many at most.
    """
    key = glyphs.keys["right"]
    others = categories.offers(typed if replaced is None else "")
    labels = [categories.label(each) for each in others if replaced is None or str(each) != typed]
    listed = f" {glyphs.dot} ".join(labels[:shown]) + (
        f" {glyphs.ellipsis}" * (len(labels) > shown > 1)
    )
    if replaced is not None:
        how = f"{replaced}type to replace, {key} to edit"
        return f"{how} {glyphs.dot} {listed}" if listed else how
    return f"{key} {listed}" if listed else ""
