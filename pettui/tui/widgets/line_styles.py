"""LineStyles: the styles of widgets that draw their own lines, computed once an app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App

from pettui.tui.wording.text_runs import STYLES

if TYPE_CHECKING:
    from rich.style import Style
    from textual.widget import Widget


class LineStyles(App[None]):
    """An app with STYLES as component classes.

    On each screen they would take a sixth of the time to open it; on each widget, a third of the
    time to the first frame.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = set(STYLES)

    def __init_subclass__(cls, **options: Any) -> None:
        """Set them on each subclass: of several bases Textual (8.2.8) reads only the first."""
        super().__init_subclass__(**options)
        cls.COMPONENT_CLASSES = LineStyles.COMPONENT_CLASSES

    def __init__(self) -> None:
        self._line_styles: dict[str, Style] = {}
        super().__init__()

    def notify_style_update(self) -> None:
        """Drop the styles of the old theme."""
        self._line_styles.clear()
        super().notify_style_update()

    def line_style(self, name: str) -> Style:
        """Return one of STYLES, without a background unless the style sheet sets one."""
        style = self._line_styles.get(name)
        if style is None:
            style = self._line_styles[name] = self.get_component_styles(name).partial_rich_style
        return style


def style_of(widget: Widget, name: str) -> Style:
    """Return one of the app's STYLES."""
    app = widget.app
    assert isinstance(app, LineStyles)  # noqa: S101 - for the type: there is no other app here
    return app.line_style(name)
