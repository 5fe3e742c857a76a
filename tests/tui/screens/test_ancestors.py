"""A screen is not read through a long chain of classes: what would be a fourth is an object."""

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

LONGEST = 3


def screens_and_apps() -> Iterator[type]:
    for module in pkgutil.walk_packages(pettui.__path__, "pettui."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Screen | App):
                yield value


@pytest.mark.parametrize(
    "each", sorted(set(screens_and_apps()), key=str), ids=lambda each: each.__name__
)
def test_a_screen_or_app_has_at_most_three_ancestors_of_ours(each: type) -> None:
    ours = [base for base in each.__mro__[1:] if base.__module__.startswith("pettui.")]
    assert len(ours) <= LONGEST, ours
