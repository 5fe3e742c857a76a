"""``pettui import`` of several files, and of one several times: which lines are left out, or hold it."""

from __future__ import annotations

import csv
import os
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import interruptible
from tests.cli.one_shot.conftest import calling
from tests.cli.one_shot.shop_service import REFUSE, animal, page
from tests.client.hostile.server import drop, http
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Run
    from tests.cli.one_shot.shop_service import Shop

DUPLICATE_OPTIONS = "--skip-duplicates leaves duplicates out, --send-duplicates sends them"
CHANGED_OPTIONS = "--skip-changed leaves changed? lines out, --send-changed adds them"
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


def outcomes_in(home: Path, name: str) -> list[tuple[str, str]]:
    """Return the outcome of each line of a result, and what it is a duplicate of."""
    with (home / name).open(newline="", encoding="utf-8") as file:
        return [(each["outcome"], each["duplicateOf"]) for each in csv.DictReader(file)]


# ── another file ────────────────────────────────────────────────────────────────────────────────


def test_another_animal_in_a_second_file_holds_it_and_is_not_left_out_unseen(
    imported, shop: Shop, home: Path
) -> None:
    assert imported("week-1.csv", "Bella,1,available\n")[0] == 0
    code, said = imported("week-2.csv", "Bella,1,available\nRex,1,available\n")
    assert (code, shop.names) == (4, ["Bella"])
    named = rf"notice: line 1 is a duplicate of id 1 of week-1\.csv, {TIME}\n"
    assert re.search(named, said)
    assert (
        "error: 1 duplicate: 0 within the file, 1 of other imports, 0 among the 1 animal that the "
        f"service lists; {DUPLICATE_OPTIONS}\n"
    ) in said
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


def test_equal_lines_are_all_duplicates_of_what_another_file_added_once(
    imported, shop: Shop
) -> None:
    imported("one.csv", "Bella,1\n")
    code, said = imported("two.csv", "Bella,1\nBella,1\n")
    assert code == 4
    assert "2 duplicates: 0 within the file, 2 of other imports" in said


def test_the_second_of_equal_lines_that_alone_was_added_holds_another_file(
    imported, shop: Shop
) -> None:
    shop.pets = [animal(1, "Bella")]
    imported("one.csv", "Bella,3\nBella,3\n", "--skip-duplicates")
    shop.pets.clear()  # so that the list says nothing
    imported("one.csv", "Bella,3\nBella,3\n")
    shop.pets.clear()
    assert imported("two.csv", "Bella,3\n")[0] == 4


def test_an_unknown_line_of_another_file_may_have_been_added(imported, shop: Shop) -> None:
    shop.instead["Bella"] = drop()
    assert imported("one.csv", "Bella,1\n")[0] == 3
    shop.instead.clear()
    code, said = imported("two.csv", "Tim,1\nBella,1\n")
    assert (code, shop.names) == (4, [])
    assert "line 2 is a duplicate of what may have been added by one.csv, " in said
    assert imported("one.csv", "Bella,1\n", "--retry-unknown")[0] == 0
    assert shop.names == ["Bella"]


def test_a_line_that_another_file_added_meanwhile_holds_the_rest_of_a_file(
    imported, shop: Shop
) -> None:
    shop.instead["Rex"] = REFUSE
    imported("one.csv", "Bella,1\nRex,1\n")
    shop.instead.clear()
    imported("two.csv", "Rex,1\n")
    code, said = imported("one.csv", "Bella,1\nRex,1\n")
    assert (code, shop.names) == (4, ["Bella", "Rex"])
    assert "line 2 is a duplicate of id 2 of two.csv, " in said


def test_again_is_not_of_another_file(imported, shop: Shop) -> None:
    imported("one.csv", "Bella,1\n")
    assert imported("two.csv", "Bella,1\nTim,1\n", "--again")[0] == 4
    assert imported("one.csv", "Bella,1\n", "--again")[0] == 0
    assert shop.names == ["Bella", "Bella"]


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
    named = rf"notice: an import of this file goes on: one\.csv, {TIME}: 1 line added\n"
    assert re.search(named, said)
    # And so does what is at the path to which the file was moved.
    assert imported("other.csv", "Rex,1\nBella,1\nTim,1\n")[0] == 0
    assert shop.names == ["Bella", "Rex", "Tim"]


def test_a_corrected_file_goes_on_while_every_line_that_was_added_is_in_it(
    imported, shop: Shop
) -> None:
    imported("all.csv", "Bella,1\nRex,1\nTim,dog\n", "--skip-bad")
    assert imported("all.csv", "Tim,2\nRex,1\nBella,1\n")[0] == 0
    assert sorted(shop.names) == ["Bella", "Rex", "Tim"]
    code, said = imported("all.csv", "Bella,1\nRex,1\nIda,1\n")  # another month, without Tim
    assert code == 4
    assert "goes on" not in said
    assert "2 of other imports" in said


def test_of_equal_lines_as_many_must_be_there_as_were_added(imported, shop: Shop) -> None:
    imported("all.csv", "Bella,1\nBella,1\n")
    assert imported("all.csv", "Bella,1\nRex,1\n")[0] == 4
    assert imported("all.csv", "Bella,1\nRex,1\nBella,1\n")[0] == 0
    assert shop.names == ["Bella", "Bella", "Rex"]


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


def test_a_result_that_a_spreadsheet_wrote_anew_goes_on_too(
    imported, call: Run, shop: Shop, home: Path
) -> None:
    shop.instead["Rex"] = REFUSE
    imported("all.csv", "Bella,1\nRex,1\n")
    shop.instead.clear()
    result = home / "all.result.csv"
    text = result.read_text().replace(",", ";").replace("\n", "\r\n")
    result.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert call("import", str(result)).returncode == 0
    assert shop.names == ["Bella", "Rex"]


def test_lines_of_a_file_are_no_duplicates_of_what_its_own_import_added(
    imported, shop: Shop
) -> None:
    """As it goes on, neither a line without a status nor one with another one is held."""
    shop.instead["Rex"] = REFUSE
    imported("all.csv", "Bella,1,sold\nRex,1\n")
    shop.instead.clear()
    more = "Bella,1,sold\nRex,1\nBella,1\nBella,1,pending\n"
    assert imported("all.csv", more)[0] == 0
    assert sorted(shop.names) == ["Bella", "Bella", "Bella", "Rex"]


def test_the_same_bytes_that_are_read_otherwise_are_not_added_once_more_unseen(
    run_here: Run, configure: Callable[[str], Path], shop: Shop, write: Callable[[str, str], str]
) -> None:
    """The number of a category in the profile may be another one now, or the encoding."""
    path = write("all.csv", "Zoe,Dogs\nMimi,Cats\n")

    def run(dogs: int, *options: str) -> tuple[int, str]:
        config = configure(
            f'[profiles.shop]\nbase_url = "{shop.base_url}"\napi_key_env = "SHOP"\n'
            f'categories = {{ {dogs} = "Dogs", 1 = "Cats" }}\n'
        )
        words = ("import", "--profile", "shop", path, "--no-header", *options)
        ended = run_here(*words, PETTUI_CONFIG=str(config), SHOP=KEY)
        return ended.returncode, ended.stderr

    assert run(3)[0] == 0
    code, said = run(5)
    assert (code, len(shop.names)) == (4, 2)
    lost = "1 line that this file's import added is not in it as it is read now"
    assert (
        f"error: {lost} (another sheet, list or encoding, other columns or categories); --again adds"
        in said
    )
    assert run(3)[0] == 0
    assert run(5, "--again", "--send-duplicates")[0] == 0
    assert run(5)[0] == 0


def test_a_link_to_this_weeks_file_is_not_the_file_of_last_week(
    imported, call: Run, shop: Shop, home: Path
) -> None:
    link = home / "latest.csv"
    for week, lines in enumerate(("Bella,1\n", "Bella,1\nRex,1\n")):
        (home / f"week-{week}.csv").write_text(lines)
        link.unlink(missing_ok=True)
        link.symlink_to(f"week-{week}.csv")
        assert call("import", str(link), "--no-header").returncode == (4 if week else 0)
    assert shop.names == ["Bella"]


def test_each_line_is_added_and_in_the_result_once_whatever_stands_between(
    imported, shop: Shop, home: Path
) -> None:
    """Blank lines are no lines of a second batch, and an error in the last one is none of two."""
    shop.instead["Rex"] = REFUSE
    assert imported("all.csv", "name,category\n" + "Bella,1\n" + "\n" * 2_500 + "Rex,1\n")[0] == 4
    assert shop.names == ["Bella"]
    assert [outcome for outcome, _ in outcomes_in(home, "all.result.csv")] == ["added", "refused"]
    shop.instead.clear()
    assert imported("all.result.csv", (home / "all.result.csv").read_text())[0] == 0
    assert shop.names == ["Bella", "Rex"]


def test_a_dry_run_begins_no_import(imported, shop: Shop) -> None:
    imported("one.csv", "Bella,1\n", "--dry-run")
    assert imported("two.csv", "Rex,1\nBella,1\n")[0] == 0
    code, said = imported("one.csv", "Bella,1\n")
    assert (code, shop.names) == (4, ["Rex", "Bella"])
    assert "id 2 of two.csv, " in said


def test_a_dry_run_leaves_the_journal_as_it_is(imported, shop: Shop, home: Path) -> None:
    imported("one.csv", "Bella,1\n", "--dry-run")
    assert not [*home.rglob("*.journal")]
    shop.instead["Rex"] = drop()
    imported("one.csv", "Bella,1\nRex,1\n")
    (journal,) = home.rglob("*.journal")
    before = journal.read_bytes(), journal.stat().st_ino, journal.stat().st_mtime_ns
    code, said = imported("one.csv", "Bella,1\nRex,1\nTim,1\n", "--dry-run", "--result", "-")
    assert (journal.read_bytes(), journal.stat().st_ino, journal.stat().st_mtime_ns) == before
    assert (code, "an import of this file goes on" in said) == (0, True)


# ── standard input ──────────────────────────────────────────────────────────────────────────────


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


def test_standard_input_goes_on_for_the_same_bytes_alone_once_it_is_finished(
    piped, shop: Shop
) -> None:
    assert piped("Bella,1\nRex,1\n")[0] == 0
    assert piped("Bella,1\nRex,1\n")[0] == 0
    assert piped("Bella,1\nRex,1\nTim,1\n")[0] == 4
    assert shop.names == ["Bella", "Rex"]


def test_standard_input_goes_on_while_its_import_is_unfinished(piped, shop: Shop) -> None:
    shop.instead["Rex"] = drop()
    assert piped("Bella,1\nRex,1\n")[0] == 3
    code, said = piped("Bella,1\nRex,1\nTim,1\n")
    assert (code, shop.names) == (3, ["Bella", "Tim"])
    assert re.search(rf"goes on: standard input, {TIME}: 1 line added\n", said)


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
    assert "error: line 1: id 1 Bella, category 1, is not listed any more\n" in said
    assert "error: line 3: id 3 Tim, category 1, is not listed any more\n" in said
    assert "2 of the 3 animals of this import not listed any more; --again sends" in said
    code, said = imported("all.csv", lines, "--again")
    assert (code, sorted(shop.names)) == (0, ["Another", "Bella", "Rex", "Tim"])
    assert "duplicate of" not in said
    assert imported("all.csv", lines)[0] == 0


def test_what_is_not_listed_any_more_does_not_keep_the_rest_from_being_sent(
    imported, shop: Shop
) -> None:
    imported("all.csv", "Bella,1\n")
    shop.pets[:] = [animal(7, "Another")]
    assert imported("all.csv", "Bella,1\nRex,1\n")[0] == 4
    assert shop.names == ["Another", "Rex"]


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
    assert (
        "error: 1 changed?: listed with another status, and the interface cannot change an "
        f"animal's status; {CHANGED_OPTIONS}\n"
    ) in said
    assert f"error: nothing was sent; 3 lines to add; {CHANGED_OPTIONS}" in said
    code, said = imported("all.csv", lines, "--skip-changed")
    assert (code, shop.server.adds) == (4, 0)
    assert f"; {DUPLICATE_OPTIONS}; the result" in said
    assert imported("all.csv", lines, "--skip-duplicates", "--skip-changed")[0] == 0
    assert shop.names == ["Rex", "Tim", "New"]
    outcomes = outcomes_in(home, "all.result.csv")
    assert outcomes == [("changed?", "id 7 is available"), ("duplicate", "id 8"), ("added", "")]


def test_what_is_listed_with_another_status_is_added_as_another_animal_if_that_is_said(
    imported, shop: Shop
) -> None:
    shop.pets = [animal(7, "Rex", status="available")]
    assert imported("all.csv", "Rex,3,sold\n", "--send-changed")[0] == 0
    assert shop.names == ["Rex", "Rex"]
    assert imported("other.csv", "Rex,3,available\nRex,3,pending\n", "--send-changed")[0] == 4


def test_a_weeks_full_dump_is_three_kinds_of_lines(imported, shop: Shop) -> None:
    first = "".join(f"Animal {number},1,available\n" for number in range(30))
    imported("dump.csv", first)
    second = first.replace("Animal 3,1,available", "Animal 3,1,sold") + "New,1,available\n"
    code, said = imported("dump.csv", second)
    assert code == 4
    assert "29 duplicates: 0 within the file, 29 of other imports" in said
    assert "error: 1 changed?: " in said
    options = ("--skip-duplicates", "--skip-changed")
    assert imported("dump.csv", second, *options)[0] == 0
    assert shop.names[30:] == ["New"]


# ── stopped ─────────────────────────────────────────────────────────────────────────────────────


def test_the_result_of_an_import_that_was_stopped_goes_on_with_it(
    in_shop: dict[str, str], call: Run, shop: Shop, write: Callable[[str, str], str], home: Path
) -> None:
    wait_until_asked = shop.stall("Rex")
    shop.store_id = "0123456789abcdef" * 2
    path = write("all.csv", "name,category\nBella,1\nRex,1\nTim,1\nIda,x\n")
    with interruptible(in_shop, "import", path, "--parallel", "1", "--skip-bad") as process:
        wait_until_asked()
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    shop.instead.clear()
    result = (home / "all.result.csv").rename(home / "moved.csv")
    assert call("import", str(result), "--skip-bad").returncode == 4
    assert sorted(shop.names) == ["Bella", "Rex", "Tim"]
