"""Drafts lie on a stack, and each animal stands in one place at any moment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import DirectoryEntryStore, Draft, EntryState, MemoryEntryStore, OutboxError
from tests.outbox.stores.dying_process import LOST, MADE_OF_IT, SENDING, STEPS, an_entry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pettui.outbox import EntryStore

    MakeStore = Callable[[], EntryStore]

REX, MIMI, TINY = an_entry(1, "Rex"), an_entry(2, "Mimi"), an_entry(3, "Tiny")
LEFT = Draft("", "3", "sold", is_kept=True)  # by an add


@pytest.fixture(params=["memory", "directory"])
def make(request: pytest.FixtureRequest, directory: Path) -> MakeStore:
    """Return the store as an earlier instance left it."""
    memory = MemoryEntryStore()
    return lambda: memory if request.param == "memory" else DirectoryEntryStore(directory)


def animals(store: EntryStore) -> tuple[list[str], list[str]]:
    """Return the names in the outbox, and those of the drafts."""
    drafts = [draft.name for draft in store.draft_stack if draft.is_typed]
    return [entry.name for entry in store.load().entries], drafts


def test_at_every_moment_at_which_it_dies_each_animal_is_there_once(tmp_path: Path) -> None:
    """Killed before each of its file operations, until it comes to its end."""
    process = [sys.executable, "-m", "tests.outbox.stores.dying_process", tmp_path]
    written = subprocess.run(process, stdout=subprocess.PIPE, text=True, check=True).stdout
    lives = re.findall(r"(\.*)(-9|0)\n", written)
    for operation, (steps, _) in enumerate(lives, 1):
        done = len(steps)
        store = DirectoryEntryStore(tmp_path / str(operation))
        store.take_over_draft()
        before = STEPS[done - 1][1:] if done else ([], [])
        after = STEPS[min(done, len(STEPS) - 1)][1:]
        assert animals(store) in (before, after), f"before operation {operation}"
        store.close()
    assert [code for _, code in lives] == ["-9"] * (len(lives) - 1) + ["0"]
    assert len(lives) > 3 * len(STEPS)


def test_a_copy_leaves_the_unknown_entry_until_it_is_kept_and_then_takes_its_place(
    make: MakeStore,
) -> None:
    """One that is taken back or forgotten gives the place back, unless it may be stored."""
    store = make()
    store.add(LOST)
    store.begin_draft(LOST.copy())
    assert animals(store) == (["Lost"], ["Lost"])
    for leaves, drafts in ((store.take_out, ["Found"]), (store.remove, [])):
        store.add(MADE_OF_IT, was_draft=True)
        assert animals(store) == (["Found"], [])
        assert leaves(MADE_OF_IT)
        assert animals(store) == (["Lost"], drafts)
        assert [draft.copy_of for draft in store.draft_stack if draft.is_typed] == [
            LOST.key for _ in drafts
        ]
    store.add(MADE_OF_IT)
    assert store.change(MADE_OF_IT, SENDING)
    refused = SENDING.becoming(EntryState.REFUSED, error="no")
    assert store.change(SENDING, refused)
    assert animals(store) == (["Found"], [])
    assert store.take_out(refused)
    assert animals(store) == (["Lost"], ["Found"])
    store.add(MADE_OF_IT, was_draft=True)
    assert store.change(MADE_OF_IT, SENDING)
    assert store.change(SENDING, SENDING.becoming(EntryState.UNKNOWN, error="no response"))
    assert store.remove(store.load().entries[0])
    assert animals(store) == ([], [])
    store.close()


def test_what_is_taken_out_lies_above_what_is_typed_and_then_uncovers_it(make: MakeStore) -> None:
    store = make()
    for entry in (REX, MIMI):
        store.add(entry)
    store.keep_draft(Draft("Ti", "7"))
    assert store.take_out(MIMI)
    assert store.take_out(REX)
    assert store.draft_stack == (Draft("Ti", "7"), Draft("Mimi", "3"), Draft("Rex", "3"))
    store.add(TINY, was_draft=True)
    assert store.draft_stack == (Draft("Ti", "7"), Draft("Mimi", "3"))
    store.drop_draft()
    assert store.draft_stack == (Draft("Ti", "7"),)
    store.drop_draft()
    assert store.draft_stack == (Draft(),)
    store.close()


def test_a_draft_that_is_begun_lies_above_what_is_typed_and_in_place_of_what_is_not(
    make: MakeStore,
) -> None:
    store = make()
    store.keep_draft(Draft("Ti", "7"))
    store.begin_draft(LEFT)
    assert store.draft_stack == (Draft("Ti", "7"), LEFT)
    store.begin_draft(Draft("", "5", is_kept=True))
    assert store.draft_stack == (Draft("Ti", "7"), Draft("", "5"))
    store.drop_draft()
    assert store.draft_stack == (Draft("Ti", "7"),)
    store.close()


@pytest.mark.parametrize("typed", [Draft("Mi"), Draft("", "7"), Draft("", "", "sold")], ids=str)
def test_whatever_was_typed_is_put_aside(make: MakeStore, typed: Draft) -> None:
    """A category or a status alone too."""
    store = make()
    store.add(REX)
    store.keep_draft(typed)
    assert store.take_out(REX)
    assert store.draft_stack == (typed, Draft("Rex", "3"))
    store.close()


def test_the_whole_stack_comes_back_at_the_next_start(make: MakeStore) -> None:
    store = make()
    store.add(REX)
    store.keep_draft(Draft("Mi", "7", "sold"))
    store.take_out(REX)
    store.close()
    later = make()
    assert later.take_over_draft() == Draft("Rex", "3")
    assert later.draft_stack == (Draft("Mi", "7", "sold"), Draft("Rex", "3"))
    later.drop_draft()
    later.close()
    assert make().take_over_draft() == Draft("Mi", "7", "sold")


def test_what_an_add_left_is_known_as_that_at_the_next_start(make: MakeStore) -> None:
    """So that the category is replaced then too, and is no half-typed animal."""
    store = make()
    store.keep_draft(LEFT)
    store.close()
    later = make()
    assert later.take_over_draft().is_kept
    assert not later.take_over_draft().is_typed
    later.close()


def test_what_an_add_left_hides_nothing_that_was_typed_elsewhere(directory: Path) -> None:
    """Of two windows that ended one held half an animal, the later one what an add leaves."""
    typing, adding = DirectoryEntryStore(directory), DirectoryEntryStore(directory)
    typing.keep_draft(Draft("Re", "3"))
    adding.keep_draft(LEFT)
    typing.close()
    adding.close()
    later = DirectoryEntryStore(directory)
    assert later.take_over_draft() == Draft("Re", "3")
    assert later.draft_stack == (Draft("Re", "3"),)
    later.close()
    assert DirectoryEntryStore(directory).take_over_draft() == Draft("Re", "3")


def test_what_the_last_add_left_is_gone_on_with_where_nothing_was_typed(directory: Path) -> None:
    """And not what an earlier window's left."""
    earlier, last = DirectoryEntryStore(directory), DirectoryEntryStore(directory)
    earlier.keep_draft(Draft("", "7", is_kept=True))
    last.keep_draft(LEFT)
    for path in directory.glob("*.draft.json"):
        seconds = 2e9 if '"category": "3"' in path.read_text() else 1e9
        os.utime(path, (seconds, seconds))
    earlier.close()
    last.close()
    assert DirectoryEntryStore(directory).take_over_draft() == LEFT


def test_a_damaged_draft_costs_no_other_of_the_stack(
    store: DirectoryEntryStore, directory: Path
) -> None:
    directory.mkdir(parents=True)
    (directory / f"{'a' * 16}.draft.json").write_text('{"name": "Rex", "category": "3"}')
    (directory / f"{'a' * 16}.1.draft.json").write_text('{"name": "Mi')
    assert store.take_over_draft() == Draft("Rex", "3")
    store.load()
    store.keep_draft(Draft("Rexy", "3"))
    assert store.draft_stack == (Draft("Rexy", "3"),)
    assert len(store.load().problems) == 1


def test_the_stacks_of_two_ended_instances_stay_two(directory: Path) -> None:
    """The one that was typed last comes back, the other at a later start."""
    for number, name in enumerate("ab"):
        for place in ("", ".1"):
            path = directory / f"{name * 16}{place}.draft.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'{{"name": "{name}{place}", "category": "3"}}')
            os.utime(path, (number, number))
    for expected in (["b", "b.1"], ["a", "a.1"]):
        store = DirectoryEntryStore(directory)
        store.take_over_draft()
        assert animals(store)[1] == expected
        store.drop_draft()
        store.drop_draft()
        store.close()


def test_a_draft_that_cannot_be_an_entry_stays_a_draft(
    store: DirectoryEntryStore, directory: Path
) -> None:
    """The directory is gone from under it, and a file stands in its place."""
    store.keep_draft(Draft("Rex", "3"))
    directory.rename(directory.with_name("moved"))
    directory.write_text("no directory")
    with pytest.raises(OutboxError, match="cannot keep Rex"):
        store.add(REX, was_draft=True)
    assert store.draft_stack == (Draft("Rex", "3"),)
    directory.unlink()
    directory.with_name("moved").rename(directory)
    store.add(REX, was_draft=True)
    assert animals(store) == (["Rex"], [])
