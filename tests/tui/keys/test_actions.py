"""The configuration knows every action by the name that its binding has on the screens."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.dom import DOMNode

import pettui.tui
from pettui.settings import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator


def bindings() -> Iterator[Binding]:
    for module in pkgutil.walk_packages(pettui.tui.__path__, "pettui.tui."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, DOMNode):
                own = value.__module__.startswith("pettui.")
                yield from value.__dict__.get("BINDINGS", ()) if own else ()


def test_every_key_of_ours_can_be_given_to_another_by_the_name_of_its_action() -> None:
    found = {binding.id for binding in bindings() if isinstance(binding, Binding)}
    assert found == ACTIONS
