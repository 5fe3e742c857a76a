"""What was added is kept by day, for every window and command at once, and bounded."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from datetime import datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from unittest.mock import Mock, patch
from zoneinfo import ZoneInfo

import pytest

from pettui.models.pets import Pet
from pettui.outbox import receipts as receipts_module
from pettui.outbox.receipts import DAYS_KEPT, Added, FileReceipts, MemoryReceipts, Source, today

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.outbox.receipts import Receipts
    from pettui.outbox.stores.postgres import PostgresOwners

DAY = timedelta(days=1).total_seconds()


def added(number: int, name: str = "Rex", *, days_ago: int = 0) -> Added:
    one = Added.of(f"{number}", Source.FORM, Pet(id=number, name=name, category_id=3))
    return one._replace(at=one.at - days_ago * DAY)


@pytest.fixture(params=["memory", "directory", "postgres"])
def receipts(request: pytest.FixtureRequest, tmp_path: Path) -> Receipts:
    if request.param == "postgres":
        owners: PostgresOwners = request.getfixturevalue("owners_in_postgres")
        return owners.of("ssh SHA256:ann").receipts()
    return MemoryReceipts() if request.param == "memory" else FileReceipts(tmp_path / "receipts")


def test_what_is_recorded_twice_is_there_once(receipts: Receipts) -> None:
    receipts.record(added(1), added(2, "Señor \n \x00\ud800"))
    receipts.record(added(3), added(1))
    receipt = receipts.of(today())
    assert [each.pet.id for each in receipt.added] == [1, 2, 3]
    assert receipt.added[1].pet.name == "Señor \n \x00\ud800"
    assert (receipt.total, receipt.counts) == (3, {(3, None): 3})
    assert receipts.days() == [today()]


@pytest.mark.parametrize(
    "zone",
    [
        *(timezone(timedelta(hours=hours)) for hours in (-12, 0, 5.75, 14)),
        *map(ZoneInfo, ("America/New_York", "Pacific/Auckland")),
    ],
    ids=str,
)
def test_a_day_is_that_of_who_reads_it(receipts: Receipts, zone: tzinfo) -> None:
    every = [added(number)._replace(at=number * 3_600 + 1.5) for number in range(498_150, 498_240)]
    receipts.record(*every)
    days = sorted({datetime.fromtimestamp(each.at, zone).date() for each in every})
    assert receipts.days(zone) == days
    told = [each for day in days for each in receipts.of(day, zone).added]
    assert told == every
    assert sum(receipts.of(day, zone).total for day in days) == len(every)
    for day in days:
        on_it = receipts.of(day, zone).added
        assert {datetime.fromtimestamp(each.at, zone).date() for each in on_it} == {day}


def test_a_line_that_was_cut_costs_itself_alone(tmp_path: Path) -> None:
    receipts = FileReceipts(tmp_path)
    receipts.record(added(1), added(2))
    (path,) = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_bytes(path.read_bytes()[:-20])
    with path.open("ab") as file:
        file.write(b"\n{}\n[]\nnull\n" + json.dumps({"id": True}).encode())
    receipts.record(added(3))
    assert [each.pet.id for each in receipts.of(today()).added] == [1, 3]


@pytest.mark.parametrize("receipts", ["directory", "postgres"], indirect=True)
def test_days_are_kept_for_a_month(receipts: Receipts) -> None:
    for days_ago in range(DAYS_KEPT + 3, -1, -1):
        receipts.record(added(days_ago, days_ago=days_ago))
    assert len(receipts.days()) == DAYS_KEPT
    assert receipts.days()[-1] == today()


def test_of_a_very_full_day_the_oldest_are_only_counted(tmp_path: Path) -> None:
    receipts = FileReceipts(tmp_path)
    with patch.object(receipts_module, "_LARGEST", 4_000):
        for number in range(100):
            receipts.record(added(number))
        receipt = receipts.of(today())
    assert receipt.total == 100
    assert receipt.added[-1].pet.id == 99
    assert len(receipt.added) < 60
    (path,) = tmp_path.iterdir()
    assert path.stat().st_size < 4_400
    east = timezone(timedelta(hours=14))
    assert today() in receipts.days(east)
    assert sum(receipts.of(day, east).total for day in receipts.days(east)) == 100


def test_the_newest_record_of_an_animal_is_found_by_id_name_and_category(
    receipts: Receipts,
) -> None:
    began_anew = added(1, "Tom")._replace(key="another")
    known = (added(1, days_ago=3), began_anew, added(2, days_ago=1), added(5, "Ñ" * 2_000))
    receipts.record(added(11), *known)
    for one in known:
        found = receipts.added(one.pet)
        assert found is not None
        assert (found.key, found.pet, found.day()) == (one.key, one.pet, one.day())
    assert receipts.added(Pet(id=5, name="Ñ" * 3_000, category_id=3)) is not None
    for other in (added(3).pet, Pet(id=1, name="Rex", category_id=4), added(2, "Tom").pet):
        assert receipts.added(other) is None


def test_where_there_are_no_locks_it_is_kept_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse = Mock(side_effect=OSError(errno.ENOLCK, os.strerror(errno.ENOLCK)))
    monkeypatch.setattr(fcntl, "flock", refuse)
    FileReceipts(tmp_path).record(added(1))
    assert refuse.called
    assert FileReceipts(tmp_path).of(today()).total == 1
