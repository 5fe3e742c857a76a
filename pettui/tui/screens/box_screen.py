"""BoxScreen: a modal screen with a title, and hints of keys at its foot."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen

from pettui.keyboard import actions
from pettui.tui.session.wording import too_long
from pettui.tui.widgets.appearance import STYLES_OF_OTHER_SCREENS, fit_size
from pettui.tui.widgets.bindings import Explains, bindings, hints
from pettui.tui.widgets.fitting import as_many_as_fit
from pettui.tui.widgets.line_widget import style_of
from pettui.tui.widgets.scrolling import Scrolled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.style import Style
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key, Paste, Resize
    from textual.widget import Widget
    from textual.widgets import Input

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.session.session import PasteRefused


class ScrolledBox(Scrolled, inherit_bindings=False):
    """Scrolls at once: Textual's animation starts over with each of several quick keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.SCROLLED_BOX, moves="box_")

    def action_move(self, rows: int) -> None:
        """Scroll by rows."""
        self.scroll_relative(y=rows, animate=False, immediate=True)

    def action_move_page(self, pages: float) -> None:
        """Scroll by pages, or by half of one."""
        self.action_move(round(pages * self.size.height))

    def action_top(self) -> None:
        """Scroll to the first row."""
        self.scroll_to(y=0, animate=False, immediate=True)

    def action_end(self) -> None:
        """Scroll to the last row."""
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)


class BoxScreen(ModalScreen[str | None]):
    """Stays open until a key closes it; returns what was chosen, where something was."""

    CSS_PATH = STYLES_OF_OTHER_SCREENS
    BOX: ClassVar[type[Widget]] = ScrolledBox
    BINDINGS: ClassVar[list[BindingType]] = bindings((actions.ENTER_KEY,))
    HINT: ClassVar[str] = ""  # keys by the names of their bindings

    def __init__(self, glyphs: GlyphSet, title: str, content: Sequence[Widget]) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._has_remark = False
        self.box = self.BOX(*content, classes="box")
        self.show_title(title)

    def compose(self) -> ComposeResult:
        """Lay out the box."""
        yield self.box

    def render(self) -> RenderableType:
        """Draw what the box covers as not in use."""
        below = super().render()
        if isinstance(below, BackgroundScreen):
            return Covered(below, style_of(self, "covered"))
        return below

    def on_mount(self) -> None:
        """Show the hints."""
        self.show_remark("")

    def on_resize(self, event: Resize) -> None:
        """Lay out for the current size only, and not for earlier ones."""
        fit_size(self, event)

    @property
    def hint(self) -> str:
        """The hints at the foot, as ``hints`` takes them."""
        return self.HINT

    def show_title(self, title: str) -> None:
        """Show a raw title."""
        # Content, since a plain string would be parsed as markup.
        self.box.border_title = Content(self.glyphs.line(title, 60))

    def show_remark(self, text: str) -> None:
        """Show a remark at the foot of the box; "" shows the hints."""
        self._has_remark = bool(text)
        foot = text or "  ".join(hints(self.hint, self))
        if str(self.box.border_subtitle or "") != foot:
            self.box.border_subtitle = Content(foot)

    def show_unbound(self, key: str) -> None:
        """Show that a key does nothing, and how to close the box: the bar below names its keys."""
        texts = (f"{key} does nothing here", *hints(self.hint, self)[-1:])
        self.show_remark(as_many_as_fit(self.glyphs, texts, self.box.size.width, gap="  "))

    async def before_key(self, event: Key | Paste) -> bool:  # noqa: ARG002 - for subclasses
        """Prepare for a key or a paste; return False where it comes too early to be handled."""
        if self._has_remark:
            self.show_remark("")
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Whether an action would do something now; None: it would not, and ``why_not`` knows."""
        return self.why_not(action) is None or None

    def why_not(self, action: str) -> str | None:
        """Return why the key of an action does nothing now, by its declared name; None for none."""
        stack = self.app.screen_stack if action == "enter_key" else ()  # for the screen below
        below = stack[stack.index(self) - 1] if self in stack else None
        return below.why_not(action) if isinstance(below, Explains) else None

    def explain(self, action: str) -> bool:
        """Show why the key of an action does nothing; return whether there is a reason."""
        if (reason := self.why_not(action)) is not None:
            self.show_remark(reason)
        return reason is not None

    def on_paste_refused(self, event: PasteRefused) -> None:
        """Show that the terminal driver refused a paste."""
        self.show_remark(too_long(event.size, event.maximum))

    def action_choose(self, name: str) -> None:
        """Close, and return what was chosen."""
        self.dismiss(name)

    async def action_enter_key(self) -> None:
        """Close, and let the screen below ask for another API key."""
        self.dismiss()
        await self.app.run_action("enter_key", self.app.screen)


class Covered:
    """All of it in one style, without bars and blocks of colour.

    Only the first text keeps its own: the profile's label says where the box's action happens. A
    mixture of each colour with the background, as Textual has it, would be left to rounding in 256
    colours, and impossible in 16.
    """

    def __init__(self, screen: BackgroundScreen, style: Style) -> None:
        self._screen = screen
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Draw the screen."""
        segments = iter(console.render(self._screen, options))
        yield from islice(segments, 1)
        yield Segment("".join(text for text, _, _ in segments), self._style)


class FindBoxScreen(BoxScreen):
    """A box with a field that finds in it; Esc ends the find, and then closes the box."""

    def __init__(
        self, glyphs: GlyphSet, title: str, line: Input, content: Sequence[Widget]
    ) -> None:
        self.line = line
        self.line.display = False
        super().__init__(glyphs, title, [line, *content])

    def action_find(self) -> None:
        """Open the field."""
        self.line.display = True
        self.set_focus(self.line)

    async def before_key(self, event: Key | Paste) -> bool:
        """Let Enter go back to what was found, before the key that was typed next."""
        if self.focused is self.line and isinstance(event, events.Key) and event.key == "enter":
            self.leave_line()
            return False
        return await super().before_key(event)

    def leave_line(self) -> None:
        """Go back to what was found."""
        self.set_focus(self.box if self.box.focusable else None)

    def action_close(self) -> None:
        """End the find, or close the box."""
        if not self.line.display:
            self.dismiss()
            return
        self.line.value = ""
        self.line.display = False
        self.leave_line()
