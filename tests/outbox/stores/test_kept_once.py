"""Each animal stands in one place at any moment, and several are kept all or not at all."""

from __future__ import annotations

import errno
import math
import os
import re
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.models.pets import NewPet
from pettui.outbox.entries import Draft, EntryState, OutboxError, Refusal
from pettui.outbox.owners import ssh_owner
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.outbox.scripted import ScriptedClient, an_entry
from tests.small_disks import as_root, full_disk, mounted
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.outbox.entries import EntryStore
    from pettui.outbox.outbox import Outbox
    from pettui.outbox.stores.postgres import PostgresOwners
    from tests.outbox.conftest import MakeOutbox, OpenStore

    MakeStore = Callable[[], EntryStore]
    Step = Callable[[EntryStore], object]


@pytest.fixture(params=["memory", "directory", "postgres"])
def make(request: pytest.FixtureRequest, open_store: OpenStore) -> MakeStore:
    """Return the store as an earlier instance left it."""
    if request.param == "postgres":
        owners: PostgresOwners = request.getfixturevalue("owners_in_postgres")
        return owners.of(ssh_owner("SHA256:ann")).open
    memory = MemoryEntryStore()
    return open_store if request.param == "directory" else lambda: memory


def animals(store: EntryStore) -> tuple[list[str], list[str]]:
    """Return the names in the outbox, and those of the drafts."""
    kept = store.drafts
    drafts = [kept[number].name for number in sorted(kept) if kept[number].is_typed]
    return [entry.name for entry in store.load().entries], drafts


REX, REXY = an_entry(), an_entry("Rexy", number=2)
REFUSED = an_entry("Bad", EntryState.REFUSED, 6, refusal=Refusal("no"))
CORRECTED = an_entry("Good", number=6)
SENDING = CORRECTED.becoming(EntryState.SENDING)
ADDED = SENDING.becoming(EntryState.ADDED, pet_id=1)
BAD = Draft("Bad", "3")
COPY = Draft("Good", "3", copy_of=REFUSED.entry_id)
OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir")
NAMES = ["Bim", "Bam", "Tim"]
PASTED = [an_entry(name, number=number) for number, name in enumerate(NAMES, 3)]


# What is done, and which animals stand where afterwards: in the outbox, and as drafts.
STEPS: tuple[tuple[Step, list[str], list[str]], ...] = (
    (lambda store: store.keep_draft(0, Draft("Rex", "03")), [], ["Rex"]),
    (lambda store: store.add(REX, draft=0), ["Rex"], []),
    (lambda store: store.keep_draft(0, Draft("", "3", is_kept=True)), ["Rex"], []),
    (lambda store: store.keep_draft(0, Draft("Mi", "3")), ["Rex"], ["Mi"]),
    (lambda store: store.take_back(REX, 1), [], ["Mi", "Rex"]),
    (lambda store: store.keep_draft(1, Draft("Rexy", "3")), [], ["Mi", "Rexy"]),
    (lambda store: store.add(REXY, draft=1), ["Rexy"], ["Mi"]),
    (lambda store: store.keep_draft(1, Draft("", "3", is_kept=True)), ["Rexy"], ["Mi"]),
    (lambda store: store.take_back(REXY, 1), [], ["Mi", "Rexy"]),
    (lambda store: store.keep_draft(1, Draft()), [], ["Mi"]),
    (lambda store: store.keep_draft(2, Draft("Ka", "4")), [], ["Mi", "Ka"]),
    (lambda store: store.keep_draft(2, Draft()), [], ["Mi"]),
    (lambda store: [*store.add_all(PASTED)], NAMES, ["Mi"]),
    (lambda store: store.keep_draft(2, BAD), NAMES, ["Mi", "Bad"]),
    (lambda store: store.add(REFUSED, draft=2), [*NAMES, "Bad"], ["Mi"]),
    # A copy leaves it where it is, cleared or not; once that is kept, it has its place …
    (lambda store: store.keep_draft(1, COPY), [*NAMES, "Bad"], ["Mi", "Good"]),
    (lambda store: store.keep_draft(1, Draft()), [*NAMES, "Bad"], ["Mi"]),
    (lambda store: store.keep_draft(1, COPY), [*NAMES, "Bad"], ["Mi", "Good"]),
    (lambda store: store.change(REFUSED, CORRECTED, draft=1), [*NAMES, "Good"], ["Mi"]),
    # … and is a draft like any other when it is taken back.
    (lambda store: store.take_back(CORRECTED, 1), NAMES, ["Mi", "Good"]),
    (lambda store: store.add(CORRECTED, draft=1), [*NAMES, "Good"], ["Mi"]),
    (lambda store: store.change(CORRECTED, SENDING), [*NAMES, "Good"], ["Mi"]),
    (lambda store: store.change(SENDING, ADDED), [*NAMES, "Good"], ["Mi"]),
    (lambda store: store.remove(ADDED), NAMES, ["Mi"]),
    # One that was not edited has no file before.
    (lambda store: store.keep_draft(2, BAD), NAMES, ["Mi", "Bad"]),
    (lambda store: store.add(REFUSED, draft=2), [*NAMES, "Bad"], ["Mi"]),
    (lambda store: store.change(REFUSED, CORRECTED, draft=1), [*NAMES, "Good"], ["Mi"]),
)


def test_after_each_step_each_animal_is_where_it_belongs(make: MakeStore) -> None:
    store = make()
    for number, (step, entries, drafts) in enumerate(STEPS):
        step(store)
        assert animals(store) == (entries, drafts), f"after step {number}"


def take_steps(directory: Path, operation: int) -> None:
    calls = count(1)

    def die(event: str, arguments: tuple[object, ...]) -> None:
        is_one = event in OPERATIONS and str(arguments[0]).startswith(str(directory))
        if is_one and next(calls) == operation:
            os.kill(os.getpid(), signal.SIGKILL)

    store = DirectoryEntryStore(directory)
    sys.addaudithook(die)
    for step, _, _ in STEPS:
        step(store)
        print(end=".", flush=True)
    os._exit(0)


def die_before_each_operation(root: Path) -> None:
    """Take the steps in processes that die, each in a folder named by the operation before which.

    A line for each is a dot for each step that was done, and the exit code. The last one comes to the
    end of the steps.
    """
    for operation in count(1):
        if not (child := os.fork()):
            take_steps(root / str(operation), operation)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        print(code, flush=True)
        if code != -signal.SIGKILL:
            return


def test_at_every_moment_at_which_it_dies_each_animal_is_there_once(tmp_path: Path) -> None:
    """Killed before each of its file operations, until it comes to its end."""
    program = f"from {__name__} import *; die_before_each_operation(Path({str(tmp_path)!r}))"
    written = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    lives = re.findall(r"(\.*)(-9|0)\n", written)
    for operation, (steps, _) in enumerate(lives, 1):
        done = len(steps)
        store = DirectoryEntryStore(directory := tmp_path / str(operation))
        store.take_over_drafts()
        before = STEPS[done - 1][1:] if done else ([], [])
        after = STEPS[min(done, len(STEPS) - 1)][1:]
        assert animals(store) in (before, after), f"before operation {operation}"
        assert [*directory.glob("*.prepared")] == []
        store.close()
    assert [code for _, code in lives] == ["-9"] * (len(lives) - 1) + ["0"]
    assert len(lives) > 3 * len(STEPS)


def test_the_drafts_of_all_ended_instances_are_taken_over(
    store: DirectoryEntryStore, directory: Path
) -> None:
    """Those of a version that made of a refused entry a draft too; a damaged one costs no other."""
    directory.mkdir(parents=True)
    content = {
        f"{'a' * 16}.draft.json": '{"name": "Rex", "category": "3", "typed_at": 20.0}',
        f"{'a' * 16}.1.draft.json": '{"name": "Mi", "category": "9", "is_refused": true}',
        f"{'b' * 16}.draft.json": '{"name": "", "category": "7", "is_kept": true}',
        f"{'b' * 16}.1.draft.json": '{"name": "Mi',
        f"{'b' * 16}.2.draft.json": '{"name": "Ti", "category_id": 5, "error": "400", "due": 1.0}',
    }
    for name, text in content.items():
        (directory / name).write_text(text)
    store.take_over_drafts()
    taken = {(draft.name, draft.category) for draft in store.drafts.values()}
    assert taken == {("Rex", "3"), ("Mi", "9"), ("", "7"), ("Ti", "5")}
    assert len(store.load().problems) == 1
    store.close()
    later = DirectoryEntryStore(directory)
    later.take_over_drafts()
    assert {(draft.name, draft.category) for draft in later.drafts.values()} == taken
    later.close()


def test_a_draft_that_cannot_be_an_entry_stays_a_draft(
    store: DirectoryEntryStore, directory: Path
) -> None:
    """The directory is gone from under it, and a file stands in its place."""
    store.keep_draft(0, Draft("Rex", "3"))
    directory.rename(directory.with_name("moved"))
    directory.write_text("no directory")
    with pytest.raises(OutboxError, match="cannot keep Rex"):
        store.add(REX, draft=0)
    assert store.drafts == {0: Draft("Rex", "3")}
    directory.unlink()
    directory.with_name("moved").rename(directory)
    store.add(REX, draft=0)
    assert animals(store) == (["Rex"], [])


def pets(count: int, name: str = "Rex") -> list[NewPet]:
    return [NewPet(name=f"{name} {number}", category_id=3) for number in range(count)]


def test_what_another_running_instance_prepares_is_left_alone(
    store: DirectoryEntryStore, other: DirectoryEntryStore
) -> None:
    entries = [an_entry(number=number) for number in range(1, 26)]
    for _ in store.add_all(entries):
        assert other.load().entries == ()
    assert [entry.owned_elsewhere for entry in other.load().entries] == [True] * 25
    assert store.change(entries[0], entries[0].becoming(EntryState.SENDING))


async def test_many_are_sent_in_their_order_and_each_once(
    kept_outbox: Outbox, client: ScriptedClient
) -> None:
    entries = await kept_outbox.add_all(pets(20))
    await until(lambda: len(kept_outbox.added_here) == 20)
    assert [pet.name for pet in client.sent] == [entry.name for entry in entries]
    assert kept_outbox.typed_here == {entry.entry_id for entry in entries}


@as_root
async def test_a_disk_that_is_full_in_the_middle_keeps_none(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    with mounted("size=300k") as disk:
        directory = disk / "outbox"
        outbox = make_outbox(DirectoryEntryStore(directory))
        with pytest.raises(OutboxError, match="the disk is full"):
            await outbox.add_all(pets(120, "x" * 3000))
        assert outbox.entries == ()
        assert list(directory.glob("*.json*")) == []
        await outbox.add_all(pets(3))
        with full_disk(disk), pytest.raises(OutboxError, match="the disk is full"):
            await outbox.add_all(pets(2, "Mimi"))
        await until(lambda: len(outbox.added_here) == 3)
        assert [pet.name for pet in client.sent] == ["Rex 0", "Rex 1", "Rex 2"]
        await outbox.close()


@pytest.mark.parametrize("renamed", [0, 2])
async def test_many_whose_files_an_error_kept_from_their_names_are_sent_all_the_same(
    make_outbox: MakeOutbox,
    client: ScriptedClient,
    directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    renamed: int,
) -> None:
    """They are kept by then: nobody is told that they are not, and the next look finishes them."""
    rename, done = Path.rename, []

    def failing(path: Path, new: Path) -> Path:
        if path.name.endswith(".prepared"):
            done.append(new)
            if len(done) == renamed + 1:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(path, new)

    monkeypatch.setattr(Path, "rename", failing)
    outbox = make_outbox(DirectoryEntryStore(directory))
    await outbox.add_all(pets(3))
    await until(lambda: len(outbox.added_here) == 3)
    assert sorted(pet.name for pet in client.sent) == ["Rex 0", "Rex 1", "Rex 2"]
    await outbox.close()
    assert len(DirectoryEntryStore(directory).load().entries) == 3


async def test_a_draft_that_is_taken_over_is_not_replaced_by_what_is_typed_just_then(
    open_store: OpenStore, make_outbox: MakeOutbox
) -> None:
    store, other = open_store(), open_store()
    drafts = make_outbox(store, look_every=math.inf).drafts
    await drafts.keep(Draft("Rex"))
    await drafts.put_aside_for()
    other.keep_draft(0, Draft("Mimi"))
    other.close()
    drafts._put(Draft("Pollux"))  # and is written a moment later
    await drafts.load_late()
    await drafts.write()
    assert sorted(draft.name for draft in store.drafts.values()) == ["Mimi", "Pollux", "Rex"]
    assert sorted(draft.name for draft in drafts.all) == ["Mimi", "Pollux", "Rex"]
