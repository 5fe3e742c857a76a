"""The progress of an import: a bar on a terminal, otherwise a line now and then."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len

from pettui.cli.output import terminal_width
from pettui.glyphs import glyphs_for
from pettui.settings import Colours
from pettui.transfer.results import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pettui.cli.output import StandardError
    from pettui.glyphs import GlyphSet
    from pettui.settings import Settings
    from pettui.transfer.import_run import ImportProgress

LINE_EVERY: Final = 10.0  # seconds, without a terminal
_BAR_MINIMUM, _BAR_MAXIMUM = 10, 40  # cells, with its ends
_REASON_MINIMUM: Final = 12  # cells
_GREEN, _RED, _YELLOW, _END = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[m"


class ImportProgressDisplay:
    """Shows the progress of an import on standard error."""

    def __init__(
        self, stderr: StandardError, settings: Settings, clock: Callable[[], float] = monotonic
    ) -> None:
        """Show nothing yet; the clock counts seconds."""
        self._stderr = stderr
        self._glyphs = glyphs_for(settings.glyphs, has_latin_1=settings.has_latin_1)
        self._has_colours = settings.colours is not Colours.NONE
        self._clock = clock
        self._said_at = clock()

    def show(self, progress: ImportProgress) -> None:
        """Draw the bar, or print a line if one is due."""
        if self._stderr.is_watched:
            width = terminal_width(sys.stderr) - 1  # a terminal may wrap a line that is full
            bar = progress_bar(progress, width, self._glyphs, has_colours=self._has_colours)
            self._stderr.draw_progress(bar)
        elif self._clock() - self._said_at >= LINE_EVERY:
            self._said_at = self._clock()
            self._stderr.notice(progress_sentence(progress))


class _Detail(NamedTuple):
    rank: int  # 0 is the most important
    text: str
    style: str = ""


def progress_bar(
    progress: ImportProgress, width: int, glyphs: GlyphSet, *, has_colours: bool
) -> str:
    """Return one line that is safe for a terminal; the narrower, the fewer details.

    Args:
        progress: the counts and times to show.
        width: cells of the line.
        glyphs: the terminal's characters.
        has_colours: whether the terminal shows colours.
    """
    separator = f" {glyphs.dot} "
    details = _fitting(tuple(_details(progress)), width, len(separator))
    plain = separator.join(each.text for each in details)
    room = width - cell_len(plain)
    if room < 0:  # even for the count
        return glyphs.cut(plain, width)
    styled = separator.join(
        f"{each.style}{each.text}{_END}" if each.style and has_colours else each.text
        for each in details
    )
    if progress.waiting is not None:
        room -= len(separator)
        reason = glyphs.cut(glyphs.line(progress.waiting), room)
        return f"{styled}{separator}{reason}" if room >= _REASON_MINIMUM else styled
    bar = _bar(progress, min(room - 1, _BAR_MAXIMUM), glyphs, has_colours=has_colours)
    return f"{bar} {styled}" if bar else styled


def progress_sentence(progress: ImportProgress) -> str:
    """Return all details in words, not yet safe for a terminal."""
    parts = [each.text for each in _details(progress)]
    return ", ".join(parts if progress.waiting is None else [*parts, progress.waiting])


def _details(progress: ImportProgress) -> Iterator[_Detail]:
    done = progress.total - progress.remaining
    yield _Detail(0, f"{done:,} of {progress.total:,}")
    if progress.waiting is not None:
        yield _Detail(3, f"waiting, retrying in {duration(progress.tries_in)}")
    else:
        yield _Detail(4, f"{progress.rate:,.0f} a second")
        if progress.seconds_left is not None:
            yield _Detail(3, f"{duration(progress.seconds_left)} left")
    if progress.refused:
        yield _Detail(2, f"{progress.refused:,} refused", _RED)
    if progress.unknown:
        yield _Detail(1, f"{progress.unknown:,} unknown", _YELLOW)


def _fitting(details: Iterable[_Detail], width: int, gap: int) -> list[_Detail]:
    """Return the details that fit, in their order, and at least the most important one."""
    left = width + gap
    taken: set[_Detail] = set()
    for each in sorted(details):
        left -= cell_len(each.text) + gap
        if left >= 0 or not taken:
            taken.add(each)
    return [each for each in details if each in taken]


def _bar(progress: ImportProgress, width: int, glyphs: GlyphSet, *, has_colours: bool) -> str:
    """Return a bar of so many cells, or "" if that is too narrow."""
    if width < _BAR_MINIMUM:
        return ""
    inner = width - 2
    done = progress.total - progress.remaining
    filled = inner * done // progress.total if progress.total else inner
    full, empty = ("#", "-") if glyphs.ascii_only else ("█", "░")
    style, end = (_GREEN, _END) if has_colours else ("", "")
    return f"[{style}{full * filled}{end}{empty * (inner - filled)}]"
