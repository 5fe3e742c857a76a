"""The texts of the form."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pettui.outbox import EntryState
from pettui.text.amounts import time_text
from pettui.text.safe import safe
from pettui.tui.session.categories import NAMED, is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.appearance.glyphs import GlyphSet
    from pettui.outbox import Draft, Entry
    from pettui.tui.session.categories import Categories


DRAFT_CELLS = 16  # of the name of one that waits


def perhaps_added_text(name: str) -> str:
    """Return the risk of adding an unknown entry again, by its raw name."""
    return f"{safe(name, 16)} may have been added already: adding it again would make two"


def unknown_category(number: str = "") -> str:
    """Return that the profile, which names others, does not name a category."""
    return f"{number} is not a known category" if number else "not a known category"


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
    return [*doubts, *(unknown_category(str(number)) for number in unknown[:1])]


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
    if newest.lines:
        name = lines_text(newest.lines)
    how = "taken back" if newest.is_taken_back else "half typed"
    how = "left out" if newest.lines else how
    time = draft_time(newest, now)
    more = f", and {others} more" if others else ""
    if not key:
        wait = "wait" if others else "waits"
        return (f"{name}, {how} {time}{more}, {wait}", f"{name} of {time}{more}", name)
    brings = f"{glyphs.dot} {key} brings it back"
    short = f"+{others} " if others else ""
    return (
        f"{name}, {how} {time}{more} {brings}",
        f"{name} of {time}{more} {brings}",
        f"{name} of {time} {short}{glyphs.dot} {key}",
        f"{key}: {name} {short}".rstrip(),
    )


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


def listed_of(loaded: int) -> str:
    """Return that an animal is listed, where there may be more than the loaded ones."""
    return f"listed, of the {loaded:,} that {'is' if loaded == 1 else 'are'} loaded"


def draft_time(draft: Draft, now: datetime) -> str:
    """Return when a draft was changed last: "17:40", "yesterday 17:40"."""
    at = datetime.fromtimestamp(draft.typed_at, now.tzinfo)
    return time_text(at, now, with_seconds=False)


REMARK_CHARACTERS = 30
KEPT = "kept"  # a value, from the previous animal
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
