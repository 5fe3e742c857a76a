"""Key bar, hints and rebound keys: all read off the same declared bindings."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

import pytest

import pettui.cli
import pettui.composition
import pettui.tui
from pettui.keyboard.actions import GROUPS, Action
from pettui.tui.widgets.bindings import bindings, hints
from tests.tui.driving import Case, case, on, open_app, sees, sees_no, table
from tests.tui.scripted_service import ScriptedService, html
from tests.tui.test_private_names import classes_in
from tests.tui.tour import tour, touring_service

if TYPE_CHECKING:
    from tests.tui.driving import Start

HINTED = {"refresh": "f3", "add": "n", "more": "w", "filter_all": "0", "enter_key": "f12"}


def empty_after_a_401() -> ScriptedService:
    service = ScriptedService([])
    service.next("listPets", html(401))
    return service


def shares(**keys: str) -> Start:
    """Return a start with keys of the configuration."""
    return on(keys=keys)


@table(
    case("a rebound key is in the key bar and in help", shares(add="n,f12", refresh="ctrl+r"),
        sees(" n Add "), "a", sees_no("Add an animal"),
        "f1", sees("n F12", "Add", "^r", "Refresh"),
        "escape", "n", sees("Add an animal")),
    case("hints name the rebound key", on(empty_after_a_401, keys=HINTED),
        sees("F3 Retry", "F12 Change API key", "F3 retries"),
        "f3", sees("No animals yet. n adds one."),
        "4", sees("No sold animals. 0 shows all, n adds one.")),
    case("a key of two actions is reported", shares(add="j"),
        sees("[keys]: add and down share the key j on the list")),
    case("keys that clash on another screen are said at the start", shares(close="f9"),
        sees("[keys]: close and outbox share the key f9 in the form")),
    case("what shares a key as it is is no clash",
        shares(close="escape,ctrl+x", requests="f3,ctrl+o"),
        sees_no("share"), "o", sees_no("share"), "escape", "a", sees_no("share")),
    case("a letter of one's own takes no key away from the form", shares(outbox="b"),
        "a", *"bob", sees("▌bob ", " F9 Outbox "), "f9", sees("The outbox is empty"),
        "escape", "escape", "b", sees("The outbox is empty")),
    case("an unbound key is reported once and until the next key", on(size=(120, 40)),
        "f11", sees("F11 does nothing here"), "ctrl+g", sees_no("F11 does"),
        "f11", sees_no("does nothing here")),
    case("so is a way to the next field where there is none", on(),
        "tab", sees("tab does nothing here"), "ctrl+g", sees_no("tab does")),
    case("so is one on another screen", on(), "o", "ctrl+e", sees("^e does nothing here")),
    case("a key that is disabled now is not reported", on(),
        "escape", sees_no("does nothing"), "f6", sees_no("does nothing")),
    case("typed text is not reported", on(), "a", *"zZ%!é", sees_no("does nothing")),
    case("a key whose action is disabled says why it does nothing", on(),
        "f8", sees("Can't take it back"), sees_no(" F8 ")),
)  # fmt: skip
async def test_keys(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize("action", ["quit_anywhere", "clear"])
async def test_a_letter_that_an_action_is_bound_to_is_typed_in_a_field(action: str) -> None:
    async with open_app(keys={action: "é"}) as driver:
        await driver.press("a", *"André")
        assert driver.form_text() == "André"
        assert " é " not in driver.lines[-1]
        await driver.press("tab", "tab", "x")
        assert (" é " in driver.lines[-1]) == (action != "quit_anywhere")


async def test_a_rebound_key_works_on_a_screen_that_is_shown_again() -> None:
    async with open_app(keys={"close": "f3", "add": "n", "new_animal": "f6"}) as driver:
        for _ in range(2):
            await driver.press("n", "f6", *"ab", "f3")
            await driver.sees("1 All")
        await driver.press("n", "f6")
        assert driver.form_text() == "abab"


def test_every_key_of_ours_is_declared_and_every_declared_one_is_bound() -> None:
    bound = {
        (each.id, each.key, each.description, each.show, each.priority)
        for ours in classes_in(pettui.tui) | classes_in(pettui.cli) | classes_in(pettui.composition)
        for each in vars(ours).get("BINDINGS", ())
        if each.description
    }
    declared = {
        (each.name, each.keys, each.label, each.is_in_key_bar, each.takes_key_first)
        for each in chain(*GROUPS)
    }
    assert bound == declared


def test_a_method_of_no_declared_action_is_refused() -> None:
    with pytest.raises(ValueError, match="no such action: bakc"):
        bindings([Action("back", "f8", "Back")], bakc="go_back")


async def test_a_hint_whose_key_does_nothing_now_is_left_out() -> None:
    async with open_app() as driver:
        text = "{refresh} Retry  {view_full_text} Full text  both"
        assert hints(text, driver.screen) == ["F5 Retry", "both"]


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
