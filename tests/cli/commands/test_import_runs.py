"""``pettui import`` of several files, and of one several times: which lines are left out, or hold it."""

from __future__ import annotations

import csv
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.commands.conftest import calling
from tests.cli.commands.shop_service import REFUSE, Shop, animal, page
from tests.client.hostile.server import drop, http

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Run

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d"


@pytest.fixture
def write(home: Path) -> Callable[[str, str], str]:
    """Writes a file of these lines, and returns its path."""

    def written(name: str, content: str) -> str:
        (home / name).write_text(content)
        return str(home / name)

    return written


@pytest.fixture
def imported(call: Run, write: Callable[[str, str], str]) -> Callable[..., tuple[int, str]]:
    """Imports a file of these lines; returns the exit code, and what was said."""

    def run(name: str, content: str, *options: str) -> tuple[int, str]:
        first = content.partition("\n")[0]
        unnamed = () if "name" in first else ("--no-header",)
        ended = call("import", write(name, content), "--parallel", "1", *unnamed, *options)
        return ended.returncode, ended.stderr

    return run


@pytest.fixture
def piped(
    call: Run, write: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str]]:
    """Imports these lines from standard input."""

    def run(content: str, *options: str) -> tuple[int, str]:
        with Path(write("piped", content)).open() as opened:
            monkeypatch.setattr(sys, "stdin", opened)
            ended = call("import", "-", "--no-header", "--parallel", "1", *options)
        return ended.returncode, ended.stderr

    return run


def outcomes_in(home: Path, name: str) -> list[tuple[str, str]]:
    """Return the outcome of each line of a result, and what it is a duplicate of."""
    with (home / name).open(newline="", encoding="utf-8") as file:
        return [(each["outcome"], each["duplicateOf"]) for each in csv.DictReader(file)]


# ── one after the other ─────────────────────────────────────────────────────────────────────────

# Each step is a file or "-", options, its lines, and the exit code; the end is what is in the shop.
STEPS = {
    "equal lines are all duplicates of what another file added once": (
        ["one.csv: Bella,1 > 0", "two.csv: Bella,1 Bella,1 > 4"],
        "Bella",
    ),
    "again is not of another file": (
        ["one.csv: Bella,1 > 0", "two.csv --again: Bella,1 Tim,1 > 4", "one.csv --again: Bella,1 > 0"],
        "Bella Bella",
    ),
    "of equal lines as many must be there as were added": (
        ["all.csv: Bella,1 Bella,1 > 0", "all.csv: Bella,1 Rex,1 > 4",
         "all.csv: Bella,1 Rex,1 Bella,1 > 0"],
        "Bella Bella Rex",
    ),
    "a corrected file goes on while every line that was added is in it": (
        ["all.csv --skip-bad: Bella,1 Rex,1 Tim,dog > 4", "all.csv: Tim,2 Rex,1 Bella,1 > 0",
         "all.csv: Bella,1 Rex,1 Ida,1 > 4"],
        "Bella Rex Tim",
    ),
    "lines are no duplicates of what their own import added, whatever their status": (
        ["all.csv: Bella,1,sold > 0", "all.csv: Bella,1,sold Bella,1 Bella,1,pending > 0"],
        "Bella Bella Bella",
    ),
    "what has another status is added if that is said": (
        ["one.csv: Rex,3,available > 0", "two.csv --send-changed: Rex,3,sold > 0"],
        "Rex Rex",
    ),
    "a dry run begins no import": (
        ["one.csv --dry-run: Bella,1 > 0", "two.csv: Rex,1 Bella,1 > 0", "one.csv: Bella,1 > 4"],
        "Rex Bella",
    ),
    "standard input goes on for the same bytes alone once it is finished": (
        ["-: Bella,1 Rex,1 > 0", "-: Bella,1 Rex,1 > 0", "-: Bella,1 Rex,1 Tim,1 > 4"],
        "Bella Rex",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "names"), STEPS.values(), ids=STEPS)
def test_of_imports_one_after_the_other(
    imported, piped, shop: Shop, steps: list[str], names: str
) -> None:
    for step in steps:
        words, lines, code = re.split(": | > ", step)
        name, *options = words.split()
        content = "".join(f"{line}\n" for line in lines.split())
        run = piped if name == "-" else partial(imported, name)
        assert (step, run(content, *options)[0]) == (step, int(code))
    assert shop.names == names.split()


# ── another file ────────────────────────────────────────────────────────────────────────────────


def test_another_animal_in_a_second_file_holds_it_and_is_not_left_out_unseen(
    imported, shop: Shop, home: Path
) -> None:
    assert imported("week-1.csv", "Bella,1,available\n")[0] == 0
    code, said = imported("week-2.csv", "Bella,1,available\nRex,1,available\n")
    assert (code, shop.names) == (4, ["Bella"])
    named = rf"notice: line 1 is a duplicate of id 1 of week-1\.csv, {TIME}\n"
    assert re.search(named, said)
    assert "error: 1 duplicate, so nothing is sent: --skip-duplicates leaves it out, " in said
    assert "; 0 within the file, 1 of other imports, 0 among the 1 animal that the serv" in said
    assert [outcome for outcome, _ in outcomes_in(home, "week-2.result.csv")] == ["not sent"] * 2
    assert imported("week-2.csv", "Bella,1,available\nRex,1,available\n", "--dry-run")[0] == 4


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("--skip-duplicates", ["Bella", "Rex"]),
        ("--send-duplicates", ["Bella", "Bella", "Rex"]),
    ],
)
def test_a_person_says_whether_it_is_the_same_animal(
    imported, shop: Shop, home: Path, option: str, names: list[str]
) -> None:
    imported("week-1.csv", "Bella,1,available\n")
    assert imported("week-2.csv", "Bella,1,available\nRex,1\n", option)[0] == 0
    assert sorted(shop.names) == names
    left_out = outcomes_in(home, "week-2.result.csv")[0]
    if option == "--skip-duplicates":
        assert re.fullmatch(rf"id 1 of week-1\.csv, {TIME}", left_out[1])
    # Now each of the two files is finished.
    assert imported("week-1.csv", "Bella,1,available\n")[0] == 0
    assert sorted(shop.names) == names


def test_an_unknown_line_of_another_file_may_have_been_added(imported, shop: Shop) -> None:
    shop.instead["Bella"] = drop()
    assert imported("one.csv", "Bella,1\n")[0] == 3
    shop.instead.clear()
    code, said = imported("two.csv", "Tim,1\nBella,1\n")
    assert (code, shop.names) == (4, [])
    assert "line 2 is a duplicate of what may have been added by one.csv, " in said
    assert imported("one.csv", "Bella,1\n", "--retry-unknown")[0] == 0
    assert shop.names == ["Bella"]


# ── the same file ───────────────────────────────────────────────────────────────────────────────


def test_the_same_bytes_go_on_under_any_name_and_that_is_said(
    imported, shop: Shop, home: Path
) -> None:
    shop.instead["Rex"] = REFUSE
    imported("one.csv", "Bella,1\nRex,1\n")
    shop.instead.clear()
    (home / "one.csv").unlink()
    code, said = imported("other.csv", "Bella,1\nRex,1\n")
    assert (code, shop.names) == (0, ["Bella", "Rex"])
    assert re.search(rf"notice: 1 line added already, left out: one\.csv, {TIME} goes on\n", said)
    # And so does what is at the path to which the file was moved.
    assert imported("other.csv", "Rex,1\nBella,1\nTim,1\n")[0] == 0
    assert shop.names == ["Bella", "Rex", "Tim"]


@pytest.mark.parametrize("is_renamed", [False, True])
def test_a_result_goes_on_with_the_import_whose_it_is(
    imported, call: Run, shop: Shop, home: Path, *, is_renamed: bool
) -> None:
    shop.instead["Rex"] = REFUSE
    imported("all.csv", "name,category,status\nBella,1,\nRex,1,\nTim,dog,\n", "--skip-bad")
    shop.instead.clear()
    result = home / "all.result.csv"
    if is_renamed:
        result = result.rename(home / "mine.csv")
        assert call("import", str(result), "--skip-bad").returncode == 4
        assert shop.names == ["Bella", "Rex"]
    result.write_text(result.read_text().replace(",dog,", ",2,"))
    assert call("import", str(result)).returncode == 0
    assert sorted(shop.names) == ["Bella", "Rex", "Tim"]


def test_a_dry_run_leaves_the_journal_as_it_is(imported, shop: Shop, home: Path) -> None:
    imported("one.csv", "Bella,1\n", "--dry-run")
    assert not [*home.rglob("*.journal")]
    shop.instead["Rex"] = drop()
    imported("one.csv", "Bella,1\nRex,1\n")
    (journal,) = home.rglob("*.journal")
    before = journal.read_bytes(), journal.stat().st_ino, journal.stat().st_mtime_ns
    code, said = imported("one.csv", "Bella,1\nRex,1\nTim,1\n", "--dry-run", "--result", "-")
    assert (journal.read_bytes(), journal.stat().st_ino, journal.stat().st_mtime_ns) == before
    assert (code, "one.csv, " in said) == (0, True)


# ── standard input ──────────────────────────────────────────────────────────────────────────────


def test_standard_input_goes_on_while_its_import_is_unfinished(piped, shop: Shop) -> None:
    shop.instead["Rex"] = drop()
    assert piped("Bella,1\nRex,1\n")[0] == 3
    code, said = piped("Bella,1\nRex,1\nTim,1\n")
    assert (code, shop.names) == (3, ["Bella", "Tim"])
    assert re.search(rf"1 line added already, left out: standard input, {TIME} goes on", said)


# ── what is gone ────────────────────────────────────────────────────────────────────────────────


def test_animals_of_an_import_that_are_not_listed_any_more_are_said_and_sent_again(
    imported, shop: Shop
) -> None:
    lines = "Bella,1\nRex,1\nTim,1\n"
    imported("all.csv", lines)
    kept = shop.pets[1]
    shop.pets[:] = [kept, animal(1, "Another", categoryId=1)]
    code, said = imported("all.csv", lines)
    assert (code, shop.names) == (4, ["Rex", "Another"])
    for line in ("line 1 became id 1 Bella", "line 3 became id 3 Tim"):
        assert f"notice: {line}, category 1, which is not listed any more\n" in said
    assert "error: 2 of 3 animals not listed any more: --again sends them again\n" in said
    code, said = imported("all.csv", lines, "--again")
    assert (code, sorted(shop.names)) == (0, ["Another", "Bella", "Rex", "Tim"])
    assert "duplicate of" not in said
    shop.pets.pop()  # which does not keep the rest from being sent
    code, said = imported("all.csv", f"{lines}Ida,1\n")
    assert (code, "not listed any more" in said, shop.names[-1]) == (4, True, "Ida")


@pytest.mark.parametrize(
    "listed",
    [
        page(animal(5, "Another"), then="http://elsewhere.invalid/v1/pets"),
        http(200, '[{"id": "1", "name": "Bella", "categoryId": 3}]'),
    ],
    ids=["a list that is cut", "rows that cannot be read"],
)
def test_of_what_was_not_read_nobody_says_that_it_is_gone(
    run_here: Run, services, shop: Shop, write: Callable[[str, str], str], listed
) -> None:
    path = write("all.csv", "Bella,3\n")
    added = http(201, '{"id": 1, "name": "Bella", "categoryId": 3}')
    none = page()
    server = services.open(none, none, added, listed, listed)
    call = calling(run_here, server.base_url)
    assert call("import", path, "--no-header").returncode == 0
    ended = call("import", path, "--no-header", "--skip-unreadable")
    assert (ended.returncode, "any more" in ended.stderr) == (0, False), ended.stderr


# ── another status ──────────────────────────────────────────────────────────────────────────────


def test_an_animal_that_is_listed_with_another_status_holds_an_import(
    imported, shop: Shop, home: Path
) -> None:
    shop.pets = [animal(7, "Rex", status="available"), animal(8, "Tim", status="sold")]
    lines = "Rex,3,sold\nTim,3,sold\nNew,3,sold\n"
    code, said = imported("all.csv", lines, "--skip-duplicates")
    assert (code, shop.server.adds) == (4, 0)
    assert "notice: line 1 is changed?: id 7 is available\n" in said
    ways = "--skip-changed leaves it out, --send-changed sends it too"
    assert f"error: 1 changed? line, so nothing is sent: {ways}; listed with another sta" in said
    code, said = imported("all.csv", lines, "--skip-changed")
    assert (code, shop.server.adds) == (4, 0)
    assert "error: 1 duplicate, so nothing is sent: --skip-duplicates leaves it out, " in said
    assert imported("all.csv", lines, "--skip-duplicates", "--skip-changed")[0] == 0
    assert shop.names == ["Rex", "Tim", "New"]
    outcomes = outcomes_in(home, "all.result.csv")
    assert outcomes == [("changed?", "id 7 is available"), ("duplicate", "id 8"), ("added", "")]


# ── stopped ─────────────────────────────────────────────────────────────────────────────────────
