"""A screen is not read through a long chain of classes: what would be a third is part of one."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from textual.app import App
from textual.screen import Screen

import pettui

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 2


def screens_and_apps() -> Iterator[type]:
    for module in pkgutil.walk_packages(pettui.__path__, "pettui."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Screen | App):
                yield value


def chain(of: type) -> list[type]:
    """Return the longest line of ancestors of ours; classes that one joins are read apart."""
    longest = max((chain(base) for base in of.__bases__), key=len, default=[])
    return [of, *longest] if of.__module__.startswith("pettui.") else longest


@pytest.mark.parametrize(
    "each", sorted(set(screens_and_apps()), key=str), ids=lambda each: each.__name__
)
def test_a_screen_or_app_has_at_most_two_ancestors_of_ours(each: type) -> None:
    assert len(chain(each)) - 1 <= LONGEST, chain(each)
