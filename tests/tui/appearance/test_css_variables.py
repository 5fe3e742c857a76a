"""The variables of our themes are computed once for all apps, and are those that Textual computes."""

from __future__ import annotations

import pytest
from textual.app import App

from pettui.settings import Colours
from pettui.tui.appearance import css_variables, themes
from tests.tui.driving import open_app


class Plain(App[None]):
    """An app of Textual's with our themes."""

    def __init__(self, colours: Colours) -> None:
        self.ours = themes(colours)
        super().__init__()
        for theme in self.ours:
            self.register_theme(theme)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(self.ours[0].variables)


@pytest.mark.parametrize("colours", Colours)
def test_they_are_those_that_textual_computes(colours: Colours) -> None:
    app = Plain(colours)
    for theme in app.ours:
        app.theme = theme.name
        assert css_variables(theme.name, colours) == app.get_css_variables()


async def test_a_theme_that_comes_and_goes_leaves_them_as_they_were() -> None:
    before = {**(css_variables("pettui-dark", Colours.TRUE) or {})}
    async with open_app() as driver:
        for theme in ("pettui-light", "nord", "ansi", "pettui-dark"):
            driver.app.theme = theme
            await driver.settled()
            assert driver.app.theme_variables["pt-band"]
        assert driver.app.theme_variables == before
        assert driver.app.get_css_variables() is css_variables("pettui-dark", Colours.TRUE)
