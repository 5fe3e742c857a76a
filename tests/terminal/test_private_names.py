"""Textual's private names in the terminal's room: each is there, and stands in its module."""

from __future__ import annotations

import re
import sys

import pytest

from pettui.terminal.cell_app import CellApp
from pettui.terminal.channel_driver import ChannelDriver
from pettui.terminal.compositor import PieceCompositor
from pettui.terminal.driver import CellDriver
from pettui.terminal.tty_driver import TtyDriver
from tests.tui.test_private_names import names_of_textual, private_names

OF_OTHERS = {
    CellApp: {"_compositor"},
    PieceCompositor: {"_styles_cache", "_repaint_required"},
}  # of screens, widgets
CLASSES = [CellApp, PieceCompositor, CellDriver, ChannelDriver, TtyDriver]


def documented(ours: type) -> set[str]:
    """Return the private names that the module of a class says it uses."""
    return set(re.findall(r"``(?:\w+\.)?(_\w+)``", sys.modules[ours.__module__].__doc__ or ""))


@pytest.mark.parametrize("ours", CLASSES, ids=lambda ours: ours.__name__)
def test_private_names_that_a_class_uses_are_listed_in_its_module_and_exist(ours: type) -> None:
    """Where Textual renames one, this fails; and where another one is used, or by chance."""
    of_others = OF_OTHERS.get(ours, set())
    assert private_names(ours) & (names_of_textual(ours) | of_others) == documented(ours)


def test_a_screen_and_a_widget_have_the_attributes_that_are_used() -> None:
    from textual.screen import Screen

    assert set(vars(Screen())).issuperset(set().union(*OF_OTHERS.values()))
