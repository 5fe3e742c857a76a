"""The boxes of one thing each: a question, a choice, a text."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events
from textual.message import Message
from textual.reactive import reactive

from pettui.keyboard import actions
from pettui.rows.columns import COLUMNS
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.widgets.bindings import bindings, key_of
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import App
    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Run, Section


STYLED_ROWS = 6  # of one text, at most


class StyledLines(LineWidget):
    """Raw texts, each in its style and wrapped between words."""

    texts: reactive[Sequence[Run]] = reactive((), layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines."""
        return [
            [(row, style)]
            for text, style in self.texts
            for row in self.glyphs.wrap(self.glyphs.line(text), width, STYLED_ROWS)
        ]


YES: Final = "yes"


class ConfirmationScreen(BoxScreen):
    """Returns YES after one key; every other key cancels, and does nothing else.

    Unless nothing that was typed can be lost, a key that came before the question does neither.
    """

    HINT = "{confirm} Yes  any other key: No"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.CONFIRMATION, confirm=f"choose('{YES}')"
    )

    def __init__(
        self, glyphs: GlyphSet, title: str, text: str, *, takes_keys_ahead: bool = False
    ) -> None:
        super().__init__(glyphs, title, [TextLines(glyphs, text)])
        self._asked_at = -inf if takes_keys_ahead else inf  # in the time of events

    def on_mount(self) -> None:
        """Let later keys answer; Textual calls the base's handler too."""
        self._asked_at = min(self._asked_at, Message().time)

    async def before_key(self, event: events.Key | events.Paste) -> bool:
        """Handle only what was typed after the question was asked, and the key for an API key.

        Behind that one comes a key, which must not be taken for anything else.
        """
        is_for_key = isinstance(event, events.Key) and self._name_of(event) == "enter_key"
        return is_for_key or event.time > self._asked_at

    def _name_of(self, event: events.Key) -> str | None:
        active = self.active_bindings.get(event.key)
        return None if active is None else active.binding.id

    def on_key(self, event: events.Key) -> None:
        """Cancel on every key but those that bindings handle."""
        if self._name_of(event) in ("confirm", "enter_key"):
            return
        event.stop()
        event.prevent_default()
        self.dismiss()


async def ask(
    session: UserSession, app: App[Any], title: str, text: str, *, takes_keys_ahead: bool = False
) -> bool:
    """Return whether somebody says yes; for an action that ``asks``."""
    box = ConfirmationScreen(session.glyphs, title, text, takes_keys_ahead=takes_keys_ahead)
    session.key_queue.settled.set()
    is_confirmed = await app.push_screen_wait(box) == YES
    session.key_queue.settled.clear()
    return is_confirmed


SORTED: Final = tuple(  # those that have a key in the box; the others are sorted by in turn
    column for column in COLUMNS if f"by_{column.name}" in {each.name for each in actions.SORT_BOX}
)


class SortScreen(BoxScreen):
    """Returns the name of the column that was chosen, or "" for none; other keys do nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.SORT_BOX,
        **{f"by_{column.name}": f"choose('{column.name}')" for column in SORTED},
        unsorted="choose('')",
        close_sort="dismiss",
    )
    HINT = "{close_sort} Close"

    def __init__(self, glyphs: GlyphSet, title: str, none: str, signs: Mapping[str, str]) -> None:
        """Offer the columns.

        Args:
            glyphs: of the terminal.
            title: of the box.
            none: what no column means.
            signs: of the directions in which rows are sorted now, by name.
        """
        self._none, self._signs = none, signs
        self._lines = ChoiceLines(glyphs)
        super().__init__(glyphs, title, [self._lines])

    def on_mount(self) -> None:
        """Show a line for each key; Textual calls the base's handler too."""
        self._lines.choices = [
            *(
                (key_of(self, f"by_{each.name}"), each.titles[0], self._signs.get(each.name, ""))
                for each in SORTED
            ),
            (key_of(self, "unsorted"), self._none, ""),
        ]


class ChoiceLines(LineWidget):
    """A line for each choice: its key, what it is, and a sign."""

    choices: reactive[Sequence[tuple[str, str, str]]] = reactive((), layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:  # noqa: ARG002
        """Return the lines."""
        return [
            [(f" {key}  ", "key"), (f"{what} ", ""), (sign, "accent")]
            for key, what, sign in self.choices
        ]


CHARACTERS = 5000
TEXT_ROWS = 300
TITLE = "Full text"  # of several


class TextLines(LineWidget):
    """A text in its own lines, below its title if it has one."""

    def __init__(self, glyphs: GlyphSet, text: str, title: str = "") -> None:
        super().__init__(glyphs)
        self._title = title
        self._text = text[:CHARACTERS] + (glyphs.ellipsis if len(text) > CHARACTERS else "")

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines, long ones wrapped."""
        rows = [row for line in self._text.splitlines() for row in self._rows(line, width)]
        if len(rows) > TEXT_ROWS:
            rows[TEXT_ROWS - 1 :] = [self.glyphs.ellipsis]
        title = [[(self.glyphs.line(self._title), "strong")]] if self._title else []
        return [*title, *([(row, "")] for row in rows)]

    def _rows(self, line: str, width: int) -> list[str]:
        """Return one line, wrapped between words; a line that fits keeps its indent."""
        shown = self.glyphs.safe(line)
        is_whole = self.glyphs.cut(shown, width) == shown
        return [shown] if is_whole else self.glyphs.wrap(shown.strip(), width, TEXT_ROWS)


class TextViewScreen(BoxScreen):
    """The box; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.TEXT_BOX, close_text="dismiss")
    HINT = "{close_text} Close"

    def __init__(self, glyphs: GlyphSet, sections: Sequence[Section]) -> None:
        if len(sections) == 1:
            title, text = sections[0]
            super().__init__(glyphs, title, [TextLines(glyphs, text)])
            return
        lines = [
            [TextLines(glyphs, text, title), TextLines(glyphs, " ")] for title, text in sections
        ]
        super().__init__(glyphs, TITLE, [line for pair in lines for line in pair][:-1])


CONTINUES = "any key continues"
MORE = "any key shows more"


class WelcomeScreen(BoxScreen):
    """Any key continues to the rest of the text, then to the list, and does nothing else."""

    def __init__(self, glyphs: GlyphSet, text: Sequence[str]) -> None:
        super().__init__(glyphs, "Welcome", [TextLines(glyphs, "\n".join(text))])

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        """Update the hint; Textual calls the base's handler too."""
        self.call_after_refresh(self.show_remark, "")

    def show_remark(self, text: str) -> None:
        """Show a remark at the foot, or else what any key does."""
        super().show_remark(text or (MORE if self._has_more else CONTINUES))

    @property
    def _has_more(self) -> bool:
        return self.box.scroll_offset.y < self.box.max_scroll_y

    def on_key(self, event: events.Key) -> None:
        """Continue, except on ctrl+c, which shows how to quit."""
        if event.key != "ctrl+c":
            event.stop()
            event.prevent_default()
            self._continue()

    def on_paste(self, event: events.Paste) -> None:
        """Continue, as a key does."""
        event.stop()
        self._continue()

    def on_click(self) -> None:
        """Continue, as a key does."""
        self._continue()

    def _continue(self) -> None:
        if self._has_more:
            rows = max(self.box.scrollable_content_region.height, 1)
            self.box.scroll_relative(y=rows, animate=False, immediate=True)
            self.show_remark("")
        else:
            self.dismiss()
