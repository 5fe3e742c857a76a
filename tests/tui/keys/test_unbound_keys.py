"""A key that nothing is bound to says so in a word, the first time."""

from __future__ import annotations

import pytest

from tests.tui.driving import open_app


@pytest.mark.parametrize(
    ("before", "key", "name"),
    [
        ((), "f11", "F11"),
        ((), "tab", "tab"),
        (("o",), "ctrl+e", "^e"),
    ],
    ids=["list", "nowhere to go", "outbox"],
)
async def test_an_unbound_key_is_reported_once_and_until_the_next_key(
    before: tuple[str, ...], key: str, name: str
) -> None:
    async with open_app(size=(120, 40)) as driver:
        await driver.press(*before, key)
        assert f"{name} does nothing here" in driver.text
        await driver.press("ctrl+g")
        assert f"{name} does" not in driver.text
        await driver.press(key)
        assert "does nothing here" not in driver.text


async def test_a_box_names_its_keys_instead() -> None:
    async with open_app() as driver:
        await driver.press("f1", "z")
        assert "esc Close" in driver.text
        assert "does nothing" not in driver.text


@pytest.mark.parametrize("key", ["escape", "f6"])
async def test_a_key_that_is_disabled_at_the_moment_is_not_reported(key: str) -> None:
    async with open_app() as driver:
        await driver.press(key)
        assert "does nothing" not in driver.text


async def test_typed_text_is_not_reported() -> None:
    async with open_app() as driver:
        await driver.press("a", *"zZ%!é")
        assert "does nothing" not in driver.text
