"""Which instances run and which are abandoned, with real processes."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pettui.outbox import DirectoryEntryStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENTRIES = 20
RUNNING = f"""
import subprocess, sys
from pathlib import Path
from pettui.outbox import DirectoryEntryStore
from tests.outbox.scripted import an_entry
store = DirectoryEntryStore(Path(sys.argv[1]))
for number in range({ENTRIES}):
    store.add(an_entry(key=f"{{number:020d}}-00000000"))
if sys.argv[2:]:
    subprocess.Popen(sys.argv[2:], close_fds=False)  # runs until its input ends
print("kept", flush=True)
sys.stdin.read()
"""


@contextmanager
def running_process(directory: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", RUNNING, str(directory), *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout.readline() == "kept\n"
        yield process
        process.kill()


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def owned(store: DirectoryEntryStore) -> int:
    """Look what there is, and return how many of all entries are the store's own."""
    entries = store.load().entries
    assert len(entries) == ENTRIES
    return sum(not entry.owned_elsewhere for entry in entries)


def test_an_instance_is_abandoned_as_soon_as_its_process_was_killed(
    store: DirectoryEntryStore, directory: Path
) -> None:
    with running_process(directory) as process:
        assert owned(store) == 0
        end(process)
        assert owned(store) == ENTRIES
    store.close()
    assert [*directory.glob("*.lock*")] == []


def test_a_program_that_a_killed_process_had_started_does_not_hold_its_lock(
    store: DirectoryEntryStore, directory: Path
) -> None:
    with running_process(directory, "cat") as process:
        end(process)
        assert owned(store) == ENTRIES


def test_an_abandoned_instance_is_taken_over_by_one_at_a_time(directory: Path) -> None:
    with running_process(directory) as process:
        end(process)
    stores = [DirectoryEntryStore(directory) for _ in range(4)]
    with ThreadPoolExecutor(len(stores)) as threads:
        list(threads.map(DirectoryEntryStore.load, stores))
    assert sorted(owned(store) for store in stores) == [0, 0, 0, ENTRIES]
    for store in stores:
        store.close()
