"""Alt+B, Alt+F and Alt+D, which a terminal sends as Esc and a letter, are word moves in fields."""

from __future__ import annotations

import pytest

from tests.exhaustive import exhaustive
from tests.tui.driving import open_app
from tests.tui.scripted_service import ScriptedService

BACK, FORWARD, DELETE = b"\x1bb", b"\x1bf", b"\x1bd"


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ([b"Rex the dog", BACK, BACK, b"+"], "Rex +the dog"),
        ([b"Rex the dog", b"\x01", FORWARD, FORWARD, b"+"], "Rex the+ dog"),
        ([b"Rex the dog", b"\x01", FORWARD, DELETE], "Rex dog"),
        (["Zoe\u0308 \u0928\u092e\u0938\u094d\u0924\u0947".encode(), BACK, b"+"], "Zoe\u0308 +\u0928\u092e\u0938\u094d\u0924\u0947"),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("together", [True, *exhaustive(False)])
async def test_they_move_by_words_and_delete_one(
    keys: list[bytes], text: str, together: bool
) -> None:
    async with open_app(ScriptedService([])) as driver:
        for packet in [b"".join([b"a", *keys])] if together else [b"a", *keys]:
            driver.send(packet)
            await driver.settled()
        assert driver.form_text() == text


async def test_which_they_are_is_decided_when_their_turn_has_come() -> None:
    """In one packet: a field is only opened by a key before, and the status is none."""
    async with open_app(ScriptedService([])) as driver:
        driver.send(b"aRex the" + BACK + b"\t\t" + DELETE + b"a")
        await driver.settled()
        assert driver.form_text() == "Rex the"
        assert type(driver.screen).__name__ == "PetCreateScreen"
        assert len(driver.app.screen_stack) == 2


async def test_every_other_letter_is_esc_and_then_that_key() -> None:
    async with open_app(ScriptedService([])) as driver:
        driver.send(b"aRex")
        driver.send(b"\x1bo")
        await driver.settled()
        assert type(driver.screen).__name__ == "OutboxScreen"


@pytest.mark.parametrize("key", [":", "?"])
async def test_signs_of_keys_are_text_in_a_field_and_keys_in_the_status(key: str) -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", key)
        assert driver.form_text() == key
        await driver.press("f1")
        assert f" {key} " not in driver.text.replace(f"▏{key} ", "")
        await driver.press("escape", "tab", "tab", key)
        assert type(driver.screen).__name__ in ("CommandScreen", "HelpScreen")
