"""Two keys in one packet mean what they mean one after the other."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import exhaustive_rows
from tests.tui.driving import open_app
from tests.tui.scripted_service import UNAUTHORIZED, ScriptedService

if TYPE_CHECKING:
    from tests.tui.driving import Driver

# Keys that open, close, move, ask and stop; of each screen those that lead elsewhere.
PAIRS = [
    ("enter", "escape"), ("a", "x"), (":", "enter"), ("r", "escape"),
    *exhaustive_rows(
        ("enter", "y"), ("o", "escape"), ("f1", "q"), ("j", "enter"), ("2", "enter"),
        ("enter", "j"), ("enter", "f1"), ("enter", ":"), ("a", "escape"), ("a", "f9"), ("a", "f1"),
        ("a", "ctrl+c"), ("o", "f1"), (":", "escape"), (":", "ctrl+c"), ("f1", "escape"),
        ("f1", "f1"), ("escape", "a"), ("escape", "j"), ("G", "k"), ("r", "enter"), ("2", "1"),
        ("+", "-"), ("ctrl+c", "j"), ("ctrl+c", "ctrl+c"), ("f6", "j"), ("f7", "j"), ("y", "Y"),
        ("m", "G"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=" ".join)
async def test_two_keys_in_one_packet_end_where_they_end_one_by_one(
    first: str, second: str
) -> None:
    screens = []
    for together in (True, False):
        async with open_app(size=(80, 24)) as driver:
            if together:
                await driver.press(first, second)
            else:
                await driver.press(first)
                await driver.until(lambda driver=driver: is_still(driver))
                await driver.press(second)
            await driver.until(lambda driver=driver: is_still(driver))
            await driver.settled()
            assert driver.app.failure is None
            screens.append((type(driver.screen).__name__, without_times(driver.text)))
    assert screens[0] == screens[1]


def is_still(driver: object) -> bool:
    """Whether no request is out on any screen."""
    headers = (getattr(screen, "header", None) for screen in driver.app.screen_stack)
    return all(header is None or not header.spinner for header in headers)


def without_times(text: str) -> str:
    """Return the screen without times, which differ in each run."""
    return " ".join(word for word in text.split() if not word.isdigit() and word != "ms")


# Bytes that lead to a screen from the list, and what stands on it.
SCREENS = {
    "list": ([], "20 shown"),
    "detail": ([b"\r"], "Category"),
    "form": ([b"a", b"Rex"], "Rex"),
    "outbox": ([b"o"], "Outbox"),
    "help": ([b"\x1bOP"], "Keys"),
    "palette": ([b":"], "Run"),
    "key prompt": ([b"\x1b[18~"], "esc Cancel"),
    "quit box": ([b"a", b"Rex\t3\r", b"\x1b", b"q"], "s Send first"),
}


async def opened(driver: Driver, where: str) -> None:
    """Come to a screen by its keys."""
    if where == "key prompt":
        driver.service.always("listPets", UNAUTHORIZED)
        await driver.press("r")
        await driver.sees("401")
    keys, text = SCREENS[where]
    for packet in keys:
        driver.send(packet)
        await driver.settled()
    await driver.sees(text)


KEYS = (b"2", b":", b"a")
SOME = [("list", b"2"), ("form", b"a"), ("key prompt", b":"), ("quit box", b"a")]
OTHERS = [pair for pair in product(SCREENS, KEYS) if pair not in SOME]


@pytest.mark.parametrize(("where", "second"), [*SOME, *exhaustive_rows(*OTHERS)])
async def test_escape_and_a_key_in_one_packet_are_these_two_keys(where: str, second: bytes) -> None:
    screens = []
    for packets in ([b"\x1b" + second], [b"\x1b", second]):
        delay = 3600 if where == "quit box" else 0
        async with open_app(ScriptedService(), size=(80, 24), delay=delay) as driver:
            await opened(driver, where)
            for packet in packets:
                driver.send(packet)
                await driver.settled()
                await driver.until(lambda driver=driver: is_still(driver))
            await driver.settled()
            assert driver.app.failure is None
            screens.append((type(driver.screen).__name__, without_times(driver.text)))
    assert screens[0] == screens[1]
