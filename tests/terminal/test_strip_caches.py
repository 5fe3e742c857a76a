"""Strips do without their caches: they look the same, and keep nothing."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.cache import FIFOCache
from textual.strip import Strip
from textual.widgets import Label

from pettui.terminal.compositor import CACHES, NO_CACHE, drop_caches, without_caches

RED = Style.parse("red")


def test_all_caches_of_a_strip_are_known() -> None:
    strip = Strip([Segment("Mitzi")])
    caches = {name for name in Strip.__slots__ if isinstance(getattr(strip, name), FIFOCache)}
    assert caches == set(CACHES)


def test_a_strip_without_caches_gives_what_it_gave_before() -> None:
    strip = Strip([Segment("Mitzi"), Segment(" the cat", RED)])
    before = [strip.crop(2, 8), *strip.divide([3, 13]), strip.adjust_cell_length(20, RED)]
    without_caches(strip)
    for _ in range(2):
        after = [strip.crop(2, 8), *strip.divide([3, 13]), strip.adjust_cell_length(20, RED)]
        assert after == before


def test_a_strip_without_caches_keeps_nothing() -> None:
    strip = Strip([Segment("Mitzi")])
    strip.crop(1, 3)
    without_caches(strip)
    strip.crop(1, 4)
    assert not any(getattr(strip, name) for name in CACHES)
    assert len(NO_CACHE) == 0


async def test_rows_that_are_drawn_are_kept_without_caches() -> None:
    async with App[None]().run_test() as pilot:
        label = Label("Mitzi")
        await pilot.app.mount(label)
        await pilot.pause()
        before = label.render_lines(label.size.region)
        drop_caches(label, range(1))
        kept = label._styles_cache._cache
        assert [getattr(strip, name) for strip in kept.values() for name in CACHES] == (
            [NO_CACHE] * len(CACHES)
        )
        assert label.render_lines(label.size.region) == before
