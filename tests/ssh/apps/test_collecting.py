"""When a server runs a full garbage collection, what is exempt from it, and what needs none."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import weakref

import pytest

from pettui.ssh.apps import collecting
from pettui.ssh.apps.collecting import GcSchedule
from tests.waiting import until

FREEZING = """
import gc, sys
from pettui.composition import served_apps as ssh_apps
from pettui.ssh import processes
from pettui.ssh.apps import collecting
from pettui.tui.deferred_imports import MODULES
collecting.freeze()
assert {*collecting.IMPORTED_LATE} <= set(sys.modules)
assert gc.get_freeze_count() > 10_000
assert not [one for one in gc.get_objects() if isinstance(one, type)]
"""


def test_what_is_imported_before_the_first_app_is_exempt_from_collections() -> None:
    subprocess.run([sys.executable, "-c", FREEZING], check=True)


class Cycle:
    """Something that only a collection frees, as an app that has ended."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.usefixtures("_no_collection")
async def test_what_an_ended_session_leaves_is_freed_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(collecting, "CHECK_SECONDS", 0.01)
    schedule = GcSchedule()
    running = asyncio.create_task(schedule.collect())
    for _ in range(2):
        schedule.session_began()
        left = weakref.ref(Cycle())
        schedule.session_ended()
        await until(lambda left=left: left() is None)
    running.cancel()


@pytest.mark.usefixtures("_no_collection")
async def test_while_anybody_is_inside_nothing_but_memory_makes_a_full_collection_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    schedule = GcSchedule()
    left = weakref.ref(Cycle())
    for _ in range(61):
        schedule.session_began()
    for _ in range(60):
        schedule.session_ended()
    schedule.collect_if_time()
    assert left() is not None
    monkeypatch.setattr(collecting, "GROWTH_MAXIMUM", -math.inf)
    schedule.typed()
    schedule.collect_if_time()
    assert left() is None
