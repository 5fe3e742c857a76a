"""Which instances run and which are abandoned, with real processes."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pettui.outbox.stores.instance import Instance, lock_abandoned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNNING = """
import subprocess, sys
from pathlib import Path
from pettui.outbox.stores.instance import Instance
instance = Instance(Path(sys.argv[1]))
instance.acquire()
if sys.argv[2:]:
    subprocess.Popen(sys.argv[2:], close_fds=False)  # runs until its input ends
print(instance.name, flush=True)
sys.stdin.read()
"""


@contextmanager
def running_process(
    directory: Path, *arguments: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", RUNNING, str(directory), *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process, process.stdout.readline().strip()
        process.kill()


def is_abandoned(directory: Path, name: str) -> bool:
    with lock_abandoned(directory, name) as abandoned:
        return abandoned


def test_an_instance_is_abandoned_as_soon_as_its_process_was_killed(tmp_path: Path) -> None:
    with running_process(tmp_path) as (process, name):
        assert not is_abandoned(tmp_path, name)
        process.kill()
        process.wait()
        assert is_abandoned(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_a_killed_process_had_started_does_not_hold_its_lock(tmp_path: Path) -> None:
    with running_process(tmp_path, "cat") as (process, name):
        process.kill()
        process.wait()
        assert is_abandoned(tmp_path, name)


def test_two_instances_in_one_process_each_have_a_lock(tmp_path: Path) -> None:
    one, other = Instance(tmp_path), Instance(tmp_path)
    one.acquire()
    other.acquire()
    one.release()
    assert is_abandoned(tmp_path, one.name)
    assert not is_abandoned(tmp_path, other.name)
    other.release()
    other.release()
    assert list(tmp_path.iterdir()) == []


def test_an_abandoned_instance_is_taken_over_by_one_at_a_time(tmp_path: Path) -> None:
    with running_process(tmp_path) as (process, name):
        process.kill()
        process.wait()
    with lock_abandoned(tmp_path, name) as first, lock_abandoned(tmp_path, name) as second:
        assert (first, second) == (True, False)


def test_an_instance_that_never_ran_is_abandoned(tmp_path: Path) -> None:
    assert is_abandoned(tmp_path, "0" * 16)
