"""Directories and files of the outbox are called so that nobody gets another's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.outbox import DirectoryEntryStore, EntryState, outbox_directory
from tests.outbox.scripted import an_entry

any_text = st.text(st.characters(exclude_categories=()))
STATE = Path("/state")
ADDRESS = "https://store.example/v1"


@given(owner=any_text, profile=any_text)
def test_whatever_the_owner_and_the_profile_are_called_it_is_two_levels_down(
    owner: str, profile: str
) -> None:
    directory = outbox_directory(STATE, owner, profile, ADDRESS)
    assert directory.parent.parent == STATE / "outbox"
    assert ".." not in directory.parts
    assert all(0 < len(part) <= 255 for part in directory.parts)


@given(one=any_text, other=any_text)
def test_two_owners_never_share_a_directory_even_where_case_does_not_count(
    one: str, other: str
) -> None:
    first = str(outbox_directory(STATE, one, "staging", ADDRESS)).casefold()
    second = str(outbox_directory(STATE, other, "staging", ADDRESS)).casefold()
    assert (first == second) == (one == other)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a\0b", "Ann", "ann ", "日本", "%"])
def test_a_name_that_means_something_to_a_file_system_is_written_in_other_characters(
    name: str,
) -> None:
    part = outbox_directory(STATE, name, "staging", ADDRESS).parent.name
    assert part != name or name == "%"
    assert part.isascii()
    assert "/" not in part


def test_a_long_name_is_cut_and_still_its_own() -> None:
    one = outbox_directory(STATE, "x" * 5000 + "a", "p", ADDRESS).parent.name
    other = outbox_directory(STATE, "x" * 5000 + "b", "p", ADDRESS).parent.name
    assert one != other
    assert len(one) <= 120


@pytest.mark.parametrize("state", EntryState)
def test_the_name_of_a_file_says_key_instance_and_state(
    store: DirectoryEntryStore, directory: Path, state: EntryState
) -> None:
    store.add(an_entry(state=state, key="00000000000000000001-0123abcd"))
    [lock] = directory.glob("*.lock")
    [path] = directory.glob("*.json")
    assert path.name == f"00000000000000000001-0123abcd.{lock.stem}.{state.value}.json"


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        "00000000000000000001-0123abcd.0123456789abcdef.lost.json",
        "00000000000000000001-0123abcd.0123456789abcdef.waiting.json.damaged",
        "0000000000000000000١-0123abcd.0123456789abcdef.waiting.json",
        "00000000000000000001-0123abcd.0123456789abcdef.waiting.json\n",
    ],
)
def test_a_file_of_another_name_is_no_entry(
    store: DirectoryEntryStore, directory: Path, name: str
) -> None:
    directory.mkdir(parents=True)
    (directory / name).write_text("theirs")
    assert store.load().entries == ()
    assert [path.name for path in directory.iterdir()] == [name]
