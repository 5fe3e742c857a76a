"""When outboxes look for what other instances did."""

from __future__ import annotations

from collections import Counter

import pytest

from pettui.outbox.outbox import until_next_look

EVERY = 2.0


def test_outboxes_that_were_opened_one_after_the_other_look_at_the_same_moment() -> None:
    looks = [now + until_next_look(now, EVERY) for now in (100.0, 100.2, 100.49)]
    assert looks == pytest.approx([102.0] * 3)


def test_the_looks_of_many_outboxes_are_spread_over_a_few_moments() -> None:
    opened = [100 + EVERY * index / 50 for index in range(50)]
    looks = Counter(round(now + until_next_look(now, EVERY), 3) for now in opened)
    assert sorted(looks) == [102.0, 102.5, 103.0, 103.5]
    assert max(looks.values()) <= 14


@pytest.mark.parametrize("late", [0.0, 0.001, 0.3])
def test_a_look_that_came_late_does_not_put_off_the_next_one(late: float) -> None:
    assert 102.5 + late + until_next_look(102.5 + late, EVERY) == pytest.approx(104.5)


@pytest.mark.parametrize("every", [0.0005, 0.01, EVERY, 1e6])
def test_an_outbox_never_waits_longer_than_its_interval_or_much_less(every: float) -> None:
    for now in (0.0, 1e-9, 0.7, 33_000.123, 5e8):
        assert 0.74 * every < until_next_look(now, every) <= every, now
