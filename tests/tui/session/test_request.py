"""What a screen says while it waits: its spinner, and its words."""

from __future__ import annotations

from textual.screen import Screen

from pettui.appearance.glyphs import glyphs_for
from pettui.settings.settings import Glyphs
from pettui.tui.session.request import FRAME, SHOWN_AFTER, Request
from tests.clock import Clock


def seen(request: Request) -> str:
    request.look("esc", is_brief=False)
    return request.text


def test_the_spinner_turns_at_once_and_the_words_come_later() -> None:
    clock = Clock()
    request = Request(Screen(), glyphs_for(Glyphs.UNICODE), clock)
    with request.waiting("loading", is_shown_at_once=False):
        first = request.spinner
        assert first
        assert seen(request) == ""
        clock.now += max(SHOWN_AFTER, 3 * FRAME)
        assert request.spinner != first
        assert seen(request) == "loading…"


def test_whoever_looks_after_the_response_finds_nothing() -> None:
    request = Request(Screen(), glyphs_for(Glyphs.UNICODE), Clock())
    with request.waiting("loading", is_shown_at_once=True):
        assert request.look("", is_brief=False)
    assert (request.spinner, request.text, request.is_shown) == ("", "", False)
    assert not request.look("", is_brief=False)


def test_an_older_call_that_ends_leaves_the_newest_shown() -> None:
    request = Request(Screen(), glyphs_for(Glyphs.UNICODE), Clock())
    older = request.waiting("older", is_shown_at_once=True)
    older.__enter__()
    with request.waiting("newer", is_shown_at_once=True):
        older.__exit__(None, None, None)
        assert seen(request) == "newer…"
