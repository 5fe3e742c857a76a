"""Actions are declared once, in groups."""

from __future__ import annotations

from itertools import chain

from pettui.keyboard import actions


def test_an_action_of_several_screens_is_in_the_palette_of_all_or_of_none() -> None:
    declared = {(each.name, each.is_in_palette) for each in chain(*actions.GROUPS)}
    assert len(declared) == len(actions.NAMES)


def test_a_group_declares_an_action_once() -> None:
    for group in actions.GROUPS:
        names = [each.name for each in group]
        assert len(names) == len(set(names))
