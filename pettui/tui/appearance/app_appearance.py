"""AppAppearance: an app's colours, theme and glyphs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual.app import App

from pettui.settings import Colours
from pettui.tui.appearance.ascii_filter import AsciiFilter
from pettui.tui.appearance.colourless_filter import ColourlessFilter
from pettui.tui.appearance.themes import css_variables, themes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.filter import LineFilter

    from pettui.glyphs import GlyphSet
    from pettui.settings import Settings
    from pettui.transfer.last_lists import ThemeChoice


class AppAppearance:
    """Created before the app: Textual reads the variables while the app is constructed."""

    def __init__(
        self, app: App[Any], settings: Settings, glyphs: GlyphSet, choice: ThemeChoice
    ) -> None:
        """Prepare; ``begin`` applies it.

        Args:
            app: whose appearance it is.
            settings: the configured colours and theme.
            glyphs: the app's glyphs.
            choice: the theme that the user chose before.
        """
        self._app = app
        self._colours = settings.colours
        self._theme = settings.theme
        self._glyphs = glyphs
        self._choice = choice
        self._has_begun = False  # until then the app has a theme of Textual's that is never shown

    @property
    def variables(self) -> dict[str, str]:
        """Our variables, for Textual's own themes too."""
        return dict(themes(self._colours)[0].variables)

    def css_variables(self, theme: str) -> dict[str, str] | None:
        """Return all variables of a theme of ours, to be left as they are; None for another."""
        return css_variables(theme if self._has_begun else themes()[0].name, self._colours)

    def begin(self) -> None:
        """Apply the colours and the theme for the first time, once the app is constructed."""
        self._has_begun = True
        if self._app.no_color:  # Textual has read NO_COLOR
            self._colours = Colours.NONE
        self._apply_colours()
        chosen = self._choice.theme or ""
        self._set_first_theme(chosen if chosen in self._app.available_themes else self._theme)

    def _set_first_theme(self, theme: str) -> None:
        """Set the theme without the change of theme that would parse the stylesheet twice.

        A theme of the terminal's own colours needs that change, or Textual replaces its colours.
        """
        if theme not in (ours.name for ours in themes(self._colours) if not ours.ansi):
            self._app.theme = theme
            return
        self._app.set_reactive(App.theme, theme)
        self._app.stylesheet.set_variables(self._app.get_css_variables())

    def draw_in(self, colours: Colours) -> None:
        """Draw with this many colours from now on."""
        if colours is not self._colours:
            self._colours = colours
            self._apply_colours()
            self._app.mutate_reactive(App.theme)

    def _apply_colours(self) -> None:
        for theme in themes(self._colours):
            self._app.register_theme(theme)
        is_colourless = self._colours is Colours.NONE
        classes = {"-ascii": self._glyphs.ascii_only, "-colourless": is_colourless}
        self._app.update_classes(classes, update=False)

    def line_filters(self, usual: Callable[[], Sequence[LineFilter]]) -> Sequence[LineFilter]:
        """Return filters that remove what the terminal cannot draw.

        For a terminal without colours, Textual's own filter would draw greys on a background of
        its own.
        """
        is_colourless = self._colours is Colours.NONE
        filters = [ColourlessFilter()] if is_colourless else [*usual()]
        return [*filters, AsciiFilter(self._glyphs.also)] if self._glyphs.ascii_only else filters

    async def use_theme(self, name: str | None) -> None:
        """Switch to a theme, for later starts too; None is the configured one."""
        self._app.theme = name or self._theme
        await asyncio.to_thread(self._choice.keep, name)
