"""The bindings of screens and widgets are those that ``pettui.actions`` declares."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

import pettui.cli
import pettui.tui
from pettui.actions import GROUPS, Action
from pettui.tui.keys import bindings

if TYPE_CHECKING:
    from collections.abc import Iterator


def bindings_of_ours() -> Iterator[Binding]:
    for room in (pettui.tui, pettui.cli):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, type) and issubclass(value, DOMNode):
                    own = value.__module__.startswith("pettui.")
                    yield from value.__dict__.get("BINDINGS", ()) if own else ()


def test_every_key_of_ours_is_declared_and_every_declared_one_is_bound() -> None:
    """The second binding of a key has no words: it says why the key does nothing."""
    bound = {
        (each.id, each.key, each.description, each.show, each.priority)
        for each in bindings_of_ours()
        if each.description
    }
    declared = {
        (each.name, each.keys, each.label, each.is_in_key_bar, each.takes_key_first)
        for each in chain(*GROUPS)
    }
    assert bound == declared


def test_a_hidden_binding_explains_why_a_key_does_nothing() -> None:
    first, second = bindings([Action("back", "f8", "Back")], back=("go_back", "tell_why_not"))
    assert isinstance(first, Binding)
    assert isinstance(second, Binding)
    assert (first.action, first.description, first.show) == ("go_back", "Back", True)
    assert (second.action, second.description, second.show) == ("tell_why_not", "", False)
    assert first.key == second.key
    assert first.id == second.id


def test_a_method_of_no_declared_action_is_refused() -> None:
    with pytest.raises(ValueError, match="no such action: bakc"):
        bindings([Action("back", "f8", "Back")], bakc="go_back")
