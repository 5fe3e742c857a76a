"""A prompt line: its keys, and the texts that give way to them."""

from __future__ import annotations

from pettui.tui.widgets.prompt import PromptLine
from tests.tui.driving import Case, case, fits, on, open_app, sees, table
from tests.tui.list.steps import becomes

SHORT = "↵ keep · F2 mark · esc clear"


@table(
    case("the text gives way to the keys", on(size=(120, 30), limit=100),
        "/", sees(f"60 of 60 loaded · {SHORT}"), becomes(64, 12), sees(f"60 of 60 · {SHORT}"), fits,
        becomes(44, 12), sees("60 of 60 · ↵ keep"), fits),
    case("Esc clears the first find, and goes back from a later one", on(size=(100, 24)),
        "/", "a", sees("esc clear"), "enter", "/", sees("esc back")),
    case("an API key that is typed has cells at every width", on(size=(20, 6)),
        "f7", *"abc", sees("••• ")),
)  # fmt: skip
async def test_prompts(case: Case) -> None:
    await case.run()


async def test_a_click_on_the_line_leaves_its_keys_and_a_key_elsewhere_is_not_typed() -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("/", "a")
        driver.screen.set_focus(None)
        await driver.press("y")
        assert (driver.app.clipboard, driver.screen.query_one(PromptLine).text) == ("60", "a")
        assert "clear" not in driver.line_with("/ ")
        await driver.pilot.click(PromptLine, offset=(8, 0))
        await driver.settled()
        assert "clear" in driver.line_with("/ ")
