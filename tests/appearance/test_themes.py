"""The variables of the themes."""

from __future__ import annotations

import pytest
from textual.app import App

from pettui.settings.settings import Colours
from pettui.tui.widgets.appearance import css_variables, themes


class Plain(App[None]):
    def __init__(self, colours: Colours) -> None:
        self.ours = themes(colours)
        super().__init__()
        for theme in self.ours:
            self.register_theme(theme)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(self.ours[0].variables)


@pytest.mark.parametrize("colours", Colours)
def test_the_variables_are_those_that_textual_computes(colours: Colours) -> None:
    app = Plain(colours)
    for theme in app.ours:
        app.theme = theme.name
        assert css_variables(theme.name, colours) == app.get_css_variables()
