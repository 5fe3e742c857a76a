"""One running app on a hostile service: many cases, each starting from a good response."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from pettui.outbox import Draft, EntryState
from tests.client.hostile.usual import USUAL_IDS
from tests.tui.driving import KEY, QUICK_LIMITS, check_screen, ids_of

if TYPE_CHECKING:
    from pettui.outbox import Entry
    from tests.client.hostile.server import HostileServer, Step
    from tests.tui.driving import Driver

FIRST, NEXT = "A", "B"  # animals that are typed
SETTLED = (EntryState.ADDED, EntryState.REFUSED, EntryState.UNKNOWN)
ATTEMPTS = 1 + QUICK_LIMITS.tries


class Stage:
    """What the cases do, and what must hold in each of them."""

    def __init__(self, driver: Driver, server: HostileServer, other: HostileServer) -> None:
        self.driver = driver
        self.server = server
        self.other = other  # another service, to which the key must never go
        self.usual = server.steps[-1]
        self.screen = driver.screen  # of the cases
        self.lines = driver.lines  # the screen at the last check

    # The list, its further pages, and an animal

    async def request(self, *steps: Step, key: str = "f5", usual_after: bool = False) -> None:
        """Press a key that sends a request, and wait until its result is on the screen."""
        self.server.turn_to(*steps, *([self.usual] if usual_after else []))
        await self.request_more(key)

    async def request_more(self, key: str) -> None:
        """The same, while the service continues with its steps."""
        asking = self.driver.screen.request_worker
        self.send_request(key)
        await self.driver.until(lambda: self.driver.screen.request_worker is not asking)
        await self.wait_for_response()

    def send_request(self, key: str = "f5") -> None:
        """Press a key that sends a request, without waiting."""
        self.driver.clock.time += timedelta(seconds=1)
        self.driver.type(key)

    async def wait_for_response(self) -> None:
        """Wait until the request is over, and its result is drawn; check the screen."""
        screen = self.driver.screen
        await self.driver.until(lambda: screen.request_worker.is_finished)
        await self.driver.settled()
        self.check()

    async def recovers(self, key: str = "f5") -> None:
        """Request again from a good service; nothing is left of the failure."""
        await self.request(self.usual, key=key)
        assert self.is_good, "\n".join(self.lines)

    @property
    def is_good(self) -> bool:
        """Whether a good response is on the screen, and nothing else."""
        screen = self.driver.screen
        if screen is not self.screen or screen.error_banner.failure is not None:
            return False
        if screen is self.driver.app.screen_stack[0]:
            return self.ids == USUAL_IDS and not screen.is_stale and not self.driver.entries
        if hasattr(screen, "form"):
            return not self.driver.entries and screen.form.draft == Draft("", "3", "")
        return f"Usual {USUAL_IDS[0]}" in "\n".join(self.lines)

    @property
    def ids(self) -> list[int]:
        """Return the ids in the list, below its header."""
        names = [place for place, line in enumerate(self.lines) if "Id  Name" in line]
        return ids_of(self.lines[names[0] :]) if names else []

    def shows(self, *texts: str) -> None:
        """Check that the texts are on the screen, wrapped or not."""
        words = " ".join(" ".join(self.lines).split())
        for text in texts:
            assert " ".join(text.split()) in words, f"{text!r} is not in:\n" + "\n".join(self.lines)

    def keeps_rows(self) -> None:
        """Check that the rows of the previous response are shown, as old ones."""
        assert self.ids == USUAL_IDS, "\n".join(self.lines)
        self.shows("all as of 12:")

    # The form

    async def add(self, *steps: Step) -> None:
        """Type an animal, send it, and type the next; wait for the outcome of the first."""
        self.server.turn_to(*steps, self.usual)
        self.driver.type(FIRST, "enter", NEXT)
        await self.driver.until(lambda: self.is_entered(FIRST, *SETTLED))
        await self.driver.settled()
        self.check()
        assert self.driver.form_text() == NEXT

    def is_entered(self, name: str, *states: EntryState) -> bool:
        """Whether an animal is in the outbox, in one of these states."""
        return any(each.name == name and each.state in states for each in self.driver.entries)

    def entry(self, name: str) -> Entry:
        """Return the entry of an animal."""
        return next(entry for entry in self.driver.entries if entry.name == name)

    async def adds_the_next(self) -> None:
        """Send what was typed meanwhile, to a service that is good again."""
        self.driver.type("enter")
        await self.driver.until(lambda: self.is_entered(NEXT, EntryState.ADDED))
        await self.driver.settled()
        self.check()

    async def clear_outbox(self) -> None:
        """Leave no entry and no draft for the next case."""
        outbox = self.driver.app.session.outbox
        for entry in outbox.entries:
            if entry.state is EntryState.WAITING:
                await outbox.take_out(entry.key)
            else:
                await outbox.forget(entry.key)
        if not self.driver.form_text():
            await outbox.drafts.keep(Draft("", "3"))
        if self.driver.screen.error_banner.failure is not None:
            await self.driver.press("escape")

    @property
    def names_sent(self) -> list[str]:
        """Return the names of the animals that were sent, in order."""
        posts = [request for request in self.server.seen if request.method == "POST"]
        return [json.loads(request.body)["name"] for request in posts]

    # Whatever came

    def check(self) -> None:
        """Check that nothing on the screen steers, and that the key went where it belongs."""
        self.lines = check_screen(self.driver, "hostile")
        assert not any(KEY in line for line in self.lines)
        for request in self.server.seen:
            assert request.header("authorization") == [f"Bearer {KEY}"]
            assert (request.head + request.body).count(KEY.encode()) == 1
        assert self.other.connections == 0
