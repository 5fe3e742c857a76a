"""The progress of an import, at every width, with and without a terminal."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from pettui.cli.output import StandardError
from pettui.cli.progress import (
    ImportProgressDisplay,
    duration,
    progress_bar,
    progress_sentence,
)
from pettui.glyphs import GlyphSet, glyphs_for
from pettui.settings import ApiKey, Glyphs, Profile, Settings, StoreKind
from pettui.transfer.import_run import ImportProgress

STYLE = re.compile(r"\x1b\[[0-9]*m")
HALF = ImportProgress(
    total=10_000,
    added=4_900,
    refused=70,
    unknown=5,
    earlier=25,
    remaining=5_000,
    rate=812.3,
    seconds_left=64.9,
)
WAITING = replace(HALF, waiting="cannot connect to h:1:\x1b[31m 接続拒否", tries_in=8.0)


def bar(
    progress: ImportProgress, width: int, glyphs: GlyphSet | None = None, colours: bool = False
) -> str:
    return progress_bar(progress, width, glyphs or GlyphSet(), has_colours=colours)


def test_a_wide_terminal_shows_all_of_it() -> None:
    assert bar(HALF, 120) == (
        f"[{'█' * 19}{'░' * 19}] "
        "5,000 of 10,000 · 812 a second · 1 min 4 s left · 70 refused · 5 unknown"
    )


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (60, "5,000 of 10,000 · 1 min 4 s left · 70 refused · 5 unknown"),
        (42, "5,000 of 10,000 · 70 refused · 5 unknown"),
        (30, "5,000 of 10,000 · 5 unknown"),
        (20, "5,000 of 10,000"),
        (10, "5,000 of…"),
    ],
)
def test_a_narrow_terminal_shows_the_most_important_details(width: int, shown: str) -> None:
    assert bar(HALF, width) == shown


@pytest.mark.parametrize("progress", [HALF, WAITING], ids=["sending", "waiting"])
@pytest.mark.parametrize("glyphs", [GlyphSet(), glyphs_for(Glyphs.ASCII)], ids=["unicode", "ascii"])
def test_no_width_is_exceeded_and_nothing_controls_the_terminal(
    progress: ImportProgress, glyphs: GlyphSet
) -> None:
    for width in range(1, 150):
        drawn = STYLE.sub("", bar(progress, width, glyphs, colours=True))
        assert cell_len(drawn) <= width
        assert "\x1b" not in drawn
        assert drawn.isascii() or not glyphs.ascii_only


def test_colours_are_only_used_if_the_terminal_has_some() -> None:
    assert "\x1b" not in bar(HALF, 100)
    coloured = bar(HALF, 100, colours=True)
    assert STYLE.sub("", coloured) == bar(HALF, 100)
    assert "\x1b[31m70 refused\x1b[m" in coloured


def test_the_reason_for_waiting_and_the_next_attempt_are_shown() -> None:
    assert bar(WAITING, 100).startswith("5,000 of 10,000 · waiting, retrying in 8 s · 70 refused")
    assert "cannot connect to h:1:␛[31m 接続拒否" in bar(WAITING, 140)
    assert progress_sentence(WAITING).endswith("5 unknown, cannot connect to h:1:\x1b[31m 接続拒否")


def test_a_bar_is_full_at_the_end_and_empty_at_the_beginning() -> None:
    empty = ImportProgress(7, 0, 0, 0, 0, 7, 0.0, None)
    assert bar(empty, 40).startswith("[░░░")
    assert "█" not in bar(empty, 40)
    assert "░" not in bar(replace(empty, remaining=0), 40)
    assert bar(replace(empty, total=0, remaining=0), 60).endswith("0 of 0 · 0 a second")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.9, "59 s"), (60, "1 min 0 s"), (3_600, "1 h 0 min"), (7_384, "2 h 3 min")],
)
def test_a_duration_is_in_words(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize("is_quiet", [False, True])
def test_without_a_terminal_there_is_a_line_every_ten_seconds(
    capsys: pytest.CaptureFixture[str], is_quiet: bool
) -> None:
    now = [0.0]
    profile = Profile("shop", StoreKind.SERVICE, "http://h/v1", ApiKey("k"), "SHOP", "red")
    display = ImportProgressDisplay(
        StandardError(is_quiet=is_quiet, kind="xterm"), Settings(profile), lambda: now[0]
    )
    for second in range(25):
        now[0] = float(second)
        display.show(HALF)
    line = "notice: 5,000 of 10,000, 812 a second, 1 min 4 s left, 70 refused, 5 unknown\n"
    assert capsys.readouterr().err == ("" if is_quiet else line * 2)
