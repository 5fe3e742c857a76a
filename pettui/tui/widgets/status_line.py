"""The foot of a screen: StatusLine and KeyBar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.keyboard.actions import VIEW_FULL_TEXT
from pettui.tui.widgets.bindings import Offer, ScreenPart, offers
from pettui.tui.widgets.fitting import Fitted, Part, Runs, fitted, index_at
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing, LineWidget
from pettui.tui.widgets.runs import GAP, Run, StyledText, separated, separator, width_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from textual import events


MARGINS = 2  # a cell at each end
TEXT_MINIMUM = 8  # cells of the first text; hints but the first and the last give way to it
TEXT_BESIDE_UNDECIDED = 14  # cells of the first text, to which what waits for a decision gives way
# What gives way, one after the other; before all of it the counts, from the last one on.
SHORTER = 100  # all texts get shorter
TEXTS = 200  # and go, from the last one on, but the first
UNDECIDED = 201  # gets shorter, without any count
FIRST_TEXT = 202  # is cut
RIGHT = 203  # all of it goes
FIRST_TEXT_ALONE = 204  # is cut to a few cells
KEYS = 300  # go, but the first and the last; these only for a remark
LAST = 400  # nothing is left of the first text


class StatusLine(CuttingWidget):
    """One row: texts, hints of keys, and counts at the right.

    Without room for all of it, the hints stay longest. First the counts go, from the last one on,
    then the texts likewise; the first text stays, cut if need be, and in the end keeps a few cells.
    What waits for a decision gives way to a remark, and to a few more cells. So do in the end all
    hints: a remark is there until the next key only.
    """

    texts: reactive[tuple[StyledText, ...]] = reactive(())  # the most important first
    keys: reactive[tuple[str, ...]] = reactive(())  # hints: "m: more"
    counts: reactive[tuple[str, ...]] = reactive(())  # the most important first
    undecided: reactive[tuple[str, str]] = reactive(("", ""))  # what waits for a decision, shorter
    # In place of the texts, until the next key
    remark: reactive[str] = reactive("", bindings=True)

    def drawing(self, width: int) -> Drawing:
        """Return the row, and the first text if it is cut."""
        row = self._fitted(width, self.keys)
        right = row.shown[-1]
        # Without its own hint: else that would cut a text, and stay since a text is cut.
        keys = [key for key in self.keys if not key.endswith(f" {VIEW_FULL_TEXT.label}")]
        is_cut = row.is_cut and self._fitted(width, keys).is_cut
        cut = [("Status", self._texts()[0][0])] if is_cut else []
        if not right:
            return Drawing([[(" ", ""), *row.runs]], cut)
        left = row.runs[: -len(right)]
        gap = width - MARGINS - width_of(left) - width_of(right)
        return Drawing([[(" ", ""), *left, (" " * gap, ""), *right, (" ", "")]], cut)

    def _fitted(self, width: int, keys: Sequence[str]) -> Fitted:
        """Fit texts, hints and what stands at the right into a width."""
        dot, texts, end = separator(self.glyphs), self._texts(), len(keys) - 1
        first_least = {} if self.remark else {FIRST_TEXT: TEXT_BESIDE_UNDECIDED}
        first_least |= {FIRST_TEXT_ALONE: TEXT_MINIMUM, LAST: 0}
        parts = [
            Part(
                [(text, style)],
                {SHORTER: [(next(iter(short), text), style)]}
                | ({TEXTS - index: ()} if index else {}),
                {} if index else first_least,
                before=dot,
            )
            for index, (text, style, *short) in enumerate(texts)
        ]
        parts += [
            Part([(key, "key")], self._shorter_hint(index, end), before=dot)
            for index, key in enumerate(keys)
        ]
        undecided, short = self.undecided
        fewer = range(1, len(self.counts) + (1 if undecided else 0))
        right = {step: self._right(undecided, self.counts[:-step]) for step in fewer}
        parts.append(
            Part(
                self._right(undecided, self.counts),
                {**right, UNDECIDED: self._right(short, ()), RIGHT: ()},
                before=(" " * GAP, ""),
            )
        )
        return fitted(self.glyphs, parts, width - MARGINS)

    def _shorter_hint(self, index: int, end: int) -> dict[int, Runs]:
        """Return from which step on a hint is left out."""
        if 0 < index < end:
            return {KEYS - index: ()}
        return {KEYS + (index == end): ()} if self.remark else {}

    def _texts(self) -> Sequence[StyledText]:
        return [(self.remark, "notice")] if self.remark else self.texts

    def _right(self, undecided: str, counts: Sequence[str]) -> list[Run]:
        texts = [(undecided, "notice"), *((count, "muted") for count in counts)]
        return separated(self.glyphs, [text for text in texts if text[0]])


LAST_TO_GO = (
    "close_line",
    "enter_key",
    "take_back",
    "help",
    "quit",
    "close",
    "view_full_text",
)  # even with little room, the most important first


class KeyBar(LineWidget):
    """One row made from the screen's bindings; they can be clicked."""

    left_out: Collection[str] = ()  # names of actions that are not worth their room now

    def _fitted(self, width: int) -> list[tuple[Offer, Runs]]:
        """Return what fits: the first key, then LAST_TO_GO, then the others in order.

        The keys of an open prompt come before those of its screen.
        """
        usual = (each for each in offers(self.screen) if each.binding.id not in self.left_out)
        shown = sorted((each for each in usual if each.binding.show), key=self._is_of_screen)
        by_rank = sorted(range(len(shown)), key=lambda index: _rank(index, shown[index]))
        steps = {index: len(shown) - rank for rank, index in enumerate(by_rank)}
        parts = [
            Part(
                [(f" {offer.keys[0]}", "key"), (f" {offer.description} ", "muted")],
                {steps[index]: ()},
            )
            for index, offer in enumerate(shown)
        ]
        return [*zip(shown, fitted(self.glyphs, parts, width).shown, strict=True)]

    def _is_of_screen(self, offer: Offer) -> bool:
        return offer.node in (self.screen, self.app) or isinstance(offer.node, ScreenPart)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        return [[run for _, runs in self._fitted(width) for run in runs]]

    async def on_click(self, event: events.Click) -> None:
        """Do what the clicked key does."""
        shown = self._fitted(self.size.width)
        if (index := index_at((runs for _, runs in shown), event.x)) is not None:
            offer, _ = shown[index]
            await self.app.run_action(offer.binding.action, offer.node)


def _rank(index: int, offer: Offer) -> tuple[int, int]:
    """Return how little it matters that a key is shown; the first is what a screen is there for."""
    if index == 0:
        return (0, 0)
    name = offer.binding.id
    return (1, LAST_TO_GO.index(name)) if name in LAST_TO_GO else (2, index)
