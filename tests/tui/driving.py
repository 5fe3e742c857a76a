"""Keys in, and what stands on the screen out."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import httpx
from rich.cells import cell_len
from textual import events
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.keys import _character_to_key

from pettui.backoff import Backoff
from pettui.client import PetClient
from pettui.outbox import MemoryEntryStore, Outbox
from pettui.service.stores.samples import SAMPLE_CATEGORIES
from pettui.settings import ApiKey, Limits, Profile, Settings, StoreKind
from pettui.ssh.apps.shared_stylesheet import ParsedStyles, SharedStylesheet
from pettui.terminal.input.key_parser import KeyParser
from pettui.terminal.input.tokenizer import Tokenizer
from pettui.tui.app import PetApp
from pettui.tui.lists.refresh_timing import RefreshPace
from tests.tui.scripted_service import KEY, ScriptedService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from textual.message import Message
    from textual.pilot import Pilot

    from pettui.outbox import Entry
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.tui.lists.seen_lists import SeenLists
    from pettui.tui.user_session import Demo

DEADLINE = 60.0  # seconds; a loaded machine is no failure
NOON = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
STEERING = {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}  # categories of characters
STYLES = ParsedStyles()  # parsed once for all: that is a fifth of what an app costs
QUICK = Backoff(first=0.002, longest=0.01)
NEVER = RefreshPace(first=1e6, longest=1e6)  # a test presses what is to be asked for again
QUICK_LIMITS = Limits(first_wait=0.002, longest_wait=0.01)

PRODUCTION = Profile(
    "production", StoreKind.SERVICE, "http://store.example/v1", ApiKey(KEY), "PRODUCTION", "red",
    categories=SAMPLE_CATEGORIES,
)  # fmt: skip


@dataclass
class FixedClock:
    """A clock that stands where a test puts it."""

    time: datetime = NOON

    def now(self) -> datetime:
        """Give the time."""
        return self.time


@dataclass
class Driver:
    """One running app, the pilot at it, and the service behind it."""

    app: PetApp
    pilot: Pilot[None]
    service: ScriptedService
    clock: FixedClock
    client: PetClient

    @property
    def screen(self) -> Any:
        """Give the screen on top."""
        return self.app.screen

    @property
    def lines(self) -> list[str]:
        """Give what stands on the screen, a text a row."""
        return screen_text(self.app)

    @property
    def text(self) -> str:
        """Give what stands on the screen, as one text."""
        return "\n".join(self.lines)

    @property
    def words(self) -> str:
        """Give what stands on the screen with single spaces, so that a broken line is no matter."""
        return " ".join(self.text.split())

    def line_with(self, text: str) -> str:
        """Give the first row that holds a text, or ""."""
        return next((line for line in self.lines if text in line), "")

    @property
    def bottom(self) -> str:
        """Give the status line."""
        return "".join(text for text, _ in self.screen.status_line.left())

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Give the entries of the outbox."""
        return self.app.session.outbox.entries

    def form_text(self) -> str:
        """Give the name that stands in the form."""
        return str(self.screen.form.name_input.value)

    def type(self, *keys: str) -> None:
        """Send keys in one go, as a fast typist or a paste into the terminal does."""
        for key in keys:
            self._send(key_event(key))

    def paste(self, text: str) -> None:
        """Paste a text, as a terminal brackets it."""
        self._send(events.Paste(text))

    def send(self, data: bytes) -> None:
        """Send a packet of bytes, as a terminal does."""
        tokenizer = Tokenizer()
        tokens = [*tokenizer.feed(data), *tokenizer.time_out()]
        for event in KeyParser().messages(tokens):
            self._send(event)

    def _send(self, event: Message) -> None:
        event.set_sender(self.app)
        self.app._driver.send_message(event)

    async def press(self, *keys: str) -> None:
        """Send keys in one go, and wait until the last one is done."""
        self.type(*keys)
        await self.settled()

    async def settled(self) -> None:
        """Wait until no key is under way, and what it changed is drawn."""
        await self.pilot._wait_for_screen()
        await self.until(lambda: self.app.session.key_queue.is_idle)
        await self.pilot._wait_for_screen()
        with self.app._context():
            self.app.screen._on_timer_update()  # as Pilot.pause does: paint what waits for that

    async def until(self, is_so: Callable[[], object]) -> None:
        """Wait for a state."""
        await wait_until(self.app, is_so)

    async def sees(self, *texts: str) -> None:
        """Wait until all texts stand on the screen."""
        await self.until(lambda: not self._missing(texts))

    async def sees_no(self, *texts: str) -> None:
        """Wait until none of the texts stands on the screen."""
        await self.until(lambda: len(self._missing(texts)) == len(texts))

    def _missing(self, texts: Sequence[str]) -> list[str]:
        """Give those texts that do not stand on the screen, broken lines or not."""
        shown = self.text
        words = " ".join(shown.split())
        return [text for text in texts if text not in shown and text not in words]


def screen_text(app: PetApp) -> list[str]:
    """Give what stands on the screen, a text a row."""
    with app._context():  # where it draws itself; another app's would be taken otherwise
        visible_screen_stack.set(app._background_screens)  # what a box does not cover
        return [strip.text for strip in app.screen._compositor.render_strips()]


def check_screen(driver: Driver, where: str) -> list[str]:
    """Check that every row is as wide as the screen and holds nothing that steers; give them."""
    lines = screen_text(driver.app)
    width, height = driver.app.size
    assert len(lines) == height, where
    for line in lines:
        assert cell_len(line) == width, f"{where}: {line!r}"
        steering = [c for c in line if unicodedata.category(c) in STEERING]
        assert not steering, f"{where}: {line!r}"
    return lines


def key_event(key: str) -> events.Key:
    """Give the event of a key: a character, or a name such as ``enter``."""
    if len(key) == 1:
        return events.Key(key if key.isalnum() else _character_to_key(key), key)
    if key.startswith("alt+"):
        return events.Key(key, key[-1])
    return events.Key(key, {"space": " "}.get(key))


async def wait_until(app: PetApp, is_so: Callable[[], object]) -> None:
    """Let the app work until a state is there; show the screen where it does not come."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DEADLINE
    while not is_so():
        if loop.time() > deadline or app.failure is not None:
            raise AssertionError(
                f"never came; {app.failure!r}; on the screen:\n" + "\n".join(screen_text(app))
            )
        await asyncio.sleep(0.01)  # looks again: the state is what ends the waiting


@asynccontextmanager
async def open_app(
    service: ScriptedService | None = None,
    *,
    size: tuple[int, int] = (120, 30),
    client: PetClient | None = None,
    store: Any = None,
    clock: FixedClock | None = None,
    profile: Profile = PRODUCTION,
    delay: float = 0.0,
    backoff: Backoff = QUICK,
    limits: Limits = QUICK_LIMITS,
    loaded: bool = True,
    seen: SeenLists | None = None,
    pace: RefreshPace = NEVER,
    open_journal: Callable[[], Journal] | None = None,
    demo: Demo | None = None,
    **settings: Any,
) -> AsyncIterator[Driver]:
    """Open the app on a service, and wait until the first animals (or why not) are there.

    Args:
        service: closed at the end; the real one with its samples where none is given.
        size: columns and rows.
        client: another way to a service.
        store: of the outbox; in memory where none is given.
        clock: noon of a day in 2026, where none is given.
        profile: production, where none is given.
        delay: seconds before an entry goes out.
        backoff: between tries of the outbox.
        limits: of the client.
        loaded: wait for the first answer.
        pace: of refreshes after failures; never, where none is given.
        seen: what was kept of earlier lists; nothing where none is given.
        open_journal: of imports; none are offered, where none is given.
        demo: what is said and done in a demo alone; none, where none is given.
        settings: the rest of ``Settings``; 20 animals a page, where no limit is given.
    """
    service = service or ScriptedService()
    clock = clock or FixedClock()
    client = client or PetClient(
        profile.base_url, KEY, transport=httpx.ASGITransport(service), limits=limits
    )
    outbox = Outbox(
        store or MemoryEntryStore(), client, delay=delay, backoff=backoff, look_every=0.05
    )
    settings.setdefault("limit", 20)
    app = PetApp(
        client,
        Settings(profile, delay=delay, **settings),
        clock=clock,
        outbox=outbox,
        seen=seen,
        open_journal=open_journal,
    )
    app.session.pace = pace
    app.session.demo = demo
    app.stylesheet = SharedStylesheet(app.get_css_variables(), STYLES)
    try:
        with patch.object(Compositor, "render_update", _draw_nowhere):
            async with app.run_test(size=size) as pilot:
                driver = Driver(app, pilot, service, clock, client)
                if loaded:
                    await driver.until(lambda: is_loaded(driver))
                    await driver.settled()
                yield driver
    finally:
        await client.aclose()
        await service.aclose()


def _draw_nowhere(compositor: Compositor, **_options: object) -> None:
    """Draw no frame: a test looks at lines, and the product draws cells, not what this would be."""
    compositor._dirty_regions.clear()


def is_loaded(driver: Driver) -> bool:
    """Say whether the list's question was answered, or failed."""
    screen = driver.app.screen_stack[0]
    has_answer = screen.listing is not None or screen.strip.failure is not None
    return has_answer and not screen.header.waiting


def ids_of(lines: Sequence[str]) -> list[int]:
    """Give the ids of the rows that stand on the list."""
    found = (re.match(r"[ ▌>][ +~] +(-?\d+)  ", line) for line in lines)
    return [int(match[1]) for match in found if match]
