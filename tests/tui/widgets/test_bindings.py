"""Key bar, hints and rebound keys: all read off the same declared bindings."""

from __future__ import annotations

import re
from itertools import chain

import pytest

import pettui.cli
import pettui.composition
import pettui.tui
from pettui.keyboard.actions import GROUPS, Action
from pettui.tui.widgets.bindings import bindings, hints
from tests.tui.driving import open_app
from tests.tui.scripted_service import ScriptedService, html
from tests.tui.test_private_names import classes_in
from tests.tui.tour import tour, touring_service


async def test_a_rebound_key_is_in_the_key_bar_and_in_help() -> None:
    async with open_app(keys={"add": "n,f12", "refresh": "ctrl+r"}) as driver:
        assert " n Add " in driver.lines[-1]
        await driver.press("a")
        assert "Add an animal" not in driver.text
        await driver.press("f1")
        await driver.sees("n F12", "Add", "^r", "Refresh")
        await driver.press("escape", "n")
        await driver.sees("Add an animal")


async def test_hints_name_the_rebound_key() -> None:
    keys = {"refresh": "f3", "add": "n", "more": "w", "filter_all": "0", "enter_key": "f12"}
    service = ScriptedService([])
    service.next("listPets", html(401))
    async with open_app(service, keys=keys) as driver:
        await driver.sees("F3 Retry", "F12 Change API key", "F3 retries")
        await driver.press("f3")
        await driver.sees("No animals yet. n adds one.")
        await driver.press("4")
        await driver.sees("No sold animals. 0 shows all, n adds one.")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"add": "j"}, "j: Add and Down share this key"),
        ({"add": "x", "more": "x"}, "x: Add and More share this key"),
    ],
)
async def test_a_key_of_two_actions_is_reported(keys: dict[str, str], said: str) -> None:
    async with open_app(keys=keys) as driver:
        await driver.sees(said)


async def test_a_clash_names_what_the_key_does_even_while_that_is_disabled() -> None:
    """Its key says why it is disabled."""
    async with open_app(keys={"take_back": "f3"}) as driver:
        await driver.sees("F3: Take back and Requests share this key; it does Take back")


async def test_keys_that_clash_on_another_screen_are_said_at_the_start() -> None:
    async with open_app(keys={"close": "f9"}) as driver:
        await driver.sees("[keys]: close and outbox share the key f9 in the form")


async def test_what_shares_a_key_as_it_is_is_no_clash() -> None:
    async with open_app(keys={"close": "escape,ctrl+x", "requests": "f3,ctrl+o"}) as driver:
        for keys in ((), ("o",), ("escape", "a")):
            await driver.press(*keys)
            assert "share" not in driver.text


async def test_a_letter_of_ones_own_takes_no_key_away_from_the_form() -> None:
    """There it is text: F9 would be gone, and nothing in its place."""
    async with open_app(keys={"outbox": "b"}) as driver:
        await driver.press("a", *"bob")
        assert driver.form_text() == "bob"
        assert " F9 Outbox " in driver.lines[-1]
        await driver.press("f9")
        await driver.sees("The outbox is empty")
        await driver.press("escape", "escape", "b")
        await driver.sees("The outbox is empty")


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


@pytest.mark.parametrize(
    ("before", "key", "name"),
    [((), "f11", "F11"), ((), "tab", "tab"), (("o",), "ctrl+e", "^e")],
    ids=["list", "nowhere to go", "outbox"],
)
async def test_an_unbound_key_is_reported_once_and_until_the_next_entry_id(
    before: tuple[str, ...], key: str, name: str
) -> None:
    async with open_app(size=(120, 40)) as driver:
        await driver.press(*before, key)
        assert f"{name} does nothing here" in driver.text
        await driver.press("ctrl+g")
        assert f"{name} does" not in driver.text
        await driver.press(key)
        assert "does nothing here" not in driver.text


@pytest.mark.parametrize("keys", [("escape",), ("f6",), ("a", *"zZ%!é")], ids="".join)
async def test_typed_text_and_a_key_that_is_disabled_now_are_not_reported(
    keys: tuple[str, ...],
) -> None:
    async with open_app() as driver:
        await driver.press(*keys)
        assert "does nothing" not in driver.text


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


async def test_a_key_whose_action_is_disabled_says_why_it_does_nothing() -> None:
    async with open_app() as driver:
        await driver.press("f8")
        await driver.sees("Can't take it back")
        assert " F8 " not in driver.lines[-1]


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
