"""Takes the steps of a clerk on a real store in processes that die, each before a later file operation.

Run as a process with a directory; each of its children takes the steps in a folder of that, named by the
operation before which it dies. A line for each child is a dot for each step that was done, and the exit
code. The last child comes to the end of the steps.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.outbox import DirectoryEntryStore, Draft, Entry, EntryState

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir")


def an_entry(number: int, name: str, state: EntryState = EntryState.WAITING) -> Entry:
    return Entry(f"{number:020d}-00000000", name, 3, None, state, 0.0)


REX, REXY = an_entry(1, "Rex"), an_entry(2, "Rexy")
LOST = an_entry(6, "Lost", EntryState.UNKNOWN)
MADE_OF_IT = replace(an_entry(7, "Found"), replaces=LOST.key)
SENDING = MADE_OF_IT.becoming(EntryState.SENDING)
ADDED = SENDING.becoming(EntryState.ADDED, pet_id=1)
NAMES = ["Bim", "Bam", "Tim"]
PASTED = [an_entry(number, name) for number, name in enumerate(NAMES, 3)]


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
    (add_all, NAMES, ["Mi"]),
    (lambda store: store.add(LOST), [*NAMES, "Lost"], ["Mi"]),
    # A copy leaves it where it is, cleared or not; once that is kept, it takes its place …
    (lambda store: store.begin_draft(LOST.copy()), [*NAMES, "Lost"], ["Mi", "Lost"]),
    (lambda store: store.drop_draft(), [*NAMES, "Lost"], ["Mi"]),
    (lambda store: store.begin_draft(LOST.copy()), [*NAMES, "Lost"], ["Mi", "Lost"]),
    (lambda store: store.keep_draft(MADE_OF_IT.draft()), [*NAMES, "Lost"], ["Mi", "Found"]),
    (lambda store: store.add(MADE_OF_IT, was_draft=True), [*NAMES, "Found"], ["Mi"]),
    # … until it is taken back, and for good when the service has answered.
    (lambda store: store.take_out(MADE_OF_IT), [*NAMES, "Lost"], ["Mi", "Found"]),
    (lambda store: store.add(MADE_OF_IT, was_draft=True), [*NAMES, "Found"], ["Mi"]),
    (lambda store: store.change(MADE_OF_IT, SENDING), [*NAMES, "Found"], ["Mi"]),
    (lambda store: store.change(SENDING, ADDED), [*NAMES, "Found"], ["Mi"]),
    (lambda store: store.remove(ADDED), NAMES, ["Mi"]),
)


def die_before(operation: int, directory: str) -> None:
    done = 0

    def die(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal done
        if event in OPERATIONS and str(arguments[0]).startswith(directory):
            done += 1
            if done == operation:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(die)


def take_steps(directory: str, operation: int) -> None:
    store = DirectoryEntryStore(Path(directory))
    die_before(operation, directory)
    for step, _, _ in STEPS:
        step(store)
        print(end=".", flush=True)


def main(root: Path) -> None:
    for operation in count(1):
        if not (child := os.fork()):
            take_steps(str(root / str(operation)), operation)
            return
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        print(code, flush=True)
        if code != -signal.SIGKILL:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
