"""The top of a screen: HeaderBar, and StatusTabs below it on the list."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui.models.statuses import STATUSES, status_word
from pettui.tui.session.request import FRAME, Request
from pettui.tui.widgets.bindings import key_of
from pettui.tui.widgets.fitting import Part, Runs, fitted, index_at
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.runs import Run, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.timer import Timer

    from pettui.tui.session.session import Age, UserSession


SPINNER_WIDTH = 2  # cells
FULL_FROM = 60  # columns: below, hints of keys would leave no room for the seconds
COUNTED_FROM = 80  # columns: below, tabs have no counts
LOCATION_MINIMUM = 7  # cells of the store's name, which matters more than the duration


class HeaderBar(LineWidget):
    """The first row of every screen; its left part is cut first."""

    age: reactive[Age | None] = reactive(None)  # of what is shown
    staged: reactive[tuple[str, ...]] = reactive(())  # a word for each fault staged in a demo
    spinner: reactive[str] = reactive("")  # its current frame; "" while nothing loads
    help_key: reactive[str] = reactive("")  # where no key bar names it

    def __init__(self, session: UserSession, request: Request, title: str, stops: str) -> None:
        """Show a session, and turn while a request waits; ``stops`` is what stops its attempts."""
        glyphs, profile, location = session.glyphs, session.settings.profile, session.location
        super().__init__(glyphs)
        self.set_reactive(HeaderBar.staged, session.staged)
        self._request = request
        self._stops = stops
        self._turning: Timer | None = None
        self._label = f" {glyphs.line(profile.label, 24)} "
        self._colour = f"label-{profile.colour}"
        self._location = glyphs.line(location, 200)
        self._title = title

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the row; without room the age gets shorter, then the faults, then the location."""
        faults = f"staged: {', '.join(self.staged)}" if self.staged else ""
        counted = f"{len(self.staged)} faults" if len(self.staged) > 1 else faults
        left = [
            Part([(self._label, self._colour), (" ", "")]),
            Part(self._on_yellow(faults), {2: self._on_yellow(counted)}),
            Part([(f"{self._title}  ", "strong")] if self._title else []),
            Part([(self._location, "muted")], least={0: LOCATION_MINIMUM, 3: 0}),
        ]
        right = Part([])
        if self.age is not None:
            time, zone, took = self.age
            texts = (f"as of {time}{zone}{took} ", f"as of {time}{zone} ", f"{time} ")
            whole, without_took, least = ([(text, "muted")] for text in texts)
            right = Part(whole, {1: without_took, 4: least, 5: ()})
        # The spinner has its room also while nothing turns.
        help_key = f"{self.help_key} " if self.help_key else ""
        room = width - SPINNER_WIDTH - 1 - cell_len(help_key)
        row = fitted(self.glyphs, [*left, right], room)
        *shown, _, age_shown = row.shown
        spinner = f"{self.spinner} " if self.spinner else ""
        end = [(spinner, "accent"), *age_shown, *([(help_key, "key")] if help_key else ())]
        start = [*chain.from_iterable(shown), (self._location, "muted")]
        if not width_of(end):
            return [start]
        start = cut_runs(self.glyphs, start, width - width_of(end) - 1)
        return [[*start, (" " * (width - width_of(start) - width_of(end)), ""), *end]]

    def on_mount(self) -> None:
        """Turn from the moment that something is waited for."""
        self._request.turns.subscribe(self, self.turn, immediate=True)

    def turn(self, _: None = None) -> None:
        """Show the spinner's frame, and turn on until nothing is waited for.

        What the request says meanwhile stands on the screen's status line.
        """
        request = self._request
        self.spinner = request.spinner
        if self.spinner and self._turning is None:
            self._turning = self.set_interval(FRAME, self.turn)
        elif not self.spinner and self._turning is not None:
            self._turning.stop()
            self._turning = None
        stops = key_of(self.screen, self._stops) if request.pending_retry is not None else ""
        is_other = request.look(stops, is_brief=self.app.size.width < FULL_FROM)
        if is_other or not self.spinner:
            self.refresh_bindings()

    @staticmethod
    def _on_yellow(text: str) -> list[Run]:
        return [(f" {text} ", "label-yellow"), (" ", "")] if text else []


FILTERS: tuple[str | None, ...] = (None, *STATUSES)


class StatusTabs(LineWidget):
    """One tab a status, with its number, glyph, word and count; the active one is underlined.

    An ellipsis marks one whose rows are being loaded.
    """

    active: reactive[str | None] = reactive(None)  # the status of the rows
    wanted: reactive[str | None] = reactive(None)  # of those that take their place
    # How many of the loaded rows each has, and whether that is all; None where none were loaded.
    counts: reactive[tuple[tuple[int, bool] | None, ...]] = reactive((None,) * len(FILTERS))
    remarks: reactive[tuple[str, ...]] = reactive(())  # at the right, the most important first

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, status: str | None) -> None:
            super().__init__()
            self.status = status

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        *tabs, remarks = self._fitted(width)
        shown = [run for runs in tabs for run in runs]
        return [[*shown, (" " * (width - width_of([*shown, *remarks])), ""), *remarks]]

    def _fitted(self, width: int) -> Sequence[Runs]:
        """Return the tabs, and the remarks; with little room, tabs with glyphs in place of words.

        The first remark always gets its room, if need be from the word of the active tab.
        """
        fewer = {step: self._joined(self.remarks[:-step]) for step in range(1, len(self.remarks))}
        uncounted = len(fewer) + 1
        then = uncounted + 1
        tabs = []
        for index, (status, count) in enumerate(zip(FILTERS, self.counts, strict=True), 1):
            words, sign = (self._tab(status, index, is_worded=each) for each in (True, False))
            counted = words if count is None else self._tab(status, index, count)
            first = counted if width >= COUNTED_FROM else words
            tabs.append(Part(first, {uncounted: words, then + (status == self.active): sign}))
        remarks = Part(self._joined(self.remarks), {**fewer, then + 2: self._joined(())})
        return fitted(self.glyphs, [*tabs, remarks], width).shown

    def _tab(
        self,
        status: str | None,
        index: int,
        count: tuple[int, bool] | None = None,
        *,
        is_worded: bool = True,
    ) -> list[Run]:
        glyph = "All" if status is None else self.glyphs.status_glyph(status)
        word = f" {status_word(status).capitalize()}" if status is not None and is_worded else ""
        state = self.glyphs.ellipsis if status == self.wanted != self.active else ""
        style = "tab-active" if status == self.active else "tab"
        number = "" if count is None else f" ({count[0]:,}{'' if count[1] else '+'})"
        return [(f" {index} {glyph}{word}{number}{state} ", style)]

    def _joined(self, remarks: Sequence[str]) -> list[Run]:
        return [(f" {f' {self.glyphs.dot} '.join(remarks)} " if remarks else "", "accent")]

    def on_click(self, event: events.Click) -> None:
        """Post which tab was clicked."""
        *tabs, _ = self._fitted(self.size.width)
        if (index := index_at(tabs, event.x)) is not None:
            self.post_message(self.Picked(FILTERS[index]))
