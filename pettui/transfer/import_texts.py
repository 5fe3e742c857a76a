"""What is said of an import, on its screen and by the command: each text with its style; raw.

Which way there is to decide something is a key there and an option here: both are given by the name
of the action, and "" where there is none now.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pettui.text.amounts import counted
from pettui.transfer.importing import Choice, Import, Likeness, Phase
from pettui.transfer.lines import BadLine, GoodLine, ImportPreview, by_reason, totals_of
from pettui.transfer.results import NOT_ADDED, LineOutcome, OutcomeKind
from pettui.transfer.searching import CANNOT_CHANGE, lost_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


RawText: TypeAlias = tuple[str, str]
"""And the name of its style."""

SENT: Final = "sent"  # the style of what is said of duplicates that are sent
CATEGORIES: Final = 8  # of which totals are shown
SHOWN: Final = 100  # lines of a kind; the result file has all


def import_texts(
    name: str, importing: Import, keys: Mapping[str, str], label_of: Callable[[int], str]
) -> Iterator[RawText]:
    """Yield the texts about the file, as the screen has them from top to bottom.

    Args:
        name: of the file.
        importing: in any phase.
        keys: what runs an action now, by its name; "" for none.
        label_of: returns a category as it is shown.
    """
    count = importing.count
    yield name, "strong"
    if importing.phase is Phase.OVER:
        yield from _ending(importing)
    if importing.phase is not Phase.SENDING and (count or importing.phase is not Phase.OVER):
        key = keys["view_lines"]
        shows = f", {key} shows {'it' if count == 1 else 'them'}" if key else ""
        yield f"{counted(count, 'line')} to add{shows}", "accent"
        yield from totals_texts(importing.to_send, label_of)
    yield from held_texts(importing, keys)
    yield from file_texts(importing.preview)


def totals_texts(lines: Sequence[GoodLine], label_of: Callable[[int], str]) -> Iterator[RawText]:
    """Yield how many animals there are by category and status, the most frequent first."""
    parts = [f"{label_of(each)} {' and '.join(words)}" for each, words in totals_of(lines).items()]
    if (more := len(parts) - CATEGORIES) > 1:
        parts[CATEGORIES:] = [f"{more:,} more categories"]
    if parts:
        yield f"{counted(len(lines))}: {', '.join(parts)}", "muted"


def file_texts(preview: ImportPreview) -> Iterator[RawText]:
    """Yield what of a file is not read, and what else there is to know of it."""
    yield from ((remark, "notice") for remark in preview.remarks)
    yield from ((text, "muted") for text in preview.left_out_texts)
    if preview.ignored_columns:
        yield f"columns that are ignored: {', '.join(preview.ignored_columns)}", "muted"


def why_held(importing: Import, keys: Mapping[str, str]) -> str:
    """Return why nothing can be sent now, and what changes that."""
    held = (text for text, style in held_texts(importing, keys) if style == "error")
    return next(held) if importing.is_held else "no line to add"


def held_texts(importing: Import, keys: Mapping[str, str]) -> Iterator[RawText]:
    """Yield what holds the import, as errors, or what was decided about it."""
    if bad := len(importing.preview.bad_lines):
        are_left_out = importing.leaves_out_bad
        yield _bad_text(bad, keys, are_left_out=are_left_out), "muted" if are_left_out else "error"
    if importing.samples:
        yield _samples_text(importing.samples, keys), "error"
    yield from _alike_texts(importing, keys)
    yield from _earlier_texts(importing, keys)


class LineText(NamedTuple):
    """A text about a line, or about several."""

    label: str  # "line 7"; "" where the text says it itself
    text: str
    lines: int = 1


def line_texts(importing: Import) -> list[LineText]:
    """Return the texts about single lines: the first ones of a kind."""
    is_over = importing.phase is Phase.OVER
    return [
        *(failed_texts(importing.outcomes) if is_over else ()),
        *bad_texts(importing.preview.bad_lines),
        *found_texts(importing),
    ]


def first_texts(texts: Sequence[LineText], what: str) -> list[LineText]:
    """Return the first ones, and how many lines more are what: "9 lines more are duplicates"."""
    if not (more := sum(each.lines for each in texts[SHOWN:])):
        return [*texts]
    return [*texts[:SHOWN], LineText("", f"{counted(more, 'line')} more {what}")]


def bad_texts(bad_lines: Iterable[BadLine]) -> list[LineText]:
    """Return why lines are bad, those together that are so for the same reason."""
    groups = by_reason(bad_lines)
    texts = [LineText(each.label, each.sentence, len(each.lines)) for each in groups]
    return first_texts(texts, "are bad")


def failed_texts(outcomes: Iterable[LineOutcome]) -> list[LineText]:
    """Return why lines were not added, word for word."""
    failed = [each for each in outcomes if each.kind in NOT_ADDED]
    texts = [
        LineText(each.line.position.label, f"{each.kind.value}: {each.error}") for each in failed
    ]
    return first_texts(texts, "were not added")


def found_texts(importing: Import) -> list[LineText]:
    """Return what lines are like in the list, and which animals of the run are not there."""
    if (found := importing.duplicates) is None:
        return []
    duplicates = [LineText(at.label, f"is a duplicate of {it}") for at, it in found.names.items()]
    changed = [LineText(at.label, f"is changed?: {it}") for at, it in found.changed.items()]
    gone = [LineText(own.line.position.label, own.animal.gone_text) for own in importing.gone_lines]
    return [
        *first_texts(duplicates, "are duplicates"),
        *first_texts(changed, "are changed?"),
        *first_texts(gone, "are not listed any more"),
    ]


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
    only = f"the store has nothing but {counted(count, 'sample')}, so nothing is sent"
    empties = (keys["begin_empty"], "empties it first")
    return f"{only}{_ways(empties, (keys['keep_samples'], 'adds to them'))}"


def _ways(*ways: tuple[str, str]) -> str:
    """Return what each key does that there is."""
    does = ", ".join(f"{key} {what}" for key, what in ways if key)
    return f": {does}" if does else ""


class _Alike(NamedTuple):
    """How lines are named that are alike in one way."""

    name: str  # in those of their actions
    noun: str
    sent_style: str


ALIKE: Final = MappingProxyType(
    {
        Likeness.DUPLICATE: _Alike("duplicates", "duplicate", SENT),
        Likeness.CHANGED: _Alike("changed", "changed? line", "muted"),
    }
)


def _alike_texts(importing: Import, keys: Mapping[str, str]) -> Iterator[RawText]:
    """Yield how many lines are alike, among how many animals, and what happens to them."""
    if (found := importing.duplicates) is None:
        return
    if importing.count_alike(Likeness.DUPLICATE):
        yield _alike_text(Likeness.DUPLICATE, found.where, importing, keys)
    else:  # none of them is left to send
        yield found.sentence, "muted"
    if importing.count_alike(Likeness.CHANGED):
        where = f"listed with another status, and {CANNOT_CHANGE}"
        yield _alike_text(Likeness.CHANGED, where, importing, keys)
    if found.unreadable:
        rows = f"{counted(found.unreadable, 'row')} of the list could not be read"
        is_held = importing.is_held_by_unreadable
        then = ": a duplicate may be among them" if is_held else ""
        yield f"{rows}{then}", "error" if is_held else "notice"


def _alike_text(
    likeness: Likeness, where: str, importing: Import, keys: Mapping[str, str]
) -> RawText:
    what, count = ALIKE[likeness], importing.count_alike(likeness)
    undecided = importing.count_alike(likeness, Choice.UNDECIDED)
    left_out = importing.count_alike(likeness, Choice.LEFT_OUT)
    it, verb = ("it", "is") if count == 1 else ("them", "are")
    left_out_by, sent_by = keys[f"leave_out_{what.name}"], keys[f"send_{what.name}"]
    if undecided:
        ways = _ways((left_out_by, f"leaves {it} out"), (sent_by, f"sends {it} too"))
        held = f"{counted(undecided, what.noun)}, so nothing is sent{ways}"
        return f"{held}; {where}", "error"
    if left_out == count:
        sends = f", {sent_by} sends {it} too" if sent_by else ""
        return f"{counted(count, what.noun)} {verb} left out{sends}: {where}", "muted"
    if not left_out:
        leaves = f", {left_out_by} leaves {it} out" if left_out_by else ""
        return f"{counted(count, what.noun)} {verb} sent too{leaves}: {where}", what.sent_style
    return f"{counted(count, what.noun)}, of which {left_out:,} left out: {where}", "muted"


def _earlier_texts(importing: Import, keys: Mapping[str, str]) -> Iterator[RawText]:
    """Yield what an earlier import of the file has done, and what happens to its lines now."""
    if importing.phase is Phase.SENDING:
        return
    options, key = importing.options, keys["send_earlier"]
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
        style = "notice" if options.again else "error"
        yield f"{gone:,} of {counted(earlier)} not listed any more{then}", style
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
