"""AppAppearance: the colours and the theme that an app is drawn in, and its glyphs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual.app import App

from pettui.settings import Colours
from pettui.tui.appearance.ascii_filter import AsciiFilter
from pettui.tui.appearance.colourless_filter import ColourlessFilter
from pettui.tui.appearance.themes import themes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.filter import LineFilter

    from pettui.settings import Settings
    from pettui.tui.appearance.theme_choice import ThemeChoice
    from pettui.tui.look import Look


class AppAppearance:
    """It is there before the app is: Textual asks for the variables while it begins."""

    def __init__(self, app: App[Any], settings: Settings, look: Look, choice: ThemeChoice) -> None:
        """Take the parts.

        Args:
            app: what is drawn.
            settings: its colours and its theme, as configured.
            look: its glyphs.
            choice: the theme that was chosen before.
        """
        self._app = app
        self._colours = settings.colours
        self._theme = settings.theme
        self._look = look
        self._choice = choice

    @property
    def variables(self) -> dict[str, str]:
        """Our variables, for Textual's own themes too."""
        return dict(themes(self._colours)[0].variables)

    def begin(self) -> None:
        """Take the first colours and the first theme, once the app is there."""
        if self._app.no_color:  # Textual has read NO_COLOR
            self._colours = Colours.NONE
        self._take_colours()
        chosen = self._choice.theme or ""
        self._begin_with(chosen if chosen in self._app.available_themes else self._theme)

    def _begin_with(self, theme: str) -> None:
        """Take the first theme: as a change of theme it would have all the styling read twice.

        One of the terminal's own colours needs just that, for no colour to be replaced.
        """
        if theme not in (ours.name for ours in themes(self._colours) if not ours.ansi):
            self._app.theme = theme
            return
        self._app.set_reactive(App.theme, theme)
        self._app.stylesheet.set_variables(self._app.get_css_variables())

    def draw_in(self, colours: Colours) -> None:
        """Draw for a terminal that shows so many colours, from now on."""
        if colours is not self._colours:
            self._colours = colours
            self._take_colours()
            self._app.mutate_reactive(App.theme)

    def _take_colours(self) -> None:
        for theme in themes(self._colours):
            self._app.register_theme(theme)
        is_colourless = self._colours is Colours.NONE
        classes = {"-ascii": self._look.ascii_only, "-colourless": is_colourless}
        self._app.update_classes(classes, update=False)

    def line_filters(self, usual: Callable[[], Sequence[LineFilter]]) -> Sequence[LineFilter]:
        """Return filters that let nothing through that the terminal does not draw.

        Without colours Textual would draw greys, on a ground of its own.
        """
        is_colourless = self._colours is Colours.NONE
        filters = [ColourlessFilter()] if is_colourless else [*usual()]
        return [*filters, AsciiFilter(self._look.also)] if self._look.ascii_only else filters

    async def use_theme(self, name: str | None) -> None:
        """Draw in a theme, at the next start too; None is the one that is configured."""
        self._app.theme = name or self._theme
        await asyncio.to_thread(self._choice.keep, name)
