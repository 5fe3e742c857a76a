"""Which run a file goes on with, and what a journal knows of several after any end."""

from __future__ import annotations

from pathlib import Path

import pytest

from pettui.transfer.journal import Journal
from pettui.transfer.runs import AddedLine, LineId, SourceFile, numbered_lines
from tests.transfer.importing.test_journal import STORE
from tests.transfer.lines import a_line

NAMES = ("Bella", "Rex", "Tim", "Bella")
LINES = numbered_lines(a_line(name, line=number) for number, name in enumerate(NAMES, start=1))
IDS = dict.fromkeys(line_id for line_id, _ in LINES).keys()
BELLA, REX, TIM, BELLA_2 = IDS


def source(name: str, digest: str = "00", reading: str = "aa") -> SourceFile:
    return SourceFile(f"/d/{name}", digest, reading)


def added(journal: Journal, file: SourceFile, *line_ids: LineId, first_id: int = 1) -> None:
    """Record a finished import of a file that added these lines."""
    journal.choose_run(file, IDS)
    journal.begin(1000)
    journal.plan(line_ids)
    for pet_id, line_id in enumerate(line_ids, start=first_id):
        journal.send(line_id)
        journal.added(line_id, pet_id)
    journal.finish()


@pytest.fixture
def journal() -> Journal:
    return Journal.in_memory()


def goes_on(journal: Journal, file: SourceFile, *line_ids: LineId) -> bool:
    journal.choose_run(file, dict.fromkeys(line_ids).keys())
    return journal.run is not None


@pytest.mark.parametrize(
    ("file", "line_ids", "is_so"),
    [
        (source("other.csv"), (), True),  # the same bytes
        (source("a.csv", "11"), (BELLA, BELLA_2, TIM), True),
        (source("a.csv", "11"), (BELLA, TIM), False),  # one Bella less
        (source("b.csv", "11"), (BELLA, BELLA_2), False),  # elsewhere
        (source("a.result.csv", "11"), (BELLA, BELLA_2), True),
        (source("a.result.csv", "11"), (BELLA,), False),
        (source("b.csv", "22"), (BELLA,), True),  # the bytes of its result
    ],
)
def test_a_run_goes_on_for_what_is_its_file_for_a_fact(
    journal: Journal, file: SourceFile, line_ids: tuple[LineId, ...], *, is_so: bool
) -> None:
    added(journal, source("a.csv"), BELLA, BELLA_2)
    journal.wrote_result(Path("/d/a.result.csv"), "22")
    assert goes_on(journal, file, *line_ids) is is_so


def test_the_newest_run_of_a_path_goes_on(journal: Journal) -> None:
    added(journal, source("a.csv"), BELLA)
    added(journal, source("a.csv", "11"), REX)  # goes on, since BELLA is among the lines
    added(journal, source("b.csv", "22"), TIM)
    journal.choose_run(source("a.csv", "33"), IDS)
    assert [journal.state(each) for each in (BELLA, REX, TIM)] == [AddedLine(1), AddedLine(1), None]


def test_what_is_chosen_and_not_sent_is_no_run(journal: Journal) -> None:
    journal.choose_run(source("a.csv"), IDS)
    journal.wrote_result(Path("/d/a.result.csv"), "22")
    journal.finish()
    assert not goes_on(journal, source("a.csv"), *IDS)


def test_the_lines_that_another_run_added_are_known_by_their_content(journal: Journal) -> None:
    added(journal, source("a.csv"), BELLA_2)
    journal.choose_run(source("b.csv", "11"), IDS)
    found = journal.earlier_lines(LINES)
    assert [at.line for at in found] == [1, 4]
    assert {name.partition(",")[0] for name in found.values()} == {"id 1 of a.csv"}
    journal.choose_run(source("a.csv"), IDS)
    assert not journal.earlier_lines(LINES)


def test_lines_are_lost_only_where_the_same_bytes_are_read_otherwise(journal: Journal) -> None:
    added(journal, source("a.csv"), BELLA, REX)
    assert goes_on(journal, source("a.csv"), BELLA)
    assert journal.run is not None
    assert journal.run.lost(source("a.csv"), {BELLA}) == 0
    assert journal.run.lost(source("a.csv", reading="bb"), {BELLA}) == 1
    assert journal.run.lost(source("a.csv", reading="bb"), {BELLA, REX, TIM}) == 0
    journal.wrote_result(None, "22")
    assert journal.run.lost(source("a.csv", "22", "bb"), {BELLA}) == 0


def test_keys_of_two_runs_differ_for_equal_lines_of_the_same_moment(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time_ns", lambda: 1_000_000_000)
    keys = []
    for name, digest in (("a.csv", "00"), ("b.csv", "11")):
        journal.choose_run(source(name, digest), IDS)
        journal.begin(1000, STORE)
        journal.plan([BELLA])
        journal.send(BELLA)
        keys.append(journal.idempotency_key(BELLA))
        journal.refused(BELLA)
    assert len(set(keys)) == 2
