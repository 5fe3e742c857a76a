"""When unused memory is looked for, and what is never looked at."""

from __future__ import annotations

import asyncio
import subprocess
import sys

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


def test_what_is_imported_before_the_first_app_is_never_looked_at() -> None:
    subprocess.run([sys.executable, "-c", FREEZING], check=True)


async def test_a_rest_is_waited_for_while_somebody_types_but_not_for_ever() -> None:
    rest, loop = GcSchedule(), asyncio.get_running_loop()
    await rest.wait(60)
    rest.typed()
    began = loop.time()
    await rest.wait(60)
    assert loop.time() > began
    rest.typed()
    await rest.wait(0)
