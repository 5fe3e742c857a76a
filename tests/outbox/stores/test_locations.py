"""One outbox a service, however its address is written; what older versions kept is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.outbox import (
    DirectoryEntryStore,
    Draft,
    EntryState,
    find_directory,
    outbox_directory,
)
from pettui.outbox.stores.file_names import directory_of
from tests.outbox.scripted import an_entry

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "https://store.example/v1"
SAME = [
    "https://store.example/v1",
    "https://STORE.example/v1",
    "HTTPS://store.example/v1",
    "https://store.example:443/v1",
    "https://Store.Example:443/v1",
]
OTHERS = [
    "http://store.example/v1",
    "https://store.example:8443/v1",
    "https://store.example:4433/v1",
    "https://store.example/V1",
    "https://store.example:80/v1",
    "/home/ann/https:/store.example/v1",
]


@pytest.mark.parametrize("address", SAME)
def test_all_ways_to_write_an_address_have_one_outbox(tmp_path: Path, address: str) -> None:
    assert outbox_directory(tmp_path, "ann", "shop", address) == outbox_directory(
        tmp_path, "ann", "shop", ADDRESS
    )


@pytest.mark.parametrize("address", OTHERS)
def test_another_address_has_another_outbox(tmp_path: Path, address: str) -> None:
    ours = outbox_directory(tmp_path, "ann", "shop", ADDRESS)
    assert outbox_directory(tmp_path, "ann", "shop", address) != ours


@pytest.mark.parametrize("written", SAME)
def test_what_an_older_version_kept_under_an_address_as_it_was_written_is_found(
    tmp_path: Path, written: str
) -> None:
    former = DirectoryEntryStore(directory_of(tmp_path, "ann", "shop", written))
    former.add(an_entry())
    former.keep_draft(Draft("Mi"))
    former.close()
    store = DirectoryEntryStore(find_directory(tmp_path, "ann", "shop", written))
    assert [entry.name for entry in store.load().entries] == ["Rex"]
    assert store.take_over_draft() == Draft("Mi")
    store.close()


def test_what_was_kept_with_the_port_is_found_without_it(tmp_path: Path) -> None:
    former = DirectoryEntryStore(directory_of(tmp_path, "ann", "shop", f"{SAME[3]}"))
    former.add(an_entry())
    former.close()
    store = DirectoryEntryStore(find_directory(tmp_path, "ann", "shop", ADDRESS))
    assert [entry.name for entry in store.load().entries] == ["Rex"]
    store.close()


def test_two_outboxes_of_one_service_become_one_and_running_instances_keep_theirs(
    tmp_path: Path,
) -> None:
    ours = DirectoryEntryStore(outbox_directory(tmp_path, "ann", "shop", ADDRESS))
    ours.add(an_entry("Mimi", key="00000000000000000002-00000000"))
    ours.close()
    living = DirectoryEntryStore(directory_of(tmp_path, "ann", "shop", SAME[1]))
    living.add(an_entry())
    store = DirectoryEntryStore(find_directory(tmp_path, "ann", "shop", SAME[1]))
    entries = store.load().entries
    assert [(entry.name, entry.owned_elsewhere) for entry in entries] == [
        ("Rex", True),
        ("Mimi", False),
    ]
    store.close()
    living.close()


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
