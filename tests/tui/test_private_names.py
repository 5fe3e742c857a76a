"""Textual's private names stand in one module of the screens' room, each with what it is for."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import textwrap
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from textual.dom import DOMNode

import pettui.tui
from pettui.tui import app

if TYPE_CHECKING:
    from types import ModuleType


def classes_in(room: ModuleType) -> set[type]:
    modules = pkgutil.walk_packages(room.__path__, f"{room.__name__}.")
    found = (value for each in modules for value in vars(import_module(each.name)).values())
    return {
        each
        for each in found
        if isinstance(each, type) and each.__module__.startswith(room.__name__)
    }


@cache
def private_names(of: type) -> frozenset[str]:
    """Return the private methods and attributes that a class has or uses."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(of)))
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    named |= {node.name for node in ast.walk(tree) if isinstance(node, functions)}
    return frozenset(name for name in named if re.match(r"_[^_]", name))


def names_of_textual(of: type) -> set[str]:
    """Return the private names of Textual's own that a class inherits, its attributes included."""
    bases = [base for base in of.__mro__ if base.__module__.startswith("textual.")]
    return set().union(*map(private_names, bases))


OURS = sorted((each for each in classes_in(pettui.tui) if issubclass(each, DOMNode)), key=str)


@pytest.mark.parametrize("each", OURS, ids=lambda each: each.__name__)
def test_no_screen_or_widget_overrides_a_name_of_textual_by_accident(each: type) -> None:
    """Neither to use it, nor by chance; all but one class, which says why.

    Where Textual renames one, this fails too.
    """
    found = private_names(each) & names_of_textual(each)
    documented = set(re.findall(r"``(?:App\.)?(_\w+)``", app.__doc__ or ""))
    assert found == (documented if each is app.PetApp else set())
