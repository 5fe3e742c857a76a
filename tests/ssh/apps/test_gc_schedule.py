"""When a server runs a full garbage collection, and what is exempt from it."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from pettui.idle_collection import IDLE
from pettui.ssh.apps.gc_schedule import GcSchedule

FREEZING = """
import gc, sys
from pettui.cli.ssh import pet_app_factory
from pettui.ssh import process_supervisor
from pettui.ssh.apps import gc_schedule
from pettui.tui.deferred_imports import MODULES
gc_schedule.freeze(MODULES)
assert {*gc_schedule.IMPORTED_LATE, *MODULES} <= set(sys.modules)
assert gc.get_freeze_count() > 10_000
assert not [one for one in gc.get_objects() if isinstance(one, type)]
"""


def test_what_is_imported_before_the_first_app_is_exempt_from_collections() -> None:
    subprocess.run([sys.executable, "-c", FREEZING], check=True)


async def test_a_collection_waits_until_nobody_has_typed_for_a_while() -> None:
    schedule, loop = GcSchedule(), asyncio.get_running_loop()
    schedule.typed()
    typed_at = loop.time()
    await schedule.wait(60)
    assert loop.time() >= typed_at + IDLE


async def test_a_collection_is_not_delayed_forever_by_typing() -> None:
    schedule = GcSchedule()

    async def type_on() -> None:
        while True:
            schedule.typed()
            await asyncio.sleep(0)

    typing = asyncio.create_task(type_on())
    async with asyncio.timeout(60):
        await schedule.wait(IDLE / 5)
    assert not typing.done()
    typing.cancel()
