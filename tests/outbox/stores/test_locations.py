"""Where outboxes are and what their files are called, so that nobody gets another's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.outbox import (
    DirectoryEntryStore,
    EntryState,
    outbox_counts,
    outbox_directory,
)
from tests.outbox.scripted import an_entry

ADDRESS = "https://store.example/v1"


@pytest.mark.parametrize(
    ("address", "is_same"),
    [
        ("HTTPS://STORE.example/v1", True),
        ("https://store.example:443/v1", True),
        ("http://store.example/v1", False),
        ("https://store.example:4433/v1", False),
        ("https://store.example/V1", False),
        ("https://store.example:80/v1", False),
        ("/home/ann/https:/store.example/v1", False),
    ],
)
def test_an_address_has_one_outbox_however_it_is_written(address: str, *, is_same: bool) -> None:
    ours = outbox_directory(STATE, "ann", "shop", ADDRESS)
    assert (outbox_directory(STATE, "ann", "shop", address) == ours) == is_same


def test_what_did_not_go_out_for_a_former_address_of_the_profile_is_mentioned(
    tmp_path: Path,
) -> None:
    former = outbox_directory(tmp_path, "ann", "shop", "https://old.example/v1")
    for profile, number, state in (
        ("shop", 1, EntryState.WAITING),
        ("shop", 2, EntryState.WAITING),
        ("shop", 3, EntryState.ADDED),
        ("shop-two", 4, EntryState.WAITING),
    ):
        store = DirectoryEntryStore(
            outbox_directory(tmp_path, "ann", profile, "https://old.example/v1")
        )
        store.add(an_entry("Rex", state, key=f"0000000000000000000{number}-00000000"))
        store.close()
    store = DirectoryEntryStore(outbox_directory(tmp_path, "ann", "shop", ADDRESS))
    assert store.load().problems == (
        f"2 animals typed for another address of this profile did not go out: {former}",
    )
    assert store.load().entries == ()
    store.close()


def test_an_unknown_entry_that_a_copy_replaces_is_not_counted(tmp_path: Path) -> None:
    arguments = (tmp_path, "ann", "shop", ADDRESS)
    store = DirectoryEntryStore(outbox_directory(*arguments))
    for number, state in ((1, EntryState.UNKNOWN), (2, EntryState.UNKNOWN), (3, EntryState.ADDED)):
        store.add(an_entry(state=state, key=f"0000000000000000000{number}-00000000"))
    store.add(
        an_entry(key="00000000000000000004-00000000", replaces="00000000000000000001-00000000")
    )
    assert outbox_counts(*arguments).entries == {"added": 1, "unknown": 1, "waiting": 1}
    assert len(store.load().entries) == 3
    store.close()


any_text = st.text(st.characters(exclude_categories=()))
STATE = Path("/state")


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


def test_a_long_name_is_cut_and_still_its_own() -> None:
    one = outbox_directory(STATE, "x" * 5000 + "a", "p", ADDRESS).parent.name
    other = outbox_directory(STATE, "x" * 5000 + "b", "p", ADDRESS).parent.name
    assert one != other
    assert len(one) <= 120


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
