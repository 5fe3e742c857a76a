"""Textual's private names in the terminal's room: each is there, and stands in its module."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import pettui.terminal
from pettui.terminal.cell_app import CellApp
from pettui.terminal.channel_driver import ChannelDriver
from pettui.terminal.compositor import PieceCompositor
from pettui.terminal.driver import CellDriver
from pettui.terminal.tty_driver import TtyDriver
from tests.tui.test_private_names import names_of_textual, private_names

if TYPE_CHECKING:
    from types import ModuleType

OF_OTHERS = {CellApp: {"_compositor"}, PieceCompositor: {"_styles_cache"}}  # of screens, widgets
CLASSES = [CellApp, PieceCompositor, CellDriver, ChannelDriver, TtyDriver]
MODULES = [
    import_module(module.name)
    for module in pkgutil.walk_packages(pettui.terminal.__path__, "pettui.terminal.")
]


@pytest.mark.parametrize("ours", CLASSES, ids=lambda ours: ours.__name__)
def test_private_names_that_a_class_uses_are_listed_in_its_module_and_exist(ours: type) -> None:
    """Where Textual renames one, this fails; and where another one is used, or by chance."""
    documented = re.findall(r"``(?:\w+\.)?(_\w+)``", sys.modules[ours.__module__].__doc__ or "")
    of_others = OF_OTHERS.get(ours, set())
    assert private_names(ours) & (names_of_textual(ours) | of_others) == set(documented)


def test_a_screen_and_a_widget_have_the_attributes_that_are_used() -> None:
    from textual.screen import Screen

    assert set(vars(Screen())).issuperset(set().union(*OF_OTHERS.values()))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_private_module_of_textual_is_named_in_its_importer_s_docstring(
    module: ModuleType,
) -> None:
    imports = [
        (node.module, name.name)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual")
        for name in node.names
    ]
    for origin, name in imports:
        if re.search(r"\._|^_", f"{origin}.{name}".partition(".")[2]) or name[0] == "_":
            assert f"{name}``" in (module.__doc__ or "")
