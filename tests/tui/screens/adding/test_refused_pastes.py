"""A paste that is too long is refused, and said, and never cut."""

from __future__ import annotations

import pytest

from pettui.terminal.tokenizer import PASTE_MAXIMUM
from pettui.tui.wording import size_text
from tests.exhaustive import product
from tests.tui.driving import open_app
from tests.tui.scripted_service import ScriptedService

SAID = "100.1 kB is too long: at most 100 kB at once"


def pasted(size: int) -> bytes:
    """Return what a terminal sends for a paste of so many bytes."""
    return b"\x1b[200~" + b"x" * size + b"\x1b[201~"


async def test_a_paste_that_is_too_long_leaves_the_field_as_it_was_and_is_said() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", *"Re")
        driver.send(pasted(PASTE_MAXIMUM + 1) + b"x")
        await driver.settled()
        assert driver.form_text() == "Rex"
        assert SAID in driver.words
        await driver.press("escape")
        assert SAID not in driver.words
        assert driver.form_text() == "Rex"


async def test_a_paste_of_just_what_is_taken_is_whole() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a")
        driver.send(pasted(PASTE_MAXIMUM))
        await driver.settled()
        assert driver.form_text() == "x" * PASTE_MAXIMUM


@pytest.mark.parametrize(("keys", "size"), product([(":",), ("a", "f1")], [(80, 24), (40, 12)]))
async def test_it_is_said_wherever_it_is_pasted(
    keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    async with open_app(ScriptedService([]), size=size) as driver:
        await driver.press(*keys)
        driver.send(pasted(PASTE_MAXIMUM + 1))
        await driver.sees("is too long")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (1001, "1.1 kB"), (999_901, "1 MB"),
    ],
)  # fmt: skip
def test_a_size_is_rounded_up(count: int, text: str) -> None:
    assert size_text(count) == text
