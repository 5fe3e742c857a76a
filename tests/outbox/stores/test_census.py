"""What people have in a database is counted in one statement, as the outboxes themselves show it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from pettui.outbox import Census, Draft, EntryState, Refusal, ssh_owner
from tests.outbox.scripted import an_entry

if TYPE_CHECKING:
    from pettui.outbox.stores.postgres import PostgresPeople

SECOND = 1_000_000_000


def test_people_in_a_database_are_counted_without_what_others_replace(
    people_in_postgres: PostgresPeople,
) -> None:
    assert people_in_postgres.census() == Census(0, 0, 0, None)
    refused = an_entry(state=EntryState.REFUSED, number=3 * SECOND, refusal=Refusal("no"))
    unknown = an_entry(state=EntryState.UNKNOWN, number=2 * SECOND)
    entries = {
        "anna": [
            an_entry(number=5 * SECOND),
            an_entry(state=EntryState.ADDED, number=8 * SECOND, pet_id=1),
            an_entry(number=1 * SECOND, own_key="salt:digest"),
        ],
        "ben": [unknown, refused, an_entry(number=6 * SECOND)],
    }
    for name, own in entries.items():
        owner = people_in_postgres.of(ssh_owner(f"SHA256:{name}"))
        with closing(owner.open()) as store:
            store.load()
            store.keep_draft(1, Draft("Half" if name == "anna" else ""))
            for entry in own:
                store.add(entry)
    assert people_in_postgres.census() == Census(waiting=3, refused=1, unknown=1, oldest=5.0)
    anna, ben = (each.summary() for each in people_in_postgres.owners())
    assert anna.not_added == {"waiting": 2}
    assert ben.not_added == {"waiting": 1, "refused": 1, "unknown": 1}
    assert (anna.profile, anna.drafts, anna.has_own_key, ben.has_own_key) == (
        "shop",
        1,
        True,
        False,
    )
