"""The moving picture of the README: a clerk browses, filters, finds and adds, key after key."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.moving_picture import Frame, moving_picture, runs_of
from tests.pictured_app import failed, knowing_categories, opened, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from pettui.tui.app import PetApp

SIZE = (100, 26)
NAMES = {"slash": "/", "enter": "Enter", "escape": "Esc", "tab": "Tab", "backspace": "Backspace"}


class Camera:
    """Presses keys, and keeps the screen after each."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.frames: list[Frame] = []
        self._pilot = pilot
        self._keys: list[str] = []
        self._caption = ""

    def scene(self, caption: str, seconds: float = 0.0) -> None:
        """Begin something new, and show for so long that it does."""
        self._keys = []
        self._caption = caption
        if seconds:
            self.take(seconds)

    async def press(
        self, *keys: str, rest: float = 0.3, then: Callable[[], bool] = lambda: True
    ) -> None:
        """Press keys; the last one is shown for longer, once a state is reached."""
        for index, key in enumerate(keys):
            self._keys.append(NAMES.get(key, key))
            await self._press(key, rest if index == len(keys) - 1 else 0.25, then)

    async def type(self, text: str, then: Callable[[], bool] = lambda: True) -> None:
        self._keys.append("")
        for character in text:
            self._keys[-1] += character
            await self._press(character, 0.16, then)

    async def _press(self, key: str, seconds: float, then: Callable[[], bool]) -> None:
        await self._pilot.press(key)
        await until(self._pilot, then)
        self.take(seconds)

    def take(self, seconds: float) -> None:
        """Keep the screen, to be shown for this long."""
        strips = self._pilot.app.screen._compositor.render_strips()
        rows = tuple(runs_of(strip) for strip in strips)
        self.frames.append(Frame(rows, seconds, tuple(self._keys), self._caption))


class Gate:
    """Holds adds back until it is opened, so that what is being sent can be seen."""

    def __init__(self) -> None:
        self._open = asyncio.Event()

    def open(self) -> None:
        self._open.set()

    def before(self, app: Any) -> Any:

        async def gated(scope: Any, receive: Any, send: Any) -> None:
            if scope["method"] == "POST":
                await self._open.wait()
            await app(scope, receive, send)

        return gated


async def draw_tour() -> str:
    gate = Gate()
    async with opened(SIZE, wrap=lambda app: gate.before(knowing_categories(app))) as pilot:
        camera = Camera(pilot)
        await _browse(camera, pilot.app)
        await _find(camera, pilot.app)
        poster = len(camera.frames) - 1
        await _add(camera, pilot, gate)
        await _be_refused(camera, pilot)
        await _look(camera, pilot.app)
    return moving_picture(camera.frames, title="pettui, driven by keys", poster=poster)


async def _browse(camera: Camera, app: PetApp) -> None:
    camera.scene("Animals, newest first", 1.4)
    await camera.press("j", "j", "j", rest=0.8)
    camera.scene("Filter by status")
    await camera.press("2", rest=1.4, then=lambda: app.screen.listing.query.status == "available")
    await camera.press("1", rest=0.7, then=lambda: app.screen.listing.query.status is None)


async def _find(camera: Camera, app: PetApp) -> None:
    camera.scene("Find as you type")
    await camera.press("slash")
    await camera.type("cats pen")
    await camera.press("enter", rest=1.8)


async def _add(camera: Camera, pilot: Pilot[None], gate: Gate) -> None:
    camera.scene("Add an animal")
    await camera.press("escape", "a", rest=0.6)
    camera.scene("Name, category, status")
    await camera.type("Biscuit")
    await camera.press("tab")
    await camera.type("dogs")
    await camera.press("tab", "a", rest=0.7)
    camera.scene("Enter adds it; keep typing")
    await camera.press("enter", rest=0.5)
    await camera.type("Clover")
    await camera.press("enter", rest=0.5)
    camera.scene("Another of the same kind: its name and Enter")
    await camera.type("Monty")
    await camera.press("enter", rest=1.0)
    gate.open()
    await until(pilot, lambda: pilot.app.session.added == 3)
    camera.scene("They arrive in the background", 1.6)


async def _be_refused(camera: Camera, pilot: Pilot[None]) -> None:
    app = pilot.app
    camera.scene("A rejected animal comes back to the form, with the reason")
    await camera.type("Hazel")
    await camera.press("tab")
    await camera.type("99")
    await camera.press("enter", rest=2.4, then=lambda: failed(app) and is_back(app, "Hazel"))
    camera.scene("Tab goes to what was rejected; corrected, it is sent again")
    await camera.press("tab")
    await camera.type("5")
    await camera.press("enter", rest=1.1, then=lambda: app.session.added == 4)


def is_back(app: PetApp, name: str) -> bool:
    """Whether a refused animal stands in the form again, with all that is said of it."""
    return app.screen.form.shown is not None and app.screen.form.name_input.value == name


def newest(app: PetApp) -> str:
    """Return what stands in the list's first row, where the list is on top."""
    return (
        "".join(row.name for row in app.screen.shown.elements[:1])
        if app.screen.query("PetTable")
        else ""
    )


async def _look(camera: Camera, app: PetApp) -> None:
    camera.scene("Back in the list, new rows are marked")
    await camera.press("escape", rest=2.6, then=lambda: "Hazel" in newest(app))
