"""The idempotency key of an entry follows from the entry alone."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from pettui.outbox.entries import EntryState, Refusal, next_entry_id
from pettui.outbox.sending import idempotency_key, random_key
from tests.outbox.scripted import STORE, an_entry

REX = an_entry(entry_id="01700000000123456789-0a1b2c3d")


def test_a_key_is_a_uuid_of_version_7_whose_time_is_the_entrys_own() -> None:
    key = UUID(idempotency_key(REX))
    assert str(key) == idempotency_key(REX)
    assert (key.version, key.variant) == (7, "specified in RFC 4122")
    assert key.int >> 80 == 1_700_000_000_123


def test_keys_sort_as_their_entries_were_typed() -> None:
    ids = [next_entry_id(1_700_000_000 + number / 100, "") for number in range(100)]
    keys = [idempotency_key(replace(REX, entry_id=entry_id)) for entry_id in ids]
    assert keys == sorted(keys)


@pytest.mark.parametrize(
    "other",
    [
        {"name": "Rex "},
        {"category_id": 4},
        {"status": "sold"},
        {"entry_id": "01700000000123456789-0a1b2c3e"},
    ],
    ids=str,
)
def test_another_animal_has_another_key(other: dict[str, object]) -> None:
    assert idempotency_key(replace(REX, **other)) != idempotency_key(REX)


def test_nothing_else_of_an_entry_changes_its_key() -> None:
    other = replace(
        REX,
        state=EntryState.SENDING,
        due=9.0,
        refusal=Refusal("cut"),
        store_id=STORE,
        own_key="salt:digest",
    )
    assert idempotency_key(other) == idempotency_key(REX)


def test_the_key_of_an_entry_is_the_same_for_ever() -> None:
    """Another one would double what an earlier version sent."""
    entry = an_entry(
        "Zoë \U0001f439 \udcff", status="sold", entry_id="01700000000123456789-0a1b2c3d"
    )
    assert idempotency_key(entry) == "018bcfe5-687b-722e-9290-870c40fe9397"


def test_a_key_that_asks_is_never_the_same() -> None:
    assert random_key() != random_key()
