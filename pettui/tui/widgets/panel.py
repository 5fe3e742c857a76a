"""Panel: a border with a title at its left, and a remark at its right end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.containers import Vertical
from textual.content import Content

from pettui.tui.widgets.fitting import first_that_fits

if TYPE_CHECKING:
    from textual.widget import Widget

    from pettui.appearance.glyphs import GlyphSet

AROUND = 6  # cells of the title's row without text: corners, lines and blanks
FILL_MINIMUM = 3  # cells between title and remark


class Panel(Vertical):
    """The remark goes if there is no room for both; the foot is cut."""

    def __init__(
        self,
        glyphs: GlyphSet,
        title: str,
        *content: Widget,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(*content, id=id)
        self.glyphs = glyphs
        self._title = title
        self._remark = ""

    def show_beside_title(self, remark: str) -> None:
        """Show a remark at the right end of the title's row; "" for none."""
        self._remark = remark
        self._draw_title()

    def show_foot(self, *texts: str) -> None:
        """Show in the lower border the first of these texts that fits, or the last one, cut."""
        room = (self.outer_size.width or self.app.size.width) - AROUND
        text = first_that_fits(self.glyphs, texts, room)
        if text != str(self.border_subtitle or ""):
            self.border_subtitle = Content(text)

    def on_resize(self) -> None:
        """Draw the title for this width."""
        self._draw_title()

    on_mount = on_resize

    @property
    def has_room_for_remark(self) -> bool:
        """Whether the whole remark is shown."""
        return self._room >= FILL_MINIMUM

    @property
    def _room(self) -> int:
        """Cells between title and remark."""
        return self.outer_size.width - AROUND - cell_len(self._title) - cell_len(self._remark)

    def _draw_title(self) -> None:
        if not self._remark or not self.has_room_for_remark:
            # Textual puts blanks beside a title only if there are corners.
            title = self._title if self.styles.border_left[0] else f" {self._title} "
            self.border_title = Content(title)
            return
        line, room = "-" if self.glyphs.ascii_only else "─", self._room
        self.border_title = Content.assemble(
            self._title,
            (f" {line * (room - 2)} ", "not bold $pt-quiet"),
            (self._remark, "not bold $pt-quiet"),
        )
