"""The thread that many outboxes share: they take turns."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from pettui.models.pets import NewPet
from pettui.outbox.outbox import Outbox
from pettui.outbox.store_thread import SharedThread, StoreThread
from pettui.outbox.stores.directory_owners import DirectoryOwners
from pettui.system.background_tasks import Bugs
from tests.outbox.scripted import ScriptedClient

if TYPE_CHECKING:
    from pathlib import Path

MANY = 20


async def test_several_threads_make_calls_of_several_outboxes_but_those_of_one_in_order() -> None:
    done: list[str] = []
    meeting = threading.Barrier(2, timeout=10.0)
    may_go_on = threading.Event()

    def meet(name: str) -> None:
        meeting.wait()
        assert may_go_on.wait(10.0)
        done.append(name)

    with SharedThread(2) as shared:
        first, second = (StoreThread(shared, Bugs(None, lambda: None)) for _ in range(2))
        calls = [
            asyncio.ensure_future(first.run(meet, "first")),
            asyncio.ensure_future(second.run(meet, "second")),
        ]
        await asyncio.sleep(0)
        calls += [asyncio.ensure_future(first.run(done.append, f"first {n}")) for n in range(9)]
        await asyncio.sleep(0)
        calls.append(asyncio.ensure_future(first.run(done.append, "first of all", goes_first=True)))
        await asyncio.sleep(0)
        assert done == []
        may_go_on.set()
        await asyncio.gather(*calls)
    of_first = [each for each in done if each.startswith("first")]
    assert of_first == ["first", "first of all", *(f"first {n}" for n in range(9))]


async def test_who_adds_one_waits_for_a_part_of_what_another_pastes(tmp_path: Path) -> None:
    owners = DirectoryOwners(tmp_path, "shop", "https://pets.example")
    with SharedThread() as shared:
        pasting, adding = (
            Outbox(owners.of(owner).open(), ScriptedClient(), delay=600.0, thread=shared)
            for owner in ("ssh:pasting", "ssh:adding")
        )
        for outbox in (pasting, adding):
            outbox.start()
        await pasting.add("Before", 1, None)
        paste = asyncio.create_task(
            pasting.add_all([NewPet(name=f"{n}", category_id=1) for n in range(200)])
        )
        await asyncio.sleep(0)
        await adding.add("Rex", 1, None)
        assert not paste.done()
        await paste
        for outbox in (pasting, adding):
            await outbox.close()
