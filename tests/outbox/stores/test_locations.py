"""One outbox a service, however its address is written, and what each one holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.outbox import (
    DirectoryEntryStore,
    EntryState,
    outbox_counts,
    outbox_directory,
)
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
    """As it is in no list either."""
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
