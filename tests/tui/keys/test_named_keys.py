"""Every key that a banner, bar, box or line names, pressed: it does what it says.

What is named is read off the screen, state by state and size by size, so that a hint which is new
has to be in the table of what hints mean.
"""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.tui.driving import KEY, open_app
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, error, html

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from tests.tui.driving import Driver

pytestmark = pytest.mark.exhaustive

OTHER = "another-key-of-the-tests"
LONG = "The catalogue is being counted, " * 30
SIZES = [(40, 12), (120, 30)]
COUNTDOWN = re.compile(r"(retrying in|retry:) 2\d s")
KEYS = {"esc": "escape", "↵": "enter"}
NAMED = re.compile(
    r"(?<!\S)(F\d+|esc|↵|[a-zA-Z:])(?: |: )"
    r"((?:[A-Z][a-z]+|more|adds|retries|tries|stops|shows|sends)(?: (?:[a-z]+|API))*)"
)


def named_on(driver: Driver) -> list[tuple[str, str]]:
    """Return the keys on the screen, and what the screen says they do."""
    lines = driver.lines
    if driver.screen.is_modal:
        lines = [line for line in lines if "─╯" in line]  # the foot; the rest lies below the box
    found = [match for line in lines for match in NAMED.findall(line)]
    return list(dict.fromkeys(found))


# States


async def a_list(driver: Driver) -> None:
    """The list as it opens."""


async def a_refused_list(driver: Driver) -> None:
    driver.service.next("listPets", UNAUTHORIZED)
    await driver.press("r")
    await driver.sees("✖ 401")


async def a_refused_list_put_away(driver: Driver) -> None:
    await a_refused_list(driver)
    await driver.press("escape")


async def a_prompt(driver: Driver) -> None:
    await a_refused_list(driver)
    await driver.press("f7", *OTHER)


async def a_long_failure(driver: Driver) -> None:
    driver.service.next("listPets", error(423, "locked", LONG))
    await driver.press("r")
    await driver.sees("✖ 423")


async def a_countdown(driver: Driver) -> None:
    driver.service.next("listPets", Response(503, b"", (("retry-after", "25"),)))
    await driver.press("r")
    await driver.until(lambda: COUNTDOWN.search(driver.text))


async def an_empty_filter(driver: Driver) -> None:
    driver.service.next("listPets", Response(body=[]))
    await driver.press("4")
    await driver.sees("No sold animals.")


async def a_detail(driver: Driver) -> None:
    await driver.press("j", "enter")
    await driver.sees("confirmed")


async def a_second_detail(driver: Driver) -> None:
    await a_detail(driver)
    await driver.press("escape", "enter")
    await driver.sees("getPet ends on")


async def a_refused_detail(driver: Driver) -> None:
    driver.service.next("getPet", UNAUTHORIZED)
    await driver.press("j", "enter")
    await driver.sees("✖ 401")


async def a_form(driver: Driver) -> None:
    await driver.press("a", *"Rex", "tab", "3")


async def a_refused_form(driver: Driver) -> None:
    driver.service.next("createPet", error(400, "invalid_value", LONG))
    await driver.press("a", *"Rex", "tab", "3", "enter", *"Tim")
    await driver.sees("✖ 400")


async def a_form_without_key(driver: Driver) -> None:
    driver.service.next("createPet", UNAUTHORIZED)
    await driver.press("a", *"Rex", "tab", "3", "enter")
    await driver.sees("✖ 401")


async def pasted_lines(driver: Driver) -> None:
    await driver.press("a", "tab", "3", "up")
    driver.paste("Bim\nBam")
    await driver.sees("2 animals")


async def wrong_lines(driver: Driver) -> None:
    await driver.press("a")
    driver.paste("Bim\t3\nBam\tunicorns")
    await driver.sees("1 line has an error")


async def an_outbox(driver: Driver) -> None:
    driver.service.next("createPet", error(400, "invalid_value", LONG), html(500))
    await driver.press("a", *"Rex", "tab", "3", "enter", *"Tim", "enter", "f9")
    await driver.until(lambda: {e.state.value for e in driver.entries} == {"unknown", "refused"})
    await driver.until(lambda: "l" in driver.screen.active_bindings)
    await driver.settled()


async def a_question(driver: Driver) -> None:
    await an_outbox(driver)
    await driver.press("E", "enter")
    await driver.sees("F10 adds it anyway")


async def an_outbox_without_key(driver: Driver) -> None:
    await a_form_without_key(driver)
    await driver.press("f9")
    await driver.sees("Outbox", "✖ 401")


async def a_help(driver: Driver) -> None:
    await driver.press("f1")


async def a_palette(driver: Driver) -> None:
    await driver.press(":", *"add")


STATES: dict[str, Callable[[Driver], Awaitable[None]]] = {
    each.__name__.replace("_", " "): each
    for each in (
        a_list, a_refused_list, a_refused_list_put_away, a_prompt, a_long_failure, a_countdown,
        an_empty_filter, a_detail, a_second_detail, a_refused_detail, a_form, a_refused_form,
        a_form_without_key, pasted_lines, wrong_lines, an_outbox, a_question, an_outbox_without_key, a_help, a_palette,
    )
}  # fmt: skip


@asynccontextmanager
async def opened(state: str, size: tuple[int, int]) -> AsyncIterator[Driver]:
    """Open the app in a state."""
    async with open_app(ScriptedService(keys=[KEY, OTHER]), size=size) as driver:
        await STATES[state](driver)
        await driver.settled()
        yield driver


# What hints mean


class Before:
    """What there was before a key was pressed."""

    def __init__(self, driver: Driver) -> None:
        self.screen = driver.screen
        self.has_banner = hasattr(self.screen, "error_banner") and self.screen.error_banner.display
        self.requests = len(driver.service.requests)
        self.entries = [(entry.key, entry.state) for entry in driver.entries]
        self.pet = getattr(self.screen, "pet", None)
        self.is_asked = "adds it anyway" in driver.text
        self.prompts = len(self.screen.query("ApiKeyPrompt"))


Check = "Callable[[Driver, Before], object]"


def asks(driver: Driver, before: Before) -> object:
    return len(driver.service.requests) > before.requests


def asks_or_says_that_is_all(driver: Driver, before: Before) -> object:
    return asks(driver, before) or "that is all" in driver.text


def opens(*names: str) -> Any:
    return lambda driver, _: type(driver.screen).__name__ in names


def opens_line_or_says(why_not: str) -> Any:
    return lambda driver, _: driver.screen.query("PromptLine") or why_not in driver.text


def goes_back(driver: Driver, before: Before) -> object:
    """One thing at a time: the banner or the question first, where there is one."""
    is_gone = driver.screen is not before.screen
    is_withdrawn = before.is_asked and "adds it anyway" not in driver.text
    return is_gone or is_withdrawn or (before.has_banner and not driver.screen.error_banner.display)


def other_entries(driver: Driver, before: Before) -> object:
    return [(entry.key, entry.state) for entry in driver.entries] != before.entries


def adds_or_asks(driver: Driver, before: Before) -> object:
    said = ("a name is required", "adds it anyway")
    return other_entries(driver, before) or any(each in driver.text for each in said)


def no_prompt(driver: Driver, _: Before) -> object:
    return not driver.screen.query("ApiKeyPrompt")


DOES: dict[str, Any] = {
    "Add": opens("PetCreateScreen"),
    "adds one": opens("PetCreateScreen"),
    "Add one like it": opens("PetCreateScreen"),
    "Open": opens("PetDetailScreen"),
    "More": asks_or_says_that_is_all,
    "more": asks,
    "Refresh": asks,
    "Retry": asks,
    "retries": asks,
    "shows all": asks,
    "stops": lambda driver, _: not COUNTDOWN.search(driver.text),
    "Outbox": opens("OutboxScreen"),
    "Commands": opens("CommandScreen"),
    "Help": opens("HelpScreen"),
    "Quit": lambda driver, _: not driver.app.is_running,
    "Full text": opens("TextViewScreen"),
    "Change API key": lambda driver, _: driver.screen.query("ApiKeyPrompt"),
    "Use": no_prompt,
    "Use this key": no_prompt,
    "Cancel": no_prompt,
    "Back": goes_back,
    "Close": goes_back,
    "Next": lambda driver, before: driver.screen.pet != before.pet,
    "Previous": lambda driver, before: driver.screen.pet != before.pet,
    "Copy id": lambda driver, _: "copied id" in driver.text,
    "Copy": lambda driver, _: "copied animal" in driver.text,
    "Add and next": adds_or_asks,
    "Add and open": adds_or_asks,
    "Clear": lambda driver, _: not driver.form_text(),
    "New animal": lambda driver, _: not driver.form_text(),
    "tries now": asks,
    "Take back": other_entries,
    "Send again": lambda driver, before: asks(driver, before) or driver.screen.is_modal,
    "Edit": opens("PetCreateScreen", "OutboxScreen"),
    "Edit a copy": opens("PetCreateScreen"),
    "Show": opens("UnknownEntryScreen"),
    "Add anyway": other_entries,
    "adds it anyway": other_entries,
    "Look for it": asks,
    "Forget": lambda driver, before: other_entries(driver, before) or driver.screen.is_modal,
    "Add all": other_entries,
    "Leave out": lambda driver, _: "error" not in driver.text,
    "Export": opens_line_or_says("nothing to export"),
    "Find": opens_line_or_says("nothing"),
    "Sort": lambda driver, _: driver.screen.view.is_sorted,
    "Watch": lambda driver, _: "watch" in driver.text,
    "Receipt": opens("ReceiptScreen"),
    "Run": opens("PetCreateScreen"),
}


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize("state", STATES)
async def test_every_key_that_is_named_does_what_it_says(state: str, size: tuple[int, int]) -> None:
    """Each in an app of its own, in the same state."""
    async with opened(state, size) as driver:
        named = named_on(driver)
        assert re.search(r"\{\w+\}", driver.text) is None  # an action without its key
    assert named or size[1] < 16
    for key, what in named:
        async with opened(state, size) as driver:
            if (key, what) not in named_on(driver):
                continue  # it went with the time, as a countdown does
            check = DOES.get(what)
            assert check is not None, f"{key} {what!r} in:\n{driver.text}"
            before = Before(driver)
            driver.type(KEYS.get(key, key.lower() if len(key) > 1 else key))
            await driver.until(lambda check=check, before=before: check(driver, before))
            assert driver.app.failure is None
