"""The installed pettui under kill -9 at random moments, while animals are typed into it.

The terminal is real, the service drops, delays and repeats its responses. Nothing typed is lost:
what an Enter took is in the store once, or is unknown in the outbox, and what was in the
form is there again at the next start.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import DirectoryEntryStore, Entry, EntryState
from tests.exhaustive import WHOLE
from tests.peers.faulty_service import FaultyService, faulty_service
from tests.peers.terminal import ENTER, Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.outbox import Draft

pytestmark = pytest.mark.exhaustive

PROGRAM = str(Path(sys.executable).with_name("pettui"))
ANIMALS, A_LIFE, SECONDS, KILLS = (500, 150, 8.0, 5) if WHOLE else (50, 40, 4.0, 2)
CONFIGURATION = """
delay = 0.05
"""
END, F5 = "\x1b[F", "\x1b[15~"


@dataclass
class Clerk:
    """Types animal after animal, and restarts the app whenever it was killed."""

    service: FaultyService
    environment: Mapping[str, str]
    random: Random
    outbox: Path
    kills: int = 0
    drafts: int = 0  # that were cut off in the middle and came back

    def type_all(self) -> None:
        while (typed := self.typed()) < ANIMALS:
            self.type_until_killed(typed + 1)
            self.kills += 1
        terminal = self.open()
        while waiting := len(self.on_the_way()):
            terminal.press(F5)  # after each response that never came the backoff is longer
            terminal.wait_until(partial(self.is_further, waiting), f"fewer than {waiting} waiting")
        terminal.press("\x11")
        assert terminal.wait_for_end() == 0
        terminal.close()

    def open(self) -> Terminal:
        terminal = Terminal([PROGRAM], self.environment)
        terminal.wait_for("SERVICE", "127.0.0.1")
        terminal.press("a")
        terminal.wait_for("Add an animal")
        return terminal

    def type_until_killed(self, number: int) -> None:
        draft = self.draft()
        terminal = self.open()
        terminal.wait_for(draft.name)
        self.drafts += bool(draft.name)
        name = f"animal-{number}"
        assert name.startswith(draft.name), f"{draft} stood in the form, before {name}"
        first = (END, name.removeprefix(draft.name), *(() if draft.category else ("\t", "3")))
        others = [f"animal-{other}" for other in range(number + 1, ANIMALS + 1)]
        terminal.press("".join(first), ENTER)
        terminal.press(*(f"{other}{ENTER}" for other in others[: self.random.randint(1, A_LIFE)]))
        kill_at = time.monotonic() + self.random.uniform(0, SECONDS)
        terminal.wait_until(lambda: time.monotonic() >= kill_at, "the moment to kill it")
        terminal.kill(signal.SIGKILL)
        terminal.process.wait()
        terminal.close()

    def typed(self) -> int:
        """Check that what was accepted so far has no gap, and return how many that is."""
        names = {entry.name for entry in self.entries()}
        names |= {pet["name"] for pet in self.service.pets}
        assert names == {f"animal-{number}" for number in range(1, len(names) + 1)}
        return len(names)

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries of the outbox while no app runs."""
        store = DirectoryEntryStore(self.outbox)
        entries = store.load().entries
        store.close()
        return entries

    def draft(self) -> Draft:
        """Return what the next app will find as its draft, and leave it there."""
        store = DirectoryEntryStore(self.outbox)
        draft = store.take_over_draft()
        store.close()
        return draft

    def is_further(self, waiting: int) -> bool:
        return len(self.on_the_way()) < waiting

    def on_the_way(self) -> list[Path]:
        return [*self.outbox.glob("*.waiting.json"), *self.outbox.glob("*.sending.json")]


async def test_what_was_typed_is_in_the_store_once_or_unknown_in_the_outbox(
    environment: dict[str, str], home: Path, tmp_path: Path
) -> None:
    random = Random(5)
    (tmp_path / "config.toml").write_text(CONFIGURATION)
    environment["PETTUI_API_KEY"] = "a-key"
    environment["PETTUI_CONFIG"] = str(tmp_path / "config.toml")
    # A refused one comes back into the form by itself, where another may be typed blindly.
    async with faulty_service(random, without="refuse") as service:
        environment["PETTUI_BASE_URL"] = service.address
        outbox = await asyncio.to_thread(outbox_of, environment, home)
        clerk = Clerk(service, environment, random, outbox)
        await asyncio.to_thread(clerk.type_all)
    check(clerk)


def outbox_of(environment: Mapping[str, str], home: Path) -> Path:
    """Return the directory that the app makes for its first draft."""
    terminal = Terminal([PROGRAM], environment)
    terminal.wait_for("SERVICE", "127.0.0.1")
    terminal.press("a")
    terminal.wait_for("Add an animal")
    terminal.press("a")
    terminal.wait_until(lambda: any(home.rglob("*.draft.json")), "the draft is kept")
    terminal.close()
    (draft,) = home.rglob("*.draft.json")
    return draft.parent


def check(clerk: Clerk) -> None:
    stands = {entry.name: entry.state for entry in clerk.entries()}
    added = Counter(pet["name"] for pet in clerk.service.pets)
    ends: Counter[str] = Counter()
    for number in range(1, ANIMALS + 1):
        name = f"animal-{number}"
        state = stands.get(name, EntryState.ADDED)  # of the added ones only the newest stay
        assert clerk.service.arrived[name] <= 1, f"{name} was sent twice"
        assert state in (EntryState.ADDED, EntryState.UNKNOWN)
        assert added[name] == 1 or state is EntryState.UNKNOWN, f"{name} is lost"
        ends[f"{state.value}, there" if added[name] else state.value] += 1
    print(f"\n{clerk.kills} kills, {clerk.drafts} drafts in the middle, {dict(ends)}")
    assert clerk.kills >= KILLS
    assert sum(ends.values()) == ANIMALS
