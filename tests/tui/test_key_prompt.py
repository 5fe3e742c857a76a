"""Where the focus goes once the prompt for an API key is closed."""

from __future__ import annotations

import asyncio

from textual.widget import Widget

from pettui.tui.key_prompt import KeyPrompt


async def test_the_focus_goes_back_or_to_what_would_have_got_it_meanwhile() -> None:
    before, meanwhile, prompt = Widget(), Widget(), KeyPrompt()
    assert not prompt.is_open
    prompt.open(before)
    assert prompt.is_open
    assert prompt.close() is before
    prompt.open(before)
    prompt.focus_after(meanwhile)
    assert prompt.close() is meanwhile
    assert not prompt.is_open


async def test_who_waits_for_it_goes_on_once_it_can_be_typed_into_and_once_it_is_closed() -> None:
    prompt = KeyPrompt()
    opened = asyncio.ensure_future(prompt.wait_opened())
    prompt.open(None)
    closed = asyncio.ensure_future(prompt.wait_closed())
    await asyncio.sleep(0)
    assert not opened.done()
    prompt.opened()
    await opened
    assert not closed.done()
    prompt.close()
    await closed
