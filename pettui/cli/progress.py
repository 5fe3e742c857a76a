"""The progress of an import: a bar on a terminal, otherwise a line now and then."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from pettui.appearance.glyphs import GlyphSet, glyphs_for
from pettui.cli.output import StandardError, terminal_width
from pettui.settings.settings import Colours, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.transfer.import_run import ImportProgress

LINE_EVERY: Final = 10.0  # seconds, without a terminal
_BAR_MINIMUM: Final = 8  # cells
_BAR_MAXIMUM: Final = 40  # cells, with its ends
_GREEN, _RED, _END = "\x1b[32m", "\x1b[31m", "\x1b[m"


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
        self._printed_at = clock()

    def show(self, progress: ImportProgress) -> None:
        """Draw the bar, or print a line if one is due."""
        if self._stderr.shows_progress:
            width = terminal_width(sys.stderr) - 1  # a terminal may wrap a line that is full
            bar = progress_bar(progress, width, self._glyphs, has_colours=self._has_colours)
            self._stderr.draw_progress(bar)
        elif self._clock() - self._printed_at >= LINE_EVERY:
            self._printed_at = self._clock()
            self._stderr.notice(progress_sentence(progress))


def progress_bar(
    progress: ImportProgress, width: int, glyphs: GlyphSet, *, has_colours: bool
) -> str:
    """Return one line that is safe for a terminal: a bar and, the narrower, the fewer details.

    Args:
        progress: the counts and times to show.
        width: cells of the line.
        glyphs: the terminal's characters.
        has_colours: whether the bar is green, or red as soon as a line was not added.
    """
    separator = f" {glyphs.dot} "
    details = [glyphs.line(each) for each in _details(progress)]
    if progress.waiting is not None:  # why it waits, as far as there is room
        return glyphs.cut(separator.join(details), width)
    while len(details) > 1 and cell_len(separator.join(details)) > width:
        details.pop()
    text = glyphs.cut(separator.join(details), width)
    inner = min(width - cell_len(text) - 1, _BAR_MAXIMUM) - 2
    if inner < _BAR_MINIMUM:
        return text
    full, empty = progress.bar(inner, is_ascii=glyphs.ascii_only)
    colour = _RED if progress.refused or progress.unknown else _GREEN
    style, end = (colour, _END) if has_colours else ("", "")
    return f"[{style}{full}{end}{empty}] {text}"


def progress_sentence(progress: ImportProgress) -> str:
    """Return how far an import is, not yet safe for a terminal."""
    return ", ".join(_details(progress))


def _details(progress: ImportProgress) -> list[str]:
    return [text for name, text in progress.facts() if name != "rate"]
