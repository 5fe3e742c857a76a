"""What a server over SSH looks at: its service, and the outboxes of its users."""

from __future__ import annotations

import asyncio
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pettui.composition import health
from pettui.composition.health import WATCHED, Lookout
from pettui.outbox.entries import OutboxError
from pettui.outbox.owners import Census
from pettui.outbox.stores.directory_owners import DirectoryOwners
from pettui.ssh.apps.app_factory import GOOD
from tests.outbox.scripted import ScriptedClient, entry_id_of, left_behind, offline, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.client import PetClientError


def looking(client: ScriptedClient, owners: Any, state: str = GOOD) -> Lookout:
    sending: Any = SimpleNamespace(client=client, owners=owners)
    return Lookout(sending, lambda: state)


class Owners:
    """Owners who are counted, and cannot be while their database is away."""

    def __init__(self) -> None:
        self.counted = 0
        self.is_away = False

    def census(self) -> Census:
        self.counted += 1
        if self.is_away:
            raise OutboxError("away")
        return Census(3, 2, 1, time.time() - 60)


async def test_all_is_counted_and_not_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = Owners()
    lookout = looking(ScriptedClient(), owners)
    found = [await lookout.look() for _ in range(3)]
    assert found[0].parts == {"service": GOOD, "state": GOOD}
    assert found[2].numbers.keys() == WATCHED.numbers.keys()
    assert [found[2].numbers[f"animals_{each}"] for each in ("waiting", "refused", "unknown")] == [
        3, 2, 1,
    ]  # fmt: skip
    assert found[2].numbers["oldest_waiting_seconds"] == pytest.approx(60, abs=5)
    assert owners.counted == 1
    monkeypatch.setattr(health, "COUNTED_EVERY", 0.0)
    owners.is_away = True
    assert (await lookout.look()).numbers == {}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (offline(), "unreachable"),
        (refusal(401), "key refused"),
        (refusal(503), "failing"),
        (refusal(429), GOOD),
    ],
)
async def test_a_service_is_away_in_one_of_few_ways(error: PetClientError, reason: str) -> None:
    client = ScriptedClient()
    client.lists = [error]
    found = await looking(client, Owners()).look()
    assert found.parts["service"] == reason
    assert reason in (GOOD, *WATCHED.parts["service"])


async def test_what_takes_too_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COUNT_SECONDS", "SERVICE_SECONDS"):
        monkeypatch.setattr(health, name, 0.01)
    may_count = threading.Event()

    class Silent(ScriptedClient):
        async def list_pets(self, *_: object, **__: object) -> Any:
            await asyncio.Event().wait()

    class Many(Owners):
        def census(self) -> Census:
            may_count.wait(60)
            return super().census()

    found = await looking(Silent(), Many()).look()
    may_count.set()
    assert (found.parts["service"], found.numbers) == ("unreachable", {})


def test_owners_in_directories_are_counted(tmp_path: Path) -> None:
    owners = DirectoryOwners(tmp_path, "shop", "https://pets.example/v1")
    anna = owners.of("ssh SHA256:anna").directory
    ben = owners.of("ssh SHA256:ben").directory
    assert owners.census() == Census(0, 0, 0, None)
    second = 1_000_000_000
    left_behind(anna, entry_id=entry_id_of(5 * second))
    left_behind(anna, entry_id=entry_id_of(7 * second), state="sending")
    left_behind(anna, entry_id=entry_id_of(8 * second), state="added")
    left_behind(ben, entry_id=entry_id_of(2 * second), state="unknown")
    left_behind(ben, entry_id=entry_id_of(3 * second), state="refused")
    left_behind(ben, entry_id=entry_id_of(6 * second))
    assert owners.census() == Census(waiting=3, refused=1, unknown=1, oldest=5.0)
