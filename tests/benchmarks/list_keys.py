"""Keys on a list of any length, in the running app: from the key to what it drew."""

from __future__ import annotations

import gc
import random
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import Answer, ScriptedService, pet

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGE = 100
NAMES = ("Luna", "Rex", "Mimi", "Señor", "猫", "Strauß", "Ægir", "Bello")
STATUSES = ("available", "pending", "sold", None)


@dataclass(frozen=True)
class Step:
    """Keys that are pressed one after the other; each of them is measured."""

    name: str
    keys: Sequence[str]
    first: Sequence[str] = ()  # before them, and not measured


STEPS = (
    Step("down and up", ["j", "k"] * 20),
    Step("a page down and up", ["pagedown", "pageup"] * 15),
    Step("the end and the top", ["G", "g"] * 15),
    Step("a letter in the line", ["l", "backspace"] * 15, ["slash"]),
    Step("a second letter", ["u", "backspace"] * 15, ["l"]),
    Step("down, found", ["j", "k"] * 15, ["enter"]),
    Step("sort by the next column", ["s"] * 20, ["escape"]),
    Step("the other direction, by name", ["S"] * 20, ["s", "s"]),
    Step("down, sorted", ["j", "k"] * 15),
    Step("open an animal, and back", ["enter", "escape"] * 5),
)


def service_of(size: int) -> ScriptedService:
    """Return a service that lists so many animals, in pages of 100."""
    animals = [
        pet(
            number,
            f"{random.choice(NAMES)} {random.randint(1, 999)}",
            random.randint(1, 12),
            status=random.choice(STATUSES),
        )
        for number in range(size, 0, -1)
    ]
    service = ScriptedService([])
    for start in range(0, size, PAGE):
        link = f'</v1/pets?limit={PAGE}&cursor={start}>; rel="next"'
        headers = (("link", link),) if start + PAGE < size else ()
        service.next("listPets", Answer(body=animals[start : start + PAGE], headers=headers))
    return service


async def measure_keys(size: int) -> dict[str, list[float]]:
    """Return the milliseconds that the process worked for each key, by step."""
    took: dict[str, list[float]] = defaultdict(list)
    async with open_app(service_of(size), limit=PAGE, size=(120, 50)) as driver:
        gc.collect()
        gc.freeze()  # as the program does once its first screen stands
        if size > PAGE:
            await driver.press("M")
            await driver.until(lambda: len(driver.screen.table.rows) == size)
            await driver.settled()
        for step in STEPS:
            await driver.press(*step.first)
            for key in step.keys:
                took[step.name].append(await _milliseconds(driver, key))
    gc.unfreeze()
    return took


async def _milliseconds(driver: Driver, key: str) -> float:
    """Return what the process worked: the time of others on the machine is not in it."""
    started = time.process_time()
    await driver.press(key)
    return (time.process_time() - started) * 1000
