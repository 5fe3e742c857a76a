"""A walk through everything that can stand on a screen, with a text from outside wherever one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tui.scripted_service import Response, ScriptedService, error, html, pet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.tui.driving import Driver

NOTICE = (
    ("deprecation", "@1764892800"),
    ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"),
    ("link", '</v1/animals?a=[b]\x9b31m\xe9>; rel="successor-version"'),
)


def touring_service(text: str) -> ScriptedService:
    """Return a service that puts a text in every place where it can."""
    service = ScriptedService([])
    animals = [
        pet(2**63 - 1, text, -(2**63), status="available"),
        pet(5, f"{text} II", 3, status="pending", **{text: text}),
        pet(4, "Rex", 7, status="sold", vaccinated=True),
        pet(3, text * 3, 1, status=text),
        pet(2, "", 8),
        {"id": 1, "name": text, "categoryId": text},
    ]
    service.next("listPets", Response(body=animals[2:]))
    service.always("listPets", Response(body=animals, headers=NOTICE))
    changed = pet(5, f"{text} III", 3, status=text, **{text: [text, {text: text}]})
    service.next("getPet", Response(203, changed, NOTICE), error(404, text, text))
    service.next(
        "createPet",
        error(400, text, f"categoryId {text}"),
        Response(500, {text: text}),
        Response(201, pet(9, text, 3), NOTICE),
    )
    return service


async def tour(driver: Driver, text: str) -> AsyncIterator[str]:
    """Visit every screen in every state; yield its name while it is shown."""
    service = driver.service
    on_one_line = " ".join(text.splitlines())  # which is no list of animals when it is pasted
    yield "list"
    await driver.press("r")
    await driver.until(lambda: len(driver.screen.table.rows) == 6)
    await driver.press("j")
    yield "list with new animals"
    await driver.press("c", "Z")
    yield "list with counts, and a box over it"
    await driver.press("escape", "c", "G")
    yield "list on an unreadable row"
    await driver.press("enter")
    yield "what came in a row"
    await driver.press("escape")
    service.next("listPets", error(400, text, text * 3))
    await driver.press("r")
    await driver.until(lambda: driver.screen.error_banner.failure)
    yield "list with an Error body"
    page = f"<html>\n<h1>{text}</h1>\n{text * 20}</html>"
    service.next("listPets", html(401, page.encode(errors="replace")))
    await driver.press("f5")
    await driver.until(lambda: driver.screen.error_banner.failure.excerpt)
    yield "list with something else"
    await driver.press("f6")
    yield "what came"
    await driver.press("escape", "f7", *"secret")
    yield "list with the prompt for a key"
    await driver.press("escape", "escape", "f1")
    yield "help"
    await driver.press("escape", ":", "t")
    yield "palette"
    await driver.press("escape", "g", "j", "enter")
    await driver.until(
        lambda: any("answered 203" in text for text, _ in driver.screen.notice_bar.notices)
    )
    yield "detail"
    await driver.press("f5")
    await driver.until(lambda: driver.screen.error_banner.failure)
    yield "detail of an animal that is gone"
    await driver.press("escape", "a", *"Rex", "tab", "x")
    driver.paste(text)
    await driver.settled()
    yield "form with a category that is none"
    await driver.press("f4")
    driver.paste(f"{text}\n{text}")
    yield "several pasted animals"
    await driver.press("escape")
    driver.paste(on_one_line)
    await driver.press("tab", "3", "enter")
    await driver.until(lambda: driver.screen.error_banner.failure)
    yield "form with a refusal"
    await driver.press("f8")
    yield "form with what was refused"
    await driver.press("enter", *"Rex", "enter", "tab")
    await driver.until(lambda: {e.state.value for e in driver.entries} == {"unknown", "added"})
    yield "form with entries"
    await driver.press("shift+tab")
    driver.paste(on_one_line)
    await driver.press("f9")
    yield "outbox"
    await driver.press("j", "l")
    await driver.until(lambda: not driver.screen.header.spinner)
    yield "what an unknown one could be"
    await driver.press("escape", "escape")
