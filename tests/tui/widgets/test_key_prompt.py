"""Where the focus goes once the prompt for an API key is closed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.widgets import Input, Label

from pettui.appearance.glyphs import glyphs_for
from pettui.settings.settings import Glyphs
from pettui.tui.widgets.line_widget import LineStyles
from pettui.tui.widgets.prompt import KeyPrompt
from tests.tui.driving import open_app

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Fields(LineStyles):
    """Two fields, and a prompt between them; no screen of ours."""

    def __init__(self) -> None:
        super().__init__()
        banner = Label("banner")
        self.widgets = (Input(), banner, Input())
        self.prompt = KeyPrompt(glyphs_for(Glyphs.UNICODE), banner)

    def compose(self) -> ComposeResult:
        yield from self.widgets


async def test_the_focus_goes_back_or_to_what_would_have_got_it_meanwhile() -> None:
    app = Fields()
    before, _, meanwhile = app.widgets
    async with app.run_test():
        for after in (before, meanwhile):
            before.focus()
            await app.prompt.open()
            assert app.focused is not None
            assert app.prompt.lets_focus(app.focused)
            assert not app.prompt.lets_focus(meanwhile)
            if after is meanwhile:
                app.prompt.focus_later(meanwhile)
            await app.prompt.close()
            assert app.focused is after
            assert app.prompt.lets_focus(meanwhile)


async def test_who_waits_for_it_goes_on_once_it_can_be_typed_into_and_once_it_is_closed() -> None:
    app = Fields()
    async with app.run_test():
        opened = asyncio.ensure_future(app.prompt.opened.wait())
        await asyncio.sleep(0)
        assert not opened.done()
        await app.prompt.open()
        closed = asyncio.ensure_future(app.prompt.closed.wait())
        await opened
        assert not closed.done()
        await app.prompt.close()
        await closed


async def test_a_key_that_is_typed_has_cells_at_every_width() -> None:
    async with open_app(size=(20, 6)) as driver:
        await driver.press("f7", *"abc")
        assert "••• " in driver.line_with("Key")
