"""Each action is declared once, wherever its keys work."""

from __future__ import annotations

from itertools import chain

import pytest

from pettui import actions


@pytest.mark.parametrize("name", sorted(actions.NAMES))
def test_an_action_of_several_screens_is_in_the_palette_of_all_or_of_none(name: str) -> None:
    declared = [each for each in chain(*actions.GROUPS) if each.name == name]
    assert len({each.is_in_palette for each in declared}) == 1


def test_a_group_declares_an_action_once() -> None:
    for group in actions.GROUPS:
        names = [each.name for each in group]
        assert len(names) == len(set(names))
