"""The bindings are those that are declared, and hints name the keys that work at the moment."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

import pettui.cli
import pettui.tui
from pettui.actions import GROUPS, Action
from pettui.tui.keys import bindings, hints
from pettui.tui.screens.screen import AppScreen
from tests.tui.driving import open_app
from tests.tui.tour import tour, touring_service

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


# Hints


async def test_a_hint_whose_key_does_nothing_now_is_left_out() -> None:
    async with open_app() as driver:
        text = "{refresh} Retry  {view_full_text} Full text  both"
        assert hints(text, driver.screen) == ["F5 Retry", "both"]


class CountedUpdates(AppScreen[None]):
    """Counts how often its status line is updated."""

    updates = 0

    def update_status(self) -> None:
        self.updates += 1


async def test_changes_of_keys_in_one_go_update_the_hints_once() -> None:
    async with open_app() as driver:
        screen = CountedUpdates(driver.app.session)
        await driver.app.push_screen(screen)
        await driver.pilot.pause()
        screen.updates = 0
        for _ in range(3):
            screen.refresh_bindings()
        await driver.pilot.pause()
        assert screen.updates == 1
        screen.refresh_bindings()
        await driver.pilot.pause()
        assert screen.updates == 2


NAMED = re.compile(
    r"(?<!\S)(F\d+|esc|↵|[a-zA-Z:])(?: |: )"
    r"((?:[A-Z][a-z]+|more|adds|retries|tries|stops|shows|sends)(?: (?:[a-z]+|API))*)"
)


async def test_every_key_that_a_screen_names_does_something_there() -> None:
    async with open_app(touring_service("Tim")) as driver:
        async for where in tour(driver, "Tim"):
            lines = driver.lines
            if driver.screen.is_modal:
                lines = [line for line in lines if "─╯" in line]  # the rest lies below the box
            bindings = driver.screen.active_bindings.values()
            keys = {driver.app.get_key_display(b.binding) for b in bindings if b.enabled}
            named = {match for line in lines for match in NAMED.findall(line)}
            assert {what for key, what in named if key not in keys} == set(), where
            assert re.search(r"\{\w+\}", driver.text) is None, where
