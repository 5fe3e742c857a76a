"""Run as a program: how much memory a response takes in the running app beyond a usual one.

``python weighing.py BASE_URL COUNT``, as ``tests/client/hostile/weighing.py``: here the first
response is that of the start, F5 requests the second, and what comes is drawn.
"""

from __future__ import annotations

from pettui.client import PetClient
from tests.client.hostile.weighing import LIMITS, in_processes, weigh
from tests.tui.driving import KEY, open_app


async def weigh_app(base_url: str) -> None:
    """Open the app, and press F5."""
    client = PetClient(base_url, KEY, limits=LIMITS)
    async with open_app(client=client) as driver:
        screen = driver.screen
        keys = iter(["j", "f5"])

        async def ask() -> str:
            before = screen.listing
            key = next(keys)
            await driver.press(key)
            if key == "f5":
                await driver.until(
                    lambda: screen.listing is not before or screen.error_banner.failure is not None
                )
                await driver.settled()
            assert driver.text
            return (
                screen.error_banner.failure.message
                if screen.error_banner.failure
                else driver.bottom
            )

        await weigh(ask)


if __name__ == "__main__":
    in_processes(weigh_app)
