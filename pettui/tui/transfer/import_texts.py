"""What the screen of an import says: of the whole file, and of single lines; raw."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pettui.text.amounts import counted
from pettui.transfer.importing import Choice, Likeness, Phase
from pettui.transfer.line_texts import (
    bad_texts,
    changed_texts,
    duplicate_texts,
    failed_texts,
    gone_texts,
)
from pettui.transfer.lines import totals_of
from pettui.transfer.results import OutcomeKind
from pettui.transfer.searching import CANNOT_CHANGE, lost_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pettui.transfer.importing import Import
    from pettui.transfer.lines import GoodLine
    from pettui.transfer.searching import Duplicates

RawText: TypeAlias = tuple[str, str]
"""And the name of its style."""

CATEGORIES: Final = 8  # of which totals are shown
SHOWN: Final = 100  # lines of a kind; the result file has all


def import_texts(
    name: str,
    importing: Import,
    keys: Mapping[str, str],
    label_of: Callable[[int], str] = str,
) -> Iterator[RawText]:
    """Yield the texts about the file, from top to bottom.

    Args:
        name: of the file.
        importing: in any phase.
        keys: what runs an action now, by its name; "" for none.
        label_of: returns a category as it is shown.
    """
    preview, count = importing.preview, importing.count
    yield name, "strong"
    if importing.phase is Phase.OVER:
        yield from _ending(importing)
    if importing.phase is not Phase.SENDING and (count or importing.phase is not Phase.OVER):
        key = keys["view_lines"]
        shows = f", {key} shows {'it' if count == 1 else 'them'}" if key else ""
        yield f"{counted(count, 'line')} to add{shows}", "accent"
        if parts := _totals(importing.to_send, label_of):
            yield f"{counted(count, 'animal')}: {', '.join(parts)}", "muted"
    yield from ((text, "muted") for text in preview.left_out_texts)
    if bad := len(preview.bad_lines):
        text = _bad_text(bad, keys, are_left_out=importing.leaves_out_bad)
        yield text, "muted" if importing.leaves_out_bad else "error"
    if importing.samples:
        yield _samples_text(importing.samples, keys), "error"
    if importing.duplicates is not None:
        yield from _alike_texts(importing.duplicates, importing, keys)
        if found := importing.duplicates.unreadable:
            rows = f"{counted(found, 'row')} of the list could not be read"
            then = "" if importing.leaves_out_unreadable else ": a duplicate may be among them"
            yield f"{rows}{then}", "notice"
    yield from _earlier(importing, keys["send_earlier"])
    if importing.phase is not Phase.OVER:
        yield from ((remark, "notice") for remark in preview.remarks)
    if preview.ignored_columns:
        yield f"columns that are ignored: {', '.join(preview.ignored_columns)}", "muted"


def _totals(lines: Iterable[GoodLine], label_of: Callable[[int], str]) -> list[str]:
    """Return how many animals there are by category and status, the most frequent first."""
    parts = [f"{label_of(each)} {' and '.join(words)}" for each, words in totals_of(lines).items()]
    more = len(parts) - CATEGORIES
    return [*parts[:CATEGORIES], f"{more:,} more categories"] if more > 1 else parts


def why_held(importing: Import, keys: Mapping[str, str]) -> str:
    """Return why nothing can be sent now, and which keys of ``import_texts`` change that."""
    if importing.preview.bad_lines and not importing.leaves_out_bad:
        bad, key = counted(len(importing.preview.bad_lines), "bad line"), keys["leave_out_bad"]
        says = f", {keys['map_values']} says what it means" if keys["map_values"] else ""
        return f"{bad}: {key} skips{says}" if key else f"{bad}, and no other line to add{says}"
    if importing.samples:
        samples = counted(importing.samples, "sample")
        return f"{samples}: {keys['begin_empty']} empties, {keys['keep_samples']} adds to them"
    if importing.is_held_by_reading:
        return f"added before, read otherwise: {keys['send_earlier']} adds it again"
    for likeness, what in ALIKE.items():
        if held := importing.count_alike(likeness, Choice.UNDECIDED):
            skips, sends = keys[f"leave_out_{what.name}"], keys[f"send_{what.name}"]
            return f"{counted(held, what.noun)}: {skips} skips, {sends} sends"
    return "no line to add"


def line_rows(importing: Import) -> list[tuple[str, str]]:
    """Return the position of single lines, and a text about each: the first ones of a kind."""
    is_over = importing.phase is Phase.OVER
    texts = (
        *(failed_texts(importing.outcomes, SHOWN) if is_over else ()),
        *bad_texts(importing.preview.bad_lines, SHOWN),
        *duplicate_texts(importing, SHOWN),
        *changed_texts(importing, SHOWN),
        *gone_texts(importing, SHOWN),
    )
    return [(each.label, each.text) for each in texts]


def _bad_text(count: int, keys: Mapping[str, str], *, are_left_out: bool) -> str:
    """Return how many lines are bad, and what happens to them or which keys change that."""
    key = keys["leave_out_bad"]
    lines, verb = counted(count, "bad line"), "is" if count == 1 else "are"
    if are_left_out:
        return f"{lines} {verb} left out"
    it = "it" if count == 1 else "them"
    says = f", {keys['map_values']} says what values mean" if keys["map_values"] else ""
    leaves = f", or {key} leaves {it} out" if key else ""
    return f"{lines}, so nothing is sent: correct the file{says}{leaves}"


def _samples_text(count: int, keys: Mapping[str, str]) -> str:
    """Return what the store has, and which keys decide what becomes of it."""
    does = (
        (keys["begin_empty"], "empties it first"),
        (keys["keep_samples"], "adds to them"),
    )
    ways = ", ".join(f"{key} {what}" for key, what in does if key)
    only = f"the store has nothing but {counted(count, 'sample')}, so nothing is sent"
    return f"{only}: {ways}" if ways else only


class _Alike(NamedTuple):
    """How lines are named that are alike in one way."""

    name: str  # in those of their actions
    noun: str


ALIKE: Final = MappingProxyType(
    {
        Likeness.DUPLICATE: _Alike("duplicates", "duplicate"),
        Likeness.CHANGED: _Alike("changed", "changed? line"),
    }
)


def _alike_texts(
    found: Duplicates, importing: Import, keys: Mapping[str, str]
) -> Iterator[RawText]:
    """Yield how many lines are alike, among how many animals, and what happens to them."""
    if importing.count_alike(Likeness.DUPLICATE):
        yield _alike_text(Likeness.DUPLICATE, found.where, importing, keys)
    else:  # none of them is left to send
        yield found.sentence, "muted"
    if importing.count_alike(Likeness.CHANGED):
        where = f"listed with another status, and {CANNOT_CHANGE}"
        yield _alike_text(Likeness.CHANGED, where, importing, keys)


def _alike_text(
    likeness: Likeness, where: str, importing: Import, keys: Mapping[str, str]
) -> RawText:
    what, count = ALIKE[likeness], importing.count_alike(likeness)
    undecided = importing.count_alike(likeness, Choice.UNDECIDED)
    left_out = importing.count_alike(likeness, Choice.LEFT_OUT)
    it, verb = ("it", "is") if count == 1 else ("them", "are")
    left_out_by, sent_by = keys[f"leave_out_{what.name}"], keys[f"send_{what.name}"]
    if undecided:
        does = ((left_out_by, f"leaves {it} out"), (sent_by, f"sends {it} too"))
        ways = ", ".join(f"{key} {does_what}" for key, does_what in does if key)
        held = f"{counted(undecided, what.noun)}, so nothing is sent{': ' if ways else ''}{ways}"
        return f"{held}; {where}", "error"
    if left_out == count:
        sends = f", {sent_by} sends {it} too" if sent_by else ""
        return f"{counted(count, what.noun)} {verb} left out{sends}: {where}", "muted"
    if not left_out:
        return f"{counted(count, what.noun)} {verb} sent too: {where}", "muted"
    return f"{counted(count, what.noun)}, of which {left_out:,} left out: {where}", "muted"


def _earlier(importing: Import, key: str) -> Iterator[RawText]:
    if importing.phase is Phase.SENDING:
        return
    options = importing.options
    earlier = importing.count_of(OutcomeKind.ADDED_EARLIER)
    if earlier and (importing.phase is not Phase.OVER or options.again):
        then = "sent again" if options.again and not importing.gone else "left out"
        which = "" if importing.run is None else f": {importing.run.label} goes on"
        yield f"{counted(earlier, 'line')} added already, {then}{which}", "muted"
    if importing.lost and importing.count and importing.phase is not Phase.OVER:
        held = importing.is_held_by_reading
        then = f": {key} adds what it is now" if held and key else ""
        yield f"{lost_text(importing.lost)}{then}", "error" if held else "muted"
    if gone := importing.gone:
        it = "it" if gone == 1 else "them"
        then = ": sent again" if options.again else f": {key} sends {it} again" if key else ""
        yield f"{gone:,} of {counted(earlier)} not listed any more{then}", "error"
    if repeated := importing.repeated:
        yield f"{counted(repeated, 'line')} without an answer: sent again, and added once", "notice"
    if unknown := importing.count_of(OutcomeKind.UNKNOWN) - repeated:
        then = ", sent again" if options.retry_unknown else ""
        yield f"{counted(unknown, 'line')} may have been added: unknown{then}", "notice"


def _ending(importing: Import) -> Iterator[RawText]:
    summary = importing.summary
    style = "error" if summary.refused or summary.unknown else "good"
    if importing.was_stopped:
        yield f"stopped: {summary.sentence()}", "notice"
    else:
        yield summary.sentence(), style
    if importing.advice:
        yield importing.advice, "notice"
    if importing.receipt_error:
        yield importing.receipt_error, "error"
    if importing.result_error:
        yield importing.result_error, "error"
    elif importing.result is not None:
        yield f"the result is in {importing.result.name}", "muted"
