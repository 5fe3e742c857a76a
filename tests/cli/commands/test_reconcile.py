"""``pettui outbox reconcile``: a store was restored to an earlier state."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pettui.models.pets import Pet
from pettui.outbox.entries import Author, Entry, EntryState
from pettui.outbox.receipts import RECEIPTS, Added, FileReceipts, Source
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.cli.commands.conftest import json_lines
from tests.cli.commands.shop_service import REFUSE, Shop
from tests.client.hostile.server import http
from tests.outbox.on_disk import entries_in, entry_counts
from tests.outbox.scripted import an_entry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Run

LONG_AGO = "2001-01-01"
STORE, OTHER = "0" * 32, "f" * 32


def became(output: str) -> list[tuple[str, str, int | None, int]]:
    """Return what lines say: the name, what became of it, its id, and that before."""
    rows = json_lines(output)
    return [(row["name"], row["became"], row["id"], row["former_id"]) for row in rows]


@pytest.fixture
def call(on_profile: Run, shop: Shop) -> Run:
    """Runs the program on the profile of the shop, which adds once what comes with a key."""
    shop.store_id = STORE
    return on_profile


@pytest.fixture
def directory(outbox_of: Callable[..., Path]) -> Path:
    return outbox_of()


def send(call: Run, directory: Path, *entries: Entry) -> Any:
    """Send animals from an outbox."""
    with closing(DirectoryEntryStore(directory)) as store:
        for entry in entries:
            store.add(entry)
    sent = call(
        "outbox", "send", "--json", *(["--users"] if "ssh" in str(directory.parent) else [])
    )
    assert sent.returncode == 0
    return sent


def an_entry_now(name: str, **more: Any) -> Entry:
    return an_entry(name, entry_id=f"{time.time_ns():020d}-00000000", **more)


def now() -> str:
    return datetime.now(UTC).isoformat()


def test_what_the_restored_store_lacks_is_added_once_and_keeps_its_new_id(
    call: Run, shop: Shop, directory: Path
) -> None:
    send(call, directory, an_entry_now("Early"))
    since = now()
    send(call, directory, an_entry_now("Castor"), an_entry_now("Pollux"))
    shop.restore(1)
    shop.add_from_elsewhere("Stranger")  # has the id that Castor had
    reconciled = call("outbox", "reconcile", "--since", since, "--json")
    assert became(reconciled.stdout) == [("Castor", "added", 3, 2), ("Pollux", "added", 4, 3)]
    assert reconciled.stderr == "notice: 0 animals there, 2 added again\n"
    assert reconciled.returncode == 0
    every = call("outbox", "reconcile", "--since", LONG_AGO, "--json")
    assert became(every.stdout) == [
        ("Early", "there", 1, 1), ("Castor", "there", 3, 3), ("Pollux", "there", 4, 4),
    ]  # fmt: skip
    assert shop.names == ["Early", "Stranger", "Castor", "Pollux"]


def test_reconciled_and_sent_animals_are_printed_with_the_fields_of_an_audit(
    call: Run, shop: Shop, outbox_of: Callable[..., Path]
) -> None:
    since = now()
    author = Author("anna", "anna@till", "SHA256:ann", "192.0.2.1", 7, "ann")
    entry = an_entry_now("Castor", author=author)
    directory = outbox_of("ssh SHA256:ann")
    directory.mkdir(parents=True)
    (directory / "user.json").write_text('{"name": "anna", "fingerprint": "SHA256:ann"}')
    sent = send(call, directory, entry)
    shop.restore()
    shop.add_from_elsewhere("Stranger")
    again = call("outbox", "reconcile", "--users", "--since", since, "--json")
    [first], [second] = json_lines(sent.stdout), json_lines(again.stdout)
    assert (first["id"], second["former_id"], second["id"]) == (1, 1, 2)
    for row in (first, second):
        assert row["key"] == entry.entry_id
        assert (row["user"], row["fingerprint"]) == ("anna", "SHA256:ann")
        assert row["typed_by"] == author._asdict()


def test_what_a_window_has_open_is_added_too_and_its_entry_stays_as_it_is(
    call: Run, shop: Shop, directory: Path
) -> None:
    since = now()
    send(call, directory, an_entry_now("Castor"))
    shop.restore()
    shop.add_from_elsewhere("Stranger")
    with closing(DirectoryEntryStore(directory)) as window:
        [entry] = window.load().entries
        reconciled = call("outbox", "reconcile", "--since", since, "--json")
        assert became(reconciled.stdout) == [("Castor", "added", 2, 1)]
        assert [each.pet_id for each in entries_in(directory)] == [entry.pet_id]
    assert shop.names == ["Stranger", "Castor"]


@pytest.fixture
def outbox(directory: Path) -> Path:
    """An outbox of the shop, with animals that a store said it added, and others."""
    with closing(DirectoryEntryStore(directory)) as store:
        for number, (name, store_id) in enumerate(
            [("Rex", STORE), ("Max", STORE), ("Leo", None), ("Ida", OTHER)], 1
        ):
            entry = an_entry(name, number=number)
            store.add(entry)
            added = replace(entry.becoming(EntryState.ADDED, pet_id=number), sent_at=time.time())
            store.change(entry, replace(added, store_id=store_id))
        waiting = an_entry("Mimi", number=9)
        store.add(waiting)
    pets = [
        Pet(id=70 + number, name=f"Gone {number}", category_id=3, status=None)
        for number in range(3)
    ]
    records = zip(("00000000000000000008-00000000", "a line", "command x"), (
        Source.PASTE, Source.IMPORT, Source.COMMAND), pets, strict=True)  # fmt: skip
    FileReceipts(directory / RECEIPTS).record(*(Added.of(*each) for each in records))
    return directory


def test_what_no_key_can_tell_of_is_named_for_a_person_and_never_sent(
    call: Run, outbox: Path, shop: Shop
) -> None:
    reconciled = call("outbox", "reconcile", "--since", LONG_AGO, "--json")
    assert shop.names == ["Rex", "Max"]
    rows = json_lines(reconciled.stdout)
    assert {row["name"]: (row["became"], row["former_id"]) for row in rows[2:]} == {
        "Leo": ("doubtful", 3), "Ida": ("doubtful", 4), "Gone 0": ("doubtful", 70),
        "Gone 1": ("doubtful", 71), "Gone 2": ("doubtful", 72),
    }  # fmt: skip
    why = {row["name"]: row["error"] for row in rows[2:]}
    assert "no store confirmed its key" in why["Leo"]
    assert why["Ida"] == "added to another store"
    assert why["Gone 0"] == "the outbox no longer has it"
    assert "--skip-duplicates" in why["Gone 1"]
    assert "pettui add" in why["Gone 2"]
    assert "warning: 5 animals not sent" in reconciled.stderr
    assert reconciled.returncode == 4
    assert entry_counts(outbox) == {"added": 4, "waiting": 1}


def test_where_the_service_honours_no_keys_nothing_is_sent(
    call: Run, outbox: Path, shop: Shop
) -> None:
    shop.store_id = None
    reconciled = call("outbox", "reconcile", "--since", LONG_AGO)
    assert (shop.names, reconciled.stdout, reconciled.returncode) == ([], "", 2)
    assert "does not promise to add once what comes with a key" in reconciled.stderr


def test_a_service_that_goes_away_is_asked_again_by_the_next_run(
    call: Run, outbox: Path, shop: Shop
) -> None:
    shop.first["Max"] = http(502, "")
    shop.instead["Max"] = http(502, "")
    reconciled = call("outbox", "reconcile", "--since", LONG_AGO, "--json")
    assert became(reconciled.stdout)[:1] == [("Rex", "added", 1, 1)]
    assert "; 1 animal not asked for yet: run it again" in reconciled.stderr
    assert reconciled.returncode == 3
    del shop.instead["Max"]
    again = call("outbox", "reconcile", "--since", LONG_AGO, "--json")
    assert became(again.stdout)[:2] == [("Rex", "there", 1, 1), ("Max", "added", 2, 2)]


def test_an_answer_that_is_not_the_stores_ends_it(call: Run, outbox: Path, shop: Shop) -> None:
    shop.instead["Rex"] = REFUSE  # without the key: perhaps of a proxy
    reconciled = call("outbox", "reconcile", "--since", LONG_AGO, "--json")
    assert (shop.names, reconciled.returncode) == ([], 3)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "--since: is missing: the time of the backup"),
        (("--since", "yesterday"), "'yesterday': must be a time in the past"),
        (("--since", "2999-01-01"), "must be a time in the past"),
        (("--since", LONG_AGO, "--demo"), "--demo: unknown option"),
    ],
)
def test_what_cannot_be_reconciled_is_one_line(
    call: Run, words: tuple[str, ...], reason: str
) -> None:
    refused = call("outbox", "reconcile", *words)
    assert refused.returncode == 2
    assert reason in refused.stderr
