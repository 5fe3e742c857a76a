"""Copies: an id or an animal, exactly, by the terminal's own clipboard (OSC 52)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import Case, case, on, open_app, sees, sees_no, table
from tests.tui.scripted_service import Response, ScriptedService, listing, pet

if TYPE_CHECKING:
    from tests.tui.driving import Step

EXACT = (
    '{"id":  5, "categoryId":3.0,"name":"R\\u0065x \\ud83d\\ude00", "price": 1.10, "weight": 1e400,'
    ' "tag": -0.0, "number": 123456789012345678901234567890, "status" : null}'
)
OTHER = EXACT.replace("5", "4", 1)
NOW = EXACT.replace("1.10", "1.20").replace(' "tag"', '\n"tag"')


def exact() -> ScriptedService:
    """Return a service that lists two animals, and has the first with another price."""
    service = listing(Response(body=f"[ {EXACT} , {OTHER}]".encode()))
    service.always("getPet", Response(body=f" {NOW}\n".encode()))
    return service


def copied(text: str) -> Step:
    """Return a step that waits until the clipboard has exactly this text."""
    return lambda driver: driver.until(lambda: driver.app.clipboard == text)


def bottom_is(text: str) -> Step:
    """Return a step that waits until the status line begins so."""
    return lambda driver: driver.until(lambda: driver.bottom.startswith(text))


@table(
    case("y copies the id under the cursor", on(lambda: listing([pet(2**63 - 1), pet(-7)])),
         "y", copied(str(2**63 - 1)), "j", "y", copied("-7")),
    case("a remark stands until the next key, beside what the line says of the list", on(),
         "y", bottom_is("copied id 60, if this terminal allows it · 20 shown"),
         "j", bottom_is("20 shown"), "enter", "Y", sees("copied animal 59 as JSON"),
         "pagedown", sees_no("copied")),
    case("a text that is too long for terminals is not copied, and said",
         on(lambda: listing([pet(5, "x" * 200_000)])), "Y", bottom_is("too long to copy: 200,"),
         copied(""), "y", copied("5")),
    case("the copied JSON is exactly the received one", on(exact), "Y", copied(EXACT),
         "j", "Y", copied(OTHER), "k", "enter", sees("confirmed"),
         "Y", copied(NOW.replace("\n", " ")), "y", copied("5")),
    case("without an animal nothing is copied", on(lambda: listing([pet(2), {"id": 1}])),
         "y", "j", "y", "Y", sees("there is no animal here to copy"), copied("2")),
)  # fmt: skip
async def test_copying(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+x"])
async def test_an_api_key_is_never_copied(key: str) -> None:
    async with open_app() as driver:
        await driver.press("f7", *"secret", "shift+home", key)
        assert driver.app.clipboard == ""
        assert ("•" in driver.text) is (key == "ctrl+c")
