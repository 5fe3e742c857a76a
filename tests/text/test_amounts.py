"""Numbers, durations and sizes in words."""

from __future__ import annotations

import pytest

from pettui.text.amounts import counted, duration, seconds_text, size_text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 animals"), (1, "1 animal"), (2, "2 animals"), (1_000, "1,000 animals")],
)
def test_animals_are_counted_in_words(count: int, text: str) -> None:
    assert counted(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.9, "59 s"), (60, "1 min 0 s"), (3_600, "1 h 0 min"), (7_384, "2 h 3 min")],
)
def test_a_duration_is_in_words(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (1001, "1.1 kB"), (999_901, "1 MB")],
)
def test_a_size_is_rounded_up(count: int, text: str) -> None:
    assert size_text(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.01, "1 s"), (1, "1 s"), (2.5, "3 s"), (99, "99 s"), (99.1, "2 min"), (3600, "60 min")],
)
def test_seconds_are_rounded_up(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text
