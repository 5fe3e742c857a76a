"""Boxes that list animals before they are added: those of a file, and those of a paste."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal
from textual.widgets import Label

from pettui.keyboard import actions
from pettui.outbox.entries import Draft, OutboxError
from pettui.text.amounts import counted
from pettui.tui.form.form_fields import NO_CATEGORY, CategoryInput
from pettui.tui.form.pet_form import TINY
from pettui.tui.outbox.entry_decisions import is_perhaps_added
from pettui.tui.screens.app_screen import asks
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.session.wording import OUTBOX
from pettui.tui.transfer.pasted_lines import PastedLines, lacks_category
from pettui.tui.widgets.bindings import bindings, is_too_early, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType
    from textual.events import Key, Paste, Resize

    from pettui.appearance.glyphs import GlyphSet
    from pettui.transfer.lines import ImportLine, Position
    from pettui.tui.session.categories import Categories
    from pettui.tui.session.session import UserSession

HAS_ERRORS = "nothing added: a line has an error"
NO_ERRORS = "no line has an error: there is nothing to leave out"
NO_TWINS = "no line is there already: there is nothing to leave out"
IS_EMPTY = "there is nothing to add"


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


class PastedCategory(CategoryInput):
    """The category of the pasted lines that have none."""

    def __init__(self, glyphs: GlyphSet, categories: Categories, use: Callable[[], None]) -> None:
        super().__init__(glyphs, categories)
        self._use = use

    @property
    def missing(self) -> str:
        """That there is none yet."""
        return "a category is required"

    def watch_value(self) -> None:
        """Use it at once: Textual's own message would come after the next key."""
        super().watch_value()
        if self.is_mounted:
            self._use()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Offer categories only while one is typed."""
        super().watch_has_focus(has_focus)
        self._use()


class PastedPetsScreen(BoxScreen):
    """The animals of a paste: Enter adds all of them or none; Esc goes back to the unchanged form.

    A category can be typed for the lines that have none. It asks once about all that is odd, such
    as twins and what may have been added already, and returns what it did, if anything.
    """

    HINT = (
        "{add_pasted} Add all  {leave_out} Leave out  {leave_out_twins} No twins  "
        "{to_lines} Lines  {to_category} Field  {leave_pasted} Back"
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.PASTE_BOX, leave_pasted="dismiss")

    def __init__(
        self,
        session: UserSession,
        lines: PastedLines,
        read: Callable[[int | None], list[ImportLine]],
        *,
        is_draft: bool = False,
    ) -> None:
        """Show lines.

        Args:
            session: whose outbox they are added to.
            lines: as they are read with the form's category.
            read: reads them again with another one for those that have none.
            is_draft: they are the draft that stands in the form.
        """
        self._category = PastedCategory(lines.glyphs, lines.categories, self._read_again)
        self._label = Label("Category", markup=False)
        self._category_row = Horizontal(self._label, self._category, id="pasted-category")
        super().__init__(lines.glyphs, "Several animals", [self._category_row, lines])
        self.session = session
        self._outbox = session.outbox
        self._is_draft = is_draft
        self._lines = lines
        self._read = read
        self._used: int | None = None  # the category that they were read with last
        self._without = {line.position for line in lines.bad if lacks_category(line)}
        self._left_out: dict[Position, ImportLine] = {}
        self._asked_at: float | None = None  # monotonic seconds; None: nothing is asked

    def on_mount(self) -> None:
        """Ask for the category that is missing; Textual calls the base's handler too."""
        self._show_category()

    def on_resize(self, event: Resize) -> None:  # noqa: ARG002 - as the base has it
        """Leave the field room to type in; Textual calls the base's handler too."""
        is_tiny = self.app.size.width < TINY
        self._label.update("Cat" if is_tiny else "Category")
        self._category_row.set_class(is_tiny, "-tiny")

    def _show_category(self) -> None:
        """Show the field as long as there are lines that need it."""
        is_needed = bool(self._without - self._left_out.keys())
        self._category_row.display = is_needed
        self.set_focus(self._category if is_needed else self.box)
        self.show_remark("")

    def _read_again(self) -> None:
        """Read the lines with the category that is typed; what was asked is asked anew."""
        self._lines.offers = self._category.suggestion(is_form_empty=False)
        number = self._category.number
        if number == self._used:
            return
        self._used, self._asked_at = number, None
        lines = self._read(number)
        self._lines.show_lines([each for each in lines if each.position not in self._left_out])
        self.show_remark("")

    def action_to_lines(self) -> None:
        """Leave the category for the lines, whose keys are letters."""
        self.set_focus(self.box)
        self.show_remark("")

    def action_to_category(self) -> None:
        """Go back to the category."""
        self.set_focus(self._category)
        self.show_remark("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether lines can be added, and whether there are bad ones to leave out."""
        if action == "add_anyway":
            return self._asked_at is not None
        if action in ("to_lines", "to_category"):
            is_in_field = self.focused is self._category
            return self._category_row.display and is_in_field == (action == "to_lines")
        return super().check_action(action, parameters)

    async def action_add_pasted(self) -> None:
        """Make each an entry of the outbox, or ask about those that are odd, all at once."""
        entries, pets, twins = self._outbox.entries, self._lines.pets, len(self._lines.twins)
        doubles = sum(is_perhaps_added(entries, each.name, each.category_id) for each in pets)
        digits = sum(each.name.isdecimal() for each in pets)
        if doubts := pasted_doubts(doubles, twins, digits, self._unknown):
            self._asked_at = monotonic() if self._asked_at is None else self._asked_at
            self.show_remark(f"{key_of(self, 'add_anyway')} adds all: {', '.join(doubts)}")
        else:
            await self.action_add_anyway()

    @property
    def _unknown(self) -> Sequence[int]:
        """The categories to be asked about."""
        used = {each.category_id for each in self._lines.pets} - self.session.accepted_categories
        return sorted(filter(self._lines.categories.is_unknown, used))

    async def before_key(self, event: Key | Paste) -> bool:
        """Let no key answer that came before the question."""
        asked_at = self._asked_at
        return asked_at is None or not is_too_early(self, event, "add_anyway", asked_at)

    @asks
    async def action_add_anyway(self) -> None:
        """Make each an entry of the outbox; thousands take a disk some seconds."""
        self.session.accepted_categories.update(self._unknown)
        self.show_remark(f"adding {counted(len(self._lines.pets))}{self.glyphs.ellipsis}")
        now = self.session.clock.now().timestamp()
        try:
            added = await self._outbox.add_all(self._lines.pets)
        except OutboxError as error:
            self.show_remark("")
            self._lines.refusal = f"nothing was added: {error}"
            self.box.scroll_home(animate=False)
            return
        left_out = Draft(lines=self._lines.text_of(self._left_out.values()), typed_at=now)
        with suppress(OutboxError):  # it is tried again with the next draft, and at the end
            await self._outbox.drafts.put_lines_aside(left_out, in_place=self._is_draft)
        self.dismiss(f"{len(added):,} added to the {OUTBOX}")

    def why_not(self, action: str) -> str | None:
        """Return why nothing is added, or left out."""
        if action == "leave_out_twins" and not self._lines.twins:
            return NO_TWINS
        if action == "leave_out" and not self._lines.bad:
            return NO_ERRORS
        if action != "add_pasted" or (self._lines.pets and not self._lines.bad):
            return super().why_not(action)
        wrong = self._category.error(is_submitted=True) if self._category_row.display else ""
        has_errors = f"nothing added: {wrong}" if wrong else HAS_ERRORS
        return has_errors if self._lines.bad else IS_EMPTY

    def explain(self, action: str) -> bool:
        """Show why a key does nothing; what was asked before it is asked again by Enter."""
        if action.startswith("leave_out") and self._asked_at is not None:
            self._asked_at = None
        return super().explain(action)

    def action_leave_out(self) -> None:
        """Drop the bad lines; once the others are added, they become a draft."""
        self._leave_out(self._lines.bad)

    def action_leave_out_twins(self) -> None:
        """Drop the lines that are there already; once the others are added, they are a draft."""
        self._leave_out(self._lines.twins)

    def _leave_out(self, lines: Sequence[ImportLine]) -> None:
        self._asked_at = None
        self._left_out |= {line.position: line for line in lines}
        shown: list[ImportLine] = [*self._lines.bad, *self._lines.good]
        self._lines.show_lines([each for each in shown if each.position not in self._left_out])
        self._show_category()
