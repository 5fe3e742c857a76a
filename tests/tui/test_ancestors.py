"""A screen is not read through a long chain of classes: what would be a third is part of one."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from textual.app import App
from textual.screen import Screen

import pettui

MODULES = [each.name for each in pkgutil.walk_packages(pettui.__path__, "pettui.")]
CLASSES = {
    each
    for name in MODULES
    if not name.endswith("__main__")
    for each in vars(import_module(name)).values()
    if isinstance(each, type) and issubclass(each, Screen | App)
}


def ancestors(of: type) -> int:
    """Count the longest line of ancestors of ours; classes that one joins are read apart."""
    ours = [base for base in of.__bases__ if base.__module__.startswith("pettui.")]
    return max((1 + ancestors(base) for base in ours), default=0)


def test_a_screen_or_app_has_at_most_two_ancestors_of_ours() -> None:
    assert [each for each in CLASSES if ancestors(each) > 2] == []
