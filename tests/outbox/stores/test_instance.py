"""Who lives and who is dead, told from real processes."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pettui.outbox.stores.instance import Instance, estate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIVE = """
import subprocess, sys
from pathlib import Path
from pettui.outbox.stores.instance import Instance
instance = Instance(Path(sys.argv[1]))
instance.live()
if sys.argv[2:]:
    subprocess.Popen(sys.argv[2:], close_fds=False)  # lives until its input ends
print(instance.name, flush=True)
sys.stdin.read()
"""


@contextmanager
def living_process(directory: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", LIVE, str(directory), *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process, process.stdout.readline().strip()
        process.kill()


def is_dead(directory: Path, name: str) -> bool:
    with estate(directory, name) as dead:
        return dead


def test_a_process_is_dead_as_soon_as_it_was_killed(tmp_path: Path) -> None:
    with living_process(tmp_path) as (process, name):
        assert not is_dead(tmp_path, name)
        process.kill()
        process.wait()
        assert is_dead(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_a_dead_process_had_started_does_not_keep_it_alive(tmp_path: Path) -> None:
    with living_process(tmp_path, "cat") as (process, name):
        process.kill()
        process.wait()
        assert is_dead(tmp_path, name)


def test_two_instances_in_one_process_live_and_end_each_for_itself(tmp_path: Path) -> None:
    one, other = Instance(tmp_path), Instance(tmp_path)
    one.live()
    other.live()
    one.end()
    assert is_dead(tmp_path, one.name)
    assert not is_dead(tmp_path, other.name)
    other.end()
    other.end()
    assert list(tmp_path.iterdir()) == []


def test_the_dead_are_inherited_from_by_one_at_a_time(tmp_path: Path) -> None:
    with living_process(tmp_path) as (process, name):
        process.kill()
        process.wait()
    with estate(tmp_path, name) as first, estate(tmp_path, name) as second:
        assert (first, second) == (True, False)


def test_an_instance_that_never_lived_is_dead(tmp_path: Path) -> None:
    assert is_dead(tmp_path, "0" * 16)
