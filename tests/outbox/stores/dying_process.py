"""Takes the steps of a clerk on a real store, and kills itself before one of its file operations.

Run as a process with the directory and the number of the operation. It says each step that is done;
without enough operations to die of it ends by itself.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.outbox import Draft, Entry, EntryState
from pettui.outbox.stores.directory import DirectoryEntryStore

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir")


def an_entry(number: int, name: str) -> Entry:
    return Entry(f"{number:020d}-00000000", name, 3, None, EntryState.WAITING, 0.0)


REX, REXY = an_entry(1, "Rex"), an_entry(2, "Rexy")
PASTED = [an_entry(number, name) for number, name in enumerate(("Bim", "Bam", "Tim"), 3)]


def add_all(store: DirectoryEntryStore) -> None:
    store.prepare(PASTED[:2])
    store.prepare(PASTED[2:])
    store.add_prepared(PASTED)


# What is done, and which animals stand where afterwards: in the outbox, and as drafts.
STEPS: tuple[tuple[Callable[[DirectoryEntryStore], object], list[str], list[str]], ...] = (
    (lambda store: store.keep_draft(Draft("Rex", "03")), [], ["Rex"]),
    (lambda store: store.add(REX, was_draft=True), ["Rex"], []),
    (lambda store: store.keep_draft(Draft("", "3", is_kept=True)), ["Rex"], []),
    (lambda store: store.keep_draft(Draft("Mi", "3")), ["Rex"], ["Mi"]),
    (lambda store: store.take_out(REX), [], ["Mi", "Rex"]),
    (lambda store: store.keep_draft(Draft("Rexy", "3")), [], ["Mi", "Rexy"]),
    (lambda store: store.add(REXY, was_draft=True), ["Rexy"], ["Mi"]),
    (lambda store: store.take_out(REXY), [], ["Mi", "Rexy"]),
    (lambda store: store.drop_draft(), [], ["Mi"]),
    (lambda store: store.begin_draft(Draft("", "4", is_kept=True)), [], ["Mi"]),
    (lambda store: store.keep_draft(Draft("Ka", "4")), [], ["Mi", "Ka"]),
    (lambda store: store.drop_draft(), [], ["Mi"]),
    (add_all, ["Bim", "Bam", "Tim"], ["Mi"]),
)


def die_before(operation: int, directory: str) -> None:
    done = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal done
        if event in OPERATIONS and str(arguments[0]).startswith(directory):
            done += 1
            if done == operation:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def main(directory: str, operation: int) -> None:
    store = DirectoryEntryStore(Path(directory))
    die_before(operation, directory)
    for number, (step, _, _) in enumerate(STEPS, 1):
        step(store)
        print(number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
