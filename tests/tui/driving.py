"""Driving the app in tests: keys in, the text on the screen out."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import httpx
import pytest
from rich.cells import cell_len
from textual import events
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.geometry import Size
from textual.keys import _character_to_key

from pettui.client import Backoff, PetClient
from pettui.keyboard.key_names import NAMES
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.service.stores.samples import SAMPLE_CATEGORIES
from pettui.settings.settings import ApiKey, Limits, Profile, Settings, StoreKind
from pettui.ssh.apps.stylesheets import ParsedStyles, SharedStylesheet
from pettui.terminal.keys import KeyParser
from pettui.terminal.tokenizer import Tokenizer
from pettui.tui.app import PetApp
from pettui.tui.session.session import RefreshPace
from tests.tui.scripted_service import KEY, ScriptedService
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from _pytest.mark import ParameterSet
    from textual.message import Message
    from textual.message_pump import MessagePump
    from textual.pilot import Pilot
    from textual.screen import Screen
    from textual.strip import Strip

    from pettui.outbox.entries import Entry
    from pettui.remembered.seen_lists import SeenLists
    from pettui.transfer.journal import Journal
    from pettui.transfer.open_imports import OpenImports
    from pettui.tui.detail.command_runs import OwnCommands
    from pettui.tui.session.session import Demo, Profiles
    from tests.tui.scripted_service import Response

    Start = Callable[[], AbstractAsyncContextManager["Driver"]]
    Step = str | Callable[["Driver"], Awaitable[None]]

NOON = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
AT_REST = 400  # checks, each of 10 ms and what a loaded machine adds, after which nothing comes
SIZES = ((40, 12), (56, 18), (80, 24), (79, 15), (100, 30), (200, 50))  # every screen works at
RENDER_UPDATE = Compositor.render_update
UNSAFE = {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}  # categories of characters
STYLES = ParsedStyles()  # parsed once for all apps: that takes a fifth of an app's start
QUICK = Backoff(first=0.002, longest=0.01)
NEVER = RefreshPace(first=1e6, longest=1e6)  # a test presses F5 instead
QUICK_LIMITS = Limits(first_wait=0.002, longest_wait=0.01)

PRODUCTION = Profile(
    "production", StoreKind.SERVICE, "http://store.example/v1", ApiKey(KEY), "PRODUCTION", "red",
    categories=SAMPLE_CATEGORIES,
)  # fmt: skip


@dataclass
class FixedClock:
    """A clock that a test sets."""

    time: datetime = NOON
    zone: tzinfo | None = None

    def now(self) -> datetime:
        return self.time


@dataclass
class Driver:
    app: PetApp
    pilot: Pilot[None]
    service: ScriptedService
    clock: FixedClock
    client: PetClient

    @property
    def screen(self) -> Any:
        return self.app.screen

    @property
    def lines(self) -> list[str]:
        return [strip.text for strip in strips_of(self.app)]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def words(self) -> str:
        """The text of the screen with single spaces, to find text that is wrapped."""
        return " ".join(self.text.split())

    def line_with(self, text: str) -> str:
        """Return the first row that contains a text, or ""."""
        return next((line for line in self.lines if text in line), "")

    @property
    def bottom(self) -> str:
        """The left side of the status line."""
        line = self.screen.status_line
        texts = [line.remark] if line.remark else [text for text, *_ in line.texts]
        return f" {line.glyphs.dot} ".join([*texts, *line.keys])

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self.app.session.outbox.entries

    @property
    def sent_names(self) -> list[str]:
        """The names of the animals that were sent, in order."""
        return [asked.body["name"] for asked in self.service.requests_for("createPet")]

    def form_text(self) -> str:
        return str(self.screen.form.name_input.value)

    def type(self, *keys: str) -> None:
        """Send keys in one go, as a fast typist does."""
        for key in keys:
            self.post(key_event(key))

    def paste(self, text: str) -> None:
        self.post(events.Paste(text))

    def send(self, data: bytes) -> None:
        """Send a packet of bytes, as a terminal does."""
        tokenizer = Tokenizer()
        tokens = [*tokenizer.feed(data), *tokenizer.time_out()]
        for event in KeyParser(takes_alt=False).messages(tokens):
            self.post(event)

    def post(self, event: Message) -> None:
        event.set_sender(self.app)
        self.app.post_message(event)

    async def press(self, *keys: str) -> None:
        """Send keys in one go, and wait until the last one has taken effect."""
        self.type(*keys)
        await self.settled()

    async def do(self, line: str) -> None:
        """Press the keys of a line, such as "j space /sold enter"; words are typed."""
        words = line.replace("/", "/ ").split()
        are_keys = [len(word) == 1 or word in NAMES or "+" in word for word in words]
        keys = ([word] if is_key else word for word, is_key in zip(words, are_keys, strict=True))
        await self.press(*chain(*keys))

    async def answered(self, *keys: str) -> list[dict[str, str]]:
        """Press keys that ask for the list, wait for the response, and return the queries."""
        before = len(self.service.requests_for("listPets"))
        await self.press(*keys)
        await self.until(lambda: len(self.service.requests_for("listPets")) > before)
        await self.until(lambda: not self.screen.header.spinner)
        await self.settled()
        return [dict(each.query) for each in self.service.requests_for("listPets")[before:]]

    async def settled(self) -> None:
        """Wait until all keys have taken effect, and the changes are drawn."""
        while True:
            await self.handled()
            queue = self.app.session.key_queue
            await self.until(lambda queue=queue: queue.is_idle and queue.settled.is_set())
            with self.app._context():
                for screen in reversed(self._shown()):
                    if screen is self.app.screen or _waits_for_paint(screen):
                        screen._on_timer_update()  # as Pilot.pause does
            has_ended = self.app._exception_event.is_set()
            is_laid_out = not any(screen._layout_required for screen in self._shown())
            if has_ended or (is_laid_out and not self._busy()):
                break  # a layout tells widgets their sizes, and then they may scroll

    async def handled(self) -> None:
        """Wait until neither the app nor a widget of the screen has a message left to handle."""
        while (busy := self._busy()) and not self.app._exception_event.is_set():
            is_handled = asyncio.Event()
            if busy[0].call_later(is_handled.set):
                done, waiting = await asyncio.wait(
                    [
                        asyncio.create_task(is_handled.wait()),
                        asyncio.create_task(self.app._exception_event.wait()),
                    ],
                    timeout=PATIENCE,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                for task in waiting:
                    task.cancel()
                assert done, f"{busy[0]} handles no message"
            else:
                await asyncio.sleep(0)

    def _busy(self) -> list[MessagePump]:
        """The app and those widgets that have a message left to handle, or are handling one."""
        widgets = (screen.walk_children(with_self=True) for screen in self._shown())
        pumps = [self.app, *chain.from_iterable(widgets)]
        return [pump for pump in pumps if not (_is_over(pump) or _rests(pump))]

    def _shown(self) -> list[Screen]:
        """The screen, and those that are seen behind it where it is a box."""
        stack = self.app.screen_stack[::-1]
        opaque = (at for at, screen in enumerate(stack) if screen.styles.background.a == 1)
        return stack[: next(opaque, len(stack)) + 1]

    async def until(self, is_so: Callable[[], object]) -> None:
        """Wait until a condition holds; fail with the screen if it never does.

        The app may wait for a thread or a request; but if it rests, and draws nothing else for as
        many checks as it never needs, the rest of PATIENCE would change nothing.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE
        before, checks = "", 0
        while not is_so():
            checks += 1
            if checks % 50 == 0:
                before, shown = self.text, before
                checks = 0 if self._busy() or before != shown else checks
            if checks > AT_REST or loop.time() > deadline or self.app.failure is not None:
                raise AssertionError(
                    f"never came; {self.app.failure!r}; on the screen:\n{self.text}"
                )
            await asyncio.sleep(0.01)  # between two checks; only the condition ends the wait

    @property
    def laid_out(self) -> Size:
        """The size for which the screen was laid out last."""
        return self.app.screen._compositor.size

    @property
    def has_ended(self) -> bool:
        """Whether the app was told to end."""
        return self.app._exit

    @contextmanager
    def written(self) -> Iterator[list[str]]:
        """Return what is sent to the terminal beside frames and the shape of the mouse pointer."""
        texts: list[str] = []

        def write(text: str) -> None:
            if not text.startswith("\x1b]22;"):
                texts.append(text)

        with patch.object(self.app._driver, "write", write):
            yield texts

    async def wheel_down(self, selector: str, offset: tuple[int, int]) -> None:
        """Turn the mouse's wheel over a widget."""
        await self.pilot._post_mouse_events(
            [events.MouseScrollDown], selector, offset=offset, button=0
        )

    def number(self, pattern: str) -> int:
        """Return the number that a pattern finds on the screen; 0 where it finds none."""
        found = re.search(pattern, self.text)
        return int(found[1]) if found else 0

    async def sees(self, *texts: str) -> None:
        """Wait until all texts are on the screen."""
        await self.until(lambda: not self._missing(texts))

    async def sees_no(self, *texts: str) -> None:
        """Wait until none of the texts are on the screen."""
        await self.until(lambda: len(self._missing(texts)) == len(texts))

    def _missing(self, texts: Sequence[str]) -> list[str]:
        """Return the texts that are not on the screen, wrapped or not."""
        shown = self.text
        words = " ".join(shown.split())
        return [text for text in texts if text not in shown and text not in words]


@dataclass(frozen=True)
class Case:
    """A start, and then keys and what is seen after them, in order."""

    start: Start
    steps: tuple[Step, ...]

    async def run(self) -> None:
        """Press the keys between two other steps in one go, and see what is to be seen."""
        async with self.start() as driver:
            for is_key, steps in groupby(self.steps, lambda step: isinstance(step, str)):
                if is_key:
                    await driver.press(*steps)
                else:
                    for step in steps:
                        await step(driver)


def table(*cases: ParameterSet) -> pytest.MarkDecorator:
    """Run a test with each case of a table.

    ::

        @table(
            case("Esc closes the find", on(), "/", *"lu", sees("/ lu"), "escape", sees_no("/ lu")),
            case("an id is found on a small screen", on(size=(40, 12)), "#", *"60", "enter", ...),
            case("nothing is found in nothing", on(lambda: listing([])), "/", *"x", ...),
        )  # fmt: skip
        async def test_finding(case: Case) -> None:
            await case.run()
    """
    return pytest.mark.parametrize("case", cases)


def case(sentence: str, start: Start, *steps: Step) -> ParameterSet:
    """Return a row of a table.

    Args:
        sentence: the rule; the test's id.
        start: opens the app; called in the test.
        steps: keys, and what is awaited with the driver between them, such as ``sees``.
    """
    return pytest.param(Case(start, steps), id=sentence)


def on(service: Callable[[], ScriptedService] | None = None, **options: Any) -> Start:
    """Return a start: the app on a new service, with options of ``open_app``."""
    return lambda: open_app(service and service(), **options)


def sees(*texts: str) -> Step:
    """Return a step that waits until all texts are on the screen."""
    return lambda driver: driver.sees(*texts)


def sees_no(*texts: str) -> Step:
    """Return a step that waits until none of the texts are on the screen."""
    return lambda driver: driver.sees_no(*texts)


def responds(operation: str, *responses: Response) -> Step:
    """Return a step after which the service responds with these first."""

    async def respond(driver: Driver) -> None:
        driver.service.next(operation, *responses)

    return respond


def has_copied(*texts: str) -> Step:
    """Return a step that checks that the clipboard holds all texts."""

    async def check(driver: Driver) -> None:
        assert all(text in driver.app.clipboard for text in texts), driver.app.clipboard

    return check


def typed(*keys: str) -> Step:
    """Return a step that types keys, and does not wait for what they do."""

    async def type_keys(driver: Driver) -> None:
        driver.type(*keys)

    return type_keys


async def fits(driver: Driver) -> None:
    """Check, as a step, that every row is as wide as the screen and safe to draw."""
    check_screen(driver, "the screen")


def _is_over(pump: MessagePump) -> bool:
    """Whether it handles no message any more; an app that was quit is closed, but never closing."""
    return pump._closing or pump._closed


def _rests(pump: MessagePump) -> bool:
    """Whether it waits for its next message."""
    queue = pump._message_queue
    return queue.empty() and bool(queue.ready_event._waiters)


def _waits_for_paint(screen: Screen) -> bool:
    """Whether a screen behind a box has something new; after it is painted, it asks to be repainted."""
    return bool(screen._layout_required or screen._scroll_required or screen._dirty_widgets)


def strips_of(app: PetApp) -> list[Strip]:
    """Return the rows of the screen as they are drawn."""
    with app._context():  # or another app would be drawn
        visible_screen_stack.set(app._background_screens)  # what a box does not cover
        return app.screen._compositor.render_strips()


async def resized(driver: Driver, size: tuple[int, int]) -> None:
    """Resize the terminal, and wait until the screen is drawn in its new size."""
    driver.app._driver._size = Size(*size)
    driver.post(events.Resize(Size(*size), Size(*size)))
    await driver.until(lambda: driver.laid_out == size)
    await driver.settled()


def check_screen(driver: Driver, where: str) -> list[str]:
    """Check that every row is as wide as the screen and safe to draw; return the rows."""
    strips = strips_of(driver.app)
    width, height = driver.app.size
    assert len(strips) == height, where
    for strip in strips:
        assert cell_len(strip.text) == width, f"{where}: {strip.text!r}"
        assert all(piece.control is None for piece in strip), where
        for before, character in pairwise(f" {strip.text}"):
            category = unicodedata.category(character)
            assert category not in UNSAFE, f"{where}: {character!r} in {strip.text!r}"
            is_mark = category[0] == "M" and cell_len(character) == 0
            assert before.strip() or not is_mark, f"{where}: a mark on nothing in {strip.text!r}"
    return [strip.text for strip in strips]


def key_event(key: str) -> events.Key:
    """Return the event of a key: a character, or a name such as ``enter``."""
    if len(key) == 1:
        return events.Key(key if key.isalnum() else _character_to_key(key), key)
    if key.startswith("alt+"):
        return events.Key(key, key[-1])
    return events.Key(key, {"space": " "}.get(key))


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
    open_imports: OpenImports | None = None,
    demo: Demo | None = None,
    profiles: Profiles | None = None,
    own_commands: OwnCommands | None = None,
    find_elsewhere: Callable[[], str] | None = None,
    **settings: Any,
) -> AsyncIterator[Driver]:
    """Open the app on a service, and wait until the first animals are loaded, or loading failed.

    By default the service is the real one with its samples, the outbox is in memory, and a list has
    20 animals a page; what is not given is not offered. A service is closed at the end.
    """
    service = service or ScriptedService()
    clock = clock or FixedClock()
    client = client or PetClient(
        profile.base_url, KEY, transport=httpx.ASGITransport(service), limits=limits
    )
    outbox = Outbox(
        store or MemoryEntryStore(), client, delay=delay, look_every=0.05,
        find_elsewhere=find_elsewhere,
    )  # fmt: skip
    outbox.sending.backoff = backoff
    settings.setdefault("limit", 20)
    app = PetApp(
        client,
        Settings(profile, delay=delay, limits=limits, **settings),
        clock=clock,
        outbox=outbox,
        seen=seen,
        open_journal=open_journal,
        open_imports=open_imports,
    )
    app.session.pace = pace
    app.session.demo = demo
    app.session.profiles = profiles
    if own_commands is not None:
        app.run_commands(own_commands)
    app.stylesheet = SharedStylesheet(app.get_css_variables(), STYLES)
    try:
        with patch.object(Compositor, "render_update", _draw_nowhere):
            async with app.run_test(size=size) as pilot:
                driver = Driver(app, pilot, service, clock, client)
                if loaded:
                    await driver.until(lambda: _is_loaded(driver))
                    await driver.settled()
                yield driver
    finally:
        await client.aclose()
        await service.aclose()


def drawing_frames() -> AbstractContextManager[object]:
    """Have frames drawn, which tests have no need for."""
    return patch.object(Compositor, "render_update", RENDER_UPDATE)


def _draw_nowhere(compositor: Compositor, **_options: object) -> None:
    """Draw no frame: tests read the lines of the screen instead."""
    compositor._dirty_regions.clear()


def _is_loaded(driver: Driver) -> bool:
    """Whether the list's request was answered, or failed."""
    screen = driver.app.screen_stack[0]
    has_response = screen.listing is not None or screen.error_banner.failure is not None
    return has_response and not screen.header.spinner


def ids_of(lines: Sequence[str]) -> list[int]:
    """Return the ids of the list's rows."""
    found = (re.match(r"[ ▌>][ +~] +(-?\d+)  ", line) for line in lines)
    return [int(match[1]) for match in found if match]
