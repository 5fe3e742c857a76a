"""Steps of the tables about the form and the outbox: what the app begins on, and what is seen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pettui.outbox.entries import Draft
from tests.tui.driving import open_app, resized, responds
from tests.tui.scripted_service import Response, ScriptedService, error, html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.tui.driving import Driver, Start, Step

REFUSED = error(400, "invalid_value", "no room")
LOST = html(500)


def on_empty(**options: Any) -> Start:
    """Return a start: the app on a service without animals."""
    return lambda: open_app(ScriptedService([]), **options)


def on_slow(**options: Any) -> Start:
    """Return the same start; what is added waits for an hour."""
    return on_empty(delay=3600, **options)


def refuses(message: str = "no room") -> Step:
    """Return a step after which the service refuses an animal."""
    return responds("createPet", error(400, "invalid_value", message))


def answers(*responses: Response) -> Step:
    """Return a step after which the service responds so to the next adds."""
    return responds("createPet", *responses)


def form_has(name: str = "", category: str = "", status: str = "") -> Step:
    """Return a step that waits until this stands in the form, and nothing else."""
    return lambda driver: driver.until(
        lambda: driver.screen.form.draft == Draft(name, category, status)
    )


def form_is_at(field: str) -> Step:
    """Return a step that waits until a field has the focus."""
    return lambda driver: driver.until(lambda: driver.app.focused.id == field)


def outbox_has(*entries: str) -> Step:
    """Return a step that waits until these are all entries: ``Rex``, or ``Rex 3 added``."""

    def is_so(driver: Driver) -> bool:
        there = [f"{each.name} {each.category_id} {each.state.value}" for each in driver.entries]
        pairs = zip(there, entries, strict=False)
        return len(there) == len(entries) and all(has.startswith(entry) for has, entry in pairs)

    return lambda driver: driver.until(lambda: is_so(driver))


def sent(*names: str) -> Step:
    """Return a step that waits until the service has got these animals, and no other."""
    return lambda driver: driver.until(lambda: driver.sent_names == [*names])


def row_has(label: str, *texts: str) -> Step:
    """Return a step that waits until texts stand in the first row with another text."""
    return lambda driver: driver.until(
        lambda: all(text in driver.line_with(label) for text in texts)
    )


def box_says(*texts: str) -> Step:
    """Return a step that waits until texts stand in the box, wrapped or not."""

    def words(driver: Driver) -> str:
        return " ".join(" ".join(re.findall("│(.*)│", driver.text)).split())

    return lambda driver: driver.until(lambda: all(text in words(driver) for text in texts))


def pastes(text: str) -> Step:
    """Return a step that pastes a text."""

    async def paste(driver: Driver) -> None:
        driver.paste(text)
        await driver.settled()

    return paste


def sends(data: bytes) -> Step:
    """Return a step that sends a packet, as a terminal does."""

    async def send(driver: Driver) -> None:
        driver.send(data)
        await driver.settled()

    return send


async def holds(driver: Driver) -> None:
    """Let adds wait for their answers until ``goes_on``."""
    driver.service.hold("createPet")


async def goes_on(driver: Driver) -> None:
    """Let the adds that are held be answered."""
    driver.service.hold("createPet").set()


async def hurries(driver: Driver) -> None:
    """Let what waits go out now."""
    driver.app.session.outbox.hurry()


def resizes(*size: int) -> Step:
    """Return a step that resizes the terminal."""
    return lambda driver: resized(driver, size)


def spelt(text: str) -> Sequence[str]:
    """Return the keys of a text with spaces."""
    return [{" ": "space", "→": "right"}.get(each, each) for each in text]
