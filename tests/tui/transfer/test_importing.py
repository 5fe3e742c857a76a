"""Importing a file: a line asks for it, a screen shows what is in it, and Enter sends it."""

from __future__ import annotations

import asyncio
import csv
import re
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pettui.models.pets import NewPet
from pettui.transfer.journal import Journal, JournalBusyError
from pettui.transfer.open_imports import OpenImports
from tests.tui.driving import (
    Driver,
    case,
    check_screen,
    fits,
    on,
    open_app,
    responds,
    sees,
    sees_no,
    table,
)
from tests.tui.scripted_service import Response, ScriptedService, error, html

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.tui.driving import Case, Start, Step

pytestmark = pytest.mark.usefixtures("directory")
FILE, RESULT = Path("pets.csv"), Path("pets.result.csv")  # in the current directory
GOOD = "name,category,status\nRex,3,available\nLuna,1,\nMimi,1,sold\n"
MIXED = "name,category,status\nRex,3,available\n,3,sold\nRex,3,available\nTiny,x,\n"


def write_file(content: str, encoding: str = "utf-8") -> None:
    FILE.write_text(content, encoding=encoding)


def results() -> list[tuple[str, str]]:
    """Return the outcome of each line, and its error."""
    with RESULT.open(newline="", encoding="utf-8") as file:
        return [(row["outcome"], row["error"]) for row in csv.DictReader(file)]


@asynccontextmanager
async def opened_import(content: str, **options: Any) -> AsyncIterator[Driver]:
    """Open the app, whose journal is in memory unless asked for, and the import of a file."""
    options.setdefault("open_journal", Journal.in_memory)
    service = options.pop("service", None) or ScriptedService([])
    async with open_app(service, **options) as driver:
        await read(driver, content)
        yield driver


@pytest.fixture
def journal(directory: Path) -> Callable[[], Journal]:
    """Return what opens a journal on the disk."""
    return partial(Journal.open, directory / "state" / "imports", "https://store.example/v1")


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """The import of one line."""
    async with opened_import("name,category\nRex,3\n") as driver:
        yield driver


async def read(driver: Driver, content: str) -> None:
    """Have a file read, and wait until duplicates were looked for."""
    await enter_name(driver, content)
    await driver.sees("duplicate")
    await driver.settled()


async def enter_name(driver: Driver, content: str) -> None:
    """Write a file, and enter its name."""
    write_file(content)
    await driver.press("i", *FILE.name, "enter")


async def is_over(driver: Driver) -> None:
    await driver.sees("the result is in")
    await driver.settled()


def importing(content: str, **options: Any) -> Start:
    """Return a start: the import of a file with this content, with options of ``opened_import``."""
    return lambda: opened_import(content, **options)


def write_bytes() -> None:
    Path("bytes.csv").write_bytes(bytes(range(256)))


def before_a_file(**options: Any) -> Start:
    """Return a start: the app, which can import, beside a good file and one of bytes."""

    @asynccontextmanager
    async def start() -> AsyncIterator[Driver]:
        write_file(GOOD)
        write_bytes()
        async with open_app(
            ScriptedService([]), open_journal=Journal.in_memory, **options
        ) as driver:
            yield driver

    return start


def says(text: str) -> Step:
    """Return a step that waits until the status line begins with a text."""
    return lambda driver: driver.until(lambda: driver.bottom.startswith(text))


def has_sent(*names: str) -> Step:
    """Return a step that checks which animals were sent, in order."""

    async def check(driver: Driver) -> None:
        assert driver.sent_names == [*names]

    return check


async def is_added_elsewhere(driver: Driver) -> None:
    """Have the service add the animal that the import sent, as if that had been the import."""
    await driver.client.create_pet(NewPet(name="Rex", category_id=3))


async def blocks_the_result(_: Driver) -> None:
    await asyncio.to_thread(RESULT.mkdir)


async def settled(driver: Driver) -> None:
    """Wait for a question, which no key typed ahead answers."""
    await driver.settled()


async def drags(driver: Driver) -> None:
    driver.paste(f"'{Path.cwd()}/{FILE.name}' ")


ONE = "name,category\nRex,3\n"
DEPRECATED = error(400, "no", "Not this", headers=[("Deprecation", "@1764892800")])
REFUSED = error(400, "invalid_value", "categoryId 3 does not exist")


@table(
    case("nothing is sent while a line is bad unless bad ones are left out", importing(MIXED),
         sees("2 bad lines, so nothing is sent: correct the file, i says what values mean, or x"),
         sees("line 3  name is missing", 'line 5  category "', "line 4  is a duplicate of line 2"),
         "enter", has_sent(), "x", "d", "enter", is_over, has_sent("Rex")),
    case("Enter says why nothing is sent, and the bar has each key that is named",
         importing(MIXED, size=(80, 24)), sees("x Skip bad", "d Skip dup", "D Send any", "v View"),
         "enter", says("2 bad lines, so nothing is sent"), "x", "enter",
         says("1 duplicate, so nothing is sent: d leaves it out, D sends it too"), "d",
         sees("↵ Send"), "enter", is_over, "enter", says("no line to add"), has_sent("Rex")),
    case("a file of bad lines alone has none to add", importing("name,category\nRex,x\n"),
         "enter", says("1 bad line, so nothing is sent: correct the file"), has_sent()),
    case("a refused line is shown whole and sent again by Enter", importing(ONE),
         responds("createPet", REFUSED), "enter", is_over,
         sees("refused: 400 invalid_value: categoryId 3 does not exist", "1 line to add"),
         "enter", sees("1 line added"), has_sent("Rex", "Rex")),
    case("a notice of one run stays when the next has none", importing(ONE),
         responds("createPet", DEPRECATED), "enter", is_over, sees("createPet is deprecated"),
         "enter", sees("1 line added", "createPet is deprecated")),
    case("duplicates among lines that are chosen later hold it, too", importing(ONE),
         responds("createPet", html(500)), "enter", is_over, is_added_elsewhere, "u", settled,
         "y", "enter", sees("1 duplicate, so nothing is sent"), has_sent("Rex", "Rex")),
    case("a result that can't be written is said", importing(GOOD), blocks_the_result,
         "enter", sees("cannot write", "3 lines added")),
    case("what is imported is in the receipt of the day", importing(ONE),
         "enter", is_over, "escape", "R", sees("1 added today", "import")),
    case("what a file holds can't hurt the terminal",
         importing("name,category,\x1b]0;x\x07\nRex,\x1b[31m\u202e[b]\n"), sees("[b]"), fits),
    case("F5 retries when the service does not respond", before_a_file(),
         responds("listPets", error(500, "internal_error", "It is being repaired")),
         "i", *FILE.name, "enter", sees("It is being repaired"), "enter", has_sent(),
         "f5", sees("no duplicates"), sees_no("It is being repaired")),
    case("a file that is dragged is read", before_a_file(),
         "i", drags, "enter", sees("3 lines to add")),
    case("a stream is left to the command", before_a_file(),
         "i", *"/dev/stdin", "enter", sees("the command pettui import /dev/stdin reads it")),
    case("no name is no file", before_a_file(), "i", "enter", sees("enter a file name")),
    case("a file that is not there is said", before_a_file(),
         "i", *"nothing.csv", "enter", sees("no such file"), "escape", sees_no("Import ")),
    case("a file that is no text is said", before_a_file(),
         "i", *"bytes.csv", "enter", sees("text")),
    case("where no file is ever read there is no import", on(),
         "i", sees_no("Import"), "colon", *"import", sees_no("Import a file")),
)  # fmt: skip
async def test_importing(case: Case) -> None:
    await case.run()


async def test_the_animals_of_a_file_are_added_and_the_list_shows_them() -> None:
    async with opened_import(GOOD, size=(40, 12)) as driver:
        check_screen(driver, "the import before it is sent")
        assert "3 lines to add" in driver.words
        assert driver.sent_names == []
        await driver.press("enter")
        await is_over(driver)
        check_screen(driver, "the import after it was sent")
        assert "3 lines added" in driver.words
        assert results() == [("added", "")] * 3
        await driver.press("escape")
        await driver.sees("Rex", "Luna", "Mimi")


async def test_enter_asks_where_rows_of_the_list_could_not_be_read() -> None:
    strange = Response(body=[{"id": "7", "name": "Rex", "categoryId": 3}])
    service = ScriptedService([])
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        service.next("listPets", strange)
        await read(driver, "name,category\nMimi,1\n")
        await driver.sees("1 row of the list could not be read: a duplicate may be among them")
        await driver.press("enter")
        await driver.sees("Send although 1 row could not be read?")
        await driver.press("x")
        assert driver.sent_names == []
        await driver.press("enter")
        await driver.sees("Send although")
        await driver.press("y")
        await is_over(driver)
        assert driver.sent_names == ["Mimi"]


@pytest.mark.parametrize("size", [(120, 30), (40, 12)])
async def test_a_person_says_in_which_encoding_a_file_is(size: tuple[int, int]) -> None:
    async with open_app(ScriptedService([]), size=size, open_journal=Journal.in_memory) as driver:
        write_file("name,category\nMańka,3\nŻółw,3\n", "cp1250")
        await driver.press("i", *FILE.name, "enter")
        await driver.sees("the names right?")
        check_screen(driver, "the choice of an encoding")
        assert "2  cp1250    Mańka, Żółw" in driver.text
        await driver.press("escape")
        await driver.sees("neither")
        await driver.press("enter")
        await driver.sees("the names right?")
        await driver.press("2")
        await driver.sees("2 lines to add")
        await driver.press("enter")
        await is_over(driver)
        assert driver.sent_names == ["Mańka", "Żółw"]


async def test_duplicates_are_sent_after_a_question_that_no_key_typed_ahead_answers() -> None:
    async with opened_import(MIXED, size=(40, 12)) as driver:
        await driver.press("x", "D", "y", "enter", "escape")  # typed before it could be read
        assert "Send 1 duplicate too?" in driver.words
        check_screen(driver, "the question about duplicates")
        await driver.press("n")
        await driver.press("enter")
        assert driver.sent_names == []
        await driver.press("D")
        await driver.press("y")
        assert "1 duplicate is sent too" in driver.words
        await driver.press("enter")
        await is_over(driver)
        assert driver.sent_names == ["Rex", "Rex"]


async def test_what_is_unknown_is_sent_again_only_by_its_key(driver: Driver) -> None:
    driver.service.next("createPet", html(500))
    await driver.press("enter")
    await is_over(driver)
    assert "1 line may have been added: unknown" in driver.words
    await driver.press("enter", "u", "y")  # what is typed ahead answers nothing
    await driver.sees("Send 1 unknown line again?", "1 line may have been added, or still arrive")
    await driver.press("n", "enter")
    assert driver.sent_names == ["Rex"]
    await driver.press("u")
    await driver.press("y")
    assert "1 line may have been added: unknown, sent again" in driver.words
    await driver.press("u")
    assert "sent again" not in driver.words
    await driver.press("u")
    await driver.press("y", "enter")
    await driver.sees("1 line added")
    assert driver.sent_names == ["Rex", "Rex"]


async def test_an_unknown_line_is_what_a_person_says_in_the_results_too(driver: Driver) -> None:
    driver.service.next("createPet", html(500))
    await driver.press("enter")
    await is_over(driver)
    assert [outcome for outcome, _ in results()] == ["unknown"]
    await driver.client.create_pet(NewPet(name="REX ", category_id=3))  # as if that had been it
    await driver.press("l")
    await driver.sees("line 2, of an import that began", "1 animal could be it")
    assert "s None of them" not in driver.lines[-1]
    assert [outcome for outcome, _ in results()] == ["unknown"]
    await driver.press("enter")
    await driver.sees("Rex was added, with id 1", "1 line added")
    assert "line 2" not in driver.text
    assert results() == [("added", "")]
    await driver.press("escape")
    await driver.sees("REX")


async def test_a_line_that_was_out_is_no_duplicate_of_itself_and_enter_sends_it_again(
    monkeypatch: pytest.MonkeyPatch, journal: Callable[[], Journal]
) -> None:
    monkeypatch.setattr("pettui.transfer.import_run.GRACE", 0.01)
    service = ScriptedService([], promises=True)
    async with opened_import(GOOD, open_journal=journal, service=service) as driver:
        driver.service.next("createPet", Response(is_lost=True))
        await driver.press("enter")
        await driver.until(lambda: len(driver.sent_names) == 3)
        await driver.press("escape")
        await driver.sees("2 lines added, 1 unknown")
        await driver.press("escape")
        await read(driver, GOOD)
        await driver.sees("1 line to add", "1 line without an answer: sent again, and added once")
        await driver.press("enter")
        await driver.sees("1 line added, 2 added by an earlier import")
        assert len(driver.sent_names) == 4
        await driver.press("escape")
        await driver.sees("3 shown")


async def test_esc_stops_it_and_enter_goes_on_without_adding_anything_twice() -> None:
    lines = "name,category\n" + "".join(f"Rex {number},3\n" for number in range(40))
    async with opened_import(lines) as driver:
        gate = driver.service.hold("createPet")
        await driver.press("enter")
        await driver.sees("sending")
        await driver.until(lambda: len(driver.sent_names) == 4)
        await driver.sees("esc Stop")
        await driver.press("escape")
        await driver.sees("stopping: waiting for the last responses")
        gate.set()
        await driver.sees("stopped:", "esc Back")
        assert "not sent" in driver.words
        await driver.press("u", "enter")
        await driver.until(lambda: "lines added" in driver.words and "stopped" not in driver.words)
        await driver.settled()
        assert {outcome for outcome, _ in results()} <= {"added", "added earlier"}
        assert set(driver.sent_names) == {f"Rex {number}" for number in range(40)}


async def test_quitting_in_the_middle_waits_for_pending_responses() -> None:
    async with opened_import("name,category\nRex,3\nLuna,1\nMimi,1\nTiny,2\n") as driver:
        gate = driver.service.hold("createPet")
        await driver.press("enter")
        await driver.until(lambda: len(driver.sent_names) == 4)
        worker = driver.screen.request.worker

        async def answer_once_it_is_stopped() -> None:
            while not worker.is_cancelled:  # noqa: ASYNC110 - Textual has no such event
                await asyncio.sleep(0)
            gate.set()

        answering = asyncio.create_task(answer_once_it_is_stopped())
        driver.app.exit()
    await answering
    assert results() == [("added", "")] * 4


async def test_keys_that_are_typed_while_an_import_stops_act_once_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It waits for last responses, which a service that died never sends."""
    monkeypatch.setattr("pettui.transfer.import_run.GRACE", 0.1)
    async with opened_import("name,category\nRex,3\n") as driver:
        driver.service.hold("createPet")
        await driver.press("enter")
        await driver.until(lambda: bool(driver.sent_names))
        driver.type("escape", "escape")
        await driver.sees("1 All")


async def test_what_was_imported_before_is_left_out(journal: Callable[[], Journal]) -> None:
    async with opened_import(GOOD, open_journal=journal) as driver:
        await driver.press("enter")
        await is_over(driver)
        await driver.press("escape")
        await read(driver, GOOD)
        assert "0 lines to add" in driver.words
        assert "3 lines added already, left out" in driver.words
        await driver.press("enter")
        assert len(driver.sent_names) == 3
        await driver.press("A")
        await driver.sees("Send 3 lines again?", "they would be there twice")
        await driver.press("n", "enter")
        assert len(driver.sent_names) == 3
        await driver.press("A")
        await driver.press("y", "enter")
        await driver.until(lambda: len(driver.sent_names) >= 6)
        await is_over(driver)
        assert len(driver.sent_names) == 6


async def test_two_imports_at_once_to_one_service_are_none(journal: Callable[[], Journal]) -> None:
    other = journal()
    async with open_app(open_journal=journal) as driver:
        await enter_name(driver, GOOD)
        await driver.sees("another import")
        other.close()
        await driver.press("escape")
        await read(driver, GOOD)
        with pytest.raises(JournalBusyError):
            journal()
        await driver.press("escape")
        await driver.sees("1 All")
        await driver.settled()
        journal().close()


async def test_a_journal_that_can_not_be_opened_is_not_taken_for_the_file(
    directory: Path, journal: Callable[[], Journal]
) -> None:
    (directory / "state").write_text("where the directory should be")
    async with open_app(open_journal=journal, size=(40, 12)) as driver:
        await enter_name(driver, GOOD)
        await driver.sees("journal: part")
        check_screen(driver, "the reason")
        await driver.press("f6")
        await driver.sees("cannot lock the journal")


@pytest.mark.parametrize(("size", "key"), [((120, 30), "r"), ((40, 12), "f5")])
async def test_an_import_that_would_wait_too_long_ends_and_a_key_tries_now(
    size: tuple[int, int], key: str
) -> None:
    async with opened_import("name,category\nRex,3\nLuna,1\n", size=size) as driver:
        asked = Response(429, {"code": "busy", "message": "Not now"}, [("Retry-After", "3600")])
        driver.service.always("createPet", asked)
        await driver.press("enter")
        await driver.sees("The import waits", "adds would wait 60 min", "r or F5 tries now")
        await driver.settled()
        driver.service.always("createPet", None)
        await driver.press(key)
        await driver.sees("2 lines added")
        assert "tries now" not in driver.words


async def test_an_import_that_is_left_with_open_lines_is_named_until_it_is_done() -> None:
    service = ScriptedService([])
    async with opened_import("name,category\nRex,3\nTom,3\n", service=service) as driver:
        service.next("createPet", error(500, "internal", "no"), error(500, "internal", "no"))
        await driver.press("enter")
        await is_over(driver)
        await driver.press("escape")
        await driver.sees("open")
        assert re.search(r"import: [12] open", driver.text)
        session = driver.app.session
        assert re.search(r"the import of pets.csv has [12] open line", driver.app.farewell)
        await driver.press("o")
        await driver.sees(f"the import of {FILE.name} has", "i goes on")
        await driver.press("i")
        await driver.sees("duplicate", "Import")
        await driver.press("enter")
        await driver.until(lambda: not session.open_imports.all)
        await driver.until(lambda: "the result is in" in driver.text)
        await driver.press("escape")
        await driver.sees_no("import: ")


async def test_the_next_start_names_it_too(directory: Path) -> None:
    OpenImports(directory, "https://store.example/v1").set(str(directory / "pets.csv"), 3)
    kept = OpenImports(directory, "https://store.example/v1")
    other = OpenImports(directory, "https://other.example/v1")
    assert other.all == ()
    async with open_app(open_journal=Journal.in_memory, open_imports=kept) as driver:
        await driver.sees("import: 3 open")
