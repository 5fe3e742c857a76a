"""Importing a file: a line asks for it, a screen shows what is in it, and Enter sends it."""

from __future__ import annotations

import asyncio
import csv
from typing import TYPE_CHECKING

import pytest

from pettui.models import NewPet
from pettui.transfer.importing.journals.journal import Journal
from pettui.transfer.importing.journals.journal_file import JournalBusyError
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, pet

if TYPE_CHECKING:
    from pathlib import Path

SIZES = [(120, 30), (80, 24), (40, 12)]
ADDRESS = "https://store.example/v1"
GOOD = "name,category,status\nRex,3,available\nLuna,1,\nMimi,1,sold\n"
MIXED = "name,category,status\nRex,3,available\n,3,sold\nRex,3,available\nTiny,x,\n"


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, in which nothing is yet."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(directory: Path) -> list[tuple[str, str]]:
    """Return the outcome of each line, and its error."""
    with (directory / "pets.result.csv").open(newline="", encoding="utf-8") as file:
        return [(row["outcome"], row["error"]) for row in csv.DictReader(file)]


def words(driver: Driver) -> str:
    """Return the screen's text with single spaces: a narrow one breaks it anywhere."""
    return " ".join(driver.text.split())


async def read(driver: Driver, directory: Path, content: str) -> None:
    """Have a file read, and wait until duplicates were looked for."""
    (directory / "pets.csv").write_text(content, encoding="utf-8")
    await driver.press("i", *"pets.csv", "enter")
    await driver.until(lambda: "duplicate" in words(driver))
    await driver.settled()


async def is_over(driver: Driver) -> None:
    await driver.until(lambda: "the result is in" in words(driver))
    await driver.settled()


def names(service: ScriptedService) -> list[str]:
    """Return the names that were sent."""
    return [asked.body["name"] for asked in service.requests_for("createPet")]


@pytest.mark.parametrize("size", SIZES)
async def test_the_animals_of_a_file_are_added_and_the_list_shows_them(
    size: tuple[int, int], directory: Path
) -> None:
    async with open_app(ScriptedService([]), size=size, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, GOOD)
        check_screen(driver, "the import before it is sent")
        assert "3 lines to add" in words(driver)
        assert driver.service.requests_for("createPet") == []
        await driver.press("enter")
        await is_over(driver)
        check_screen(driver, "the import after it was sent")
        assert "3 lines added" in words(driver)
        assert results(directory) == [("added", "")] * 3
        await driver.press("escape")
        await driver.sees("Rex", "Luna", "Mimi")


async def test_nothing_is_sent_while_a_line_is_bad_unless_bad_ones_are_left_out(
    directory: Path,
) -> None:
    async with open_app(ScriptedService([]), open_journal=Journal.in_memory) as driver:
        await read(driver, directory, MIXED)
        assert "2 bad lines, so nothing is sent: correct the file, or x leaves them out" in words(
            driver
        )
        assert "line 3 name: is missing" in words(driver)
        assert "line 5 category:" in words(driver)
        await driver.press("enter")
        assert driver.service.requests_for("createPet") == []
        await driver.press("x", "enter")
        await is_over(driver)
        assert [outcome for outcome, _ in results(directory)] == ["added", "bad", "added", "bad"]


async def test_duplicates_are_named_and_sent_unless_they_are_left_out(directory: Path) -> None:
    async with open_app(ScriptedService([]), open_journal=Journal.in_memory) as driver:
        await read(driver, directory, MIXED)
        assert "line 4 a duplicate of line 2" in words(driver)
        assert "1 duplicate: 1 within the file" in words(driver)
        assert "; d leaves it out" in words(driver)
        await driver.press("x", "d", "enter")
        await is_over(driver)
        assert names(driver.service) == ["Rex"]
        assert [outcome for outcome, _ in results(directory)][2] == "duplicate"


async def test_what_left_lines_out_is_offered_as_long_as_it_changes_what_is_sent(
    directory: Path,
) -> None:
    both = ("x Leave out bad lines", "d Leave out duplicates")
    async with open_app(ScriptedService([]), open_journal=Journal.in_memory) as driver:
        await read(driver, directory, MIXED)
        assert all(key in driver.lines[-1] for key in both)
        await driver.press("x", "d", "enter")
        await is_over(driver)
        assert all(key in driver.lines[-1] for key in both)  # the duplicate can still be sent
        await driver.press("d", "enter")
        await driver.until(lambda: names(driver.service) == ["Rex", "Rex"])
        await is_over(driver)
        await driver.sees_no(*both)


async def test_a_small_screen_names_the_keys_that_send_and_leave_out(directory: Path) -> None:
    service = ScriptedService([NewPet(name="Rex", categoryId=3, status="available")])
    async with open_app(service, size=(40, 12), open_journal=Journal.in_memory) as driver:
        await read(driver, directory, MIXED)
        assert "x leaves them out" in words(driver)
        assert "among the 1 animal that the service lists; d leaves them out" in words(driver)
        await driver.press("x")
        assert driver.lines[-1].strip().endswith("↵ Send · F6 Full text")


async def test_a_refused_line_stands_there_word_for_word_and_is_sent_again_by_enter(
    directory: Path,
) -> None:
    service = ScriptedService([])
    service.next("createPet", error(400, "invalid_value", "categoryId 3 does not exist"))
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, GOOD.replace("Luna,1,\nMimi,1,sold\n", ""))
        await driver.press("enter")
        await is_over(driver)
        assert "refused: 400 invalid_value: categoryId 3 does not exist" in words(driver)
        assert "1 line to add" in words(driver)
        await driver.press("enter")
        await driver.until(lambda: "1 line added" in words(driver))
        assert names(service) == ["Rex", "Rex"]


async def test_what_is_unknown_is_sent_again_only_by_its_key(directory: Path) -> None:
    service = ScriptedService([])
    service.next("createPet", Response(500, {"nothing": "that can be understood"}))
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, "Rex,3\n")
        await driver.press("enter")
        await is_over(driver)
        assert "1 line may have been added: unknown" in words(driver)
        await driver.press("enter", "l")
        await driver.until(lambda: "0 of 1 line found" in words(driver))
        assert names(service) == ["Rex"]
        await driver.press("u", "enter")
        await driver.until(lambda: "1 line added" in words(driver))
        assert names(service) == ["Rex", "Rex"]


async def test_what_is_found_in_the_list_is_added_on_the_screen_and_in_the_results(
    directory: Path,
) -> None:
    service = ScriptedService([])
    service.next("createPet", Response(500, {"nothing": "that can be understood"}))
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, "Rex,3\n")
        await driver.press("enter")
        await is_over(driver)
        assert [outcome for outcome, _ in results(directory)] == ["unknown"]
        await driver.client.create_pet(NewPet(name="Rex", categoryId=3))  # as if that had been it
        await driver.press("l")
        await driver.sees("1 of 1 line found", "1 line added")
        assert "line 1" not in driver.text
        assert results(directory) == [("added", "")]
        await driver.press("escape")
        await driver.sees("Rex")


async def test_esc_when_all_lines_are_under_way_stops_nothing(directory: Path) -> None:
    service = ScriptedService([])
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, "Rex,3\n")
        gate = service.hold("createPet")
        await driver.press("enter")
        await driver.until(lambda: names(service) == ["Rex"])
        await driver.press("escape")
        gate.set()
        await is_over(driver)
        assert "1 line added" in words(driver)
        assert "stopped" not in words(driver)


async def test_esc_stops_it_and_enter_goes_on_without_adding_anything_twice(
    directory: Path,
) -> None:
    service = ScriptedService([])
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        lines = "".join(f"Rex {number},3\n" for number in range(40))
        await read(driver, directory, lines)
        gate = service.hold("createPet")
        await driver.press("enter")
        await driver.until(lambda: "sending" in words(driver))
        await driver.until(lambda: len(service.requests_for("createPet")) == 4)
        await driver.press("escape")
        await driver.sees("stopping: waiting for the last responses")
        gate.set()
        await driver.until(lambda: "stopped:" in words(driver))
        assert "not sent" in words(driver)
        await driver.press("u", "enter")
        await driver.until(
            lambda: "lines added" in words(driver) and "stopped" not in words(driver)
        )
        await driver.settled()
        assert {outcome for outcome, _ in results(directory)} <= {"added", "added earlier"}
        assert set(names(service)) == {f"Rex {number}" for number in range(40)}


async def test_quitting_in_the_middle_waits_for_pending_responses(
    directory: Path,
) -> None:
    service = ScriptedService([])
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, "Rex,3\nLuna,1\nMimi,1\nTiny,2\n")
        gate = service.hold("createPet")
        await driver.press("enter")
        await driver.until(lambda: len(names(service)) == 4)
        worker = driver.screen.request.worker

        async def answer_once_it_is_stopped() -> None:
            while not worker.is_cancelled:  # noqa: ASYNC110 - Textual has no such event
                await asyncio.sleep(0)
            gate.set()

        answering = asyncio.create_task(answer_once_it_is_stopped())
        driver.app.exit()
    await answering
    assert results(directory) == [("added", "")] * 4


async def test_duplicates_that_are_left_out_are_looked_for_among_unknown_lines_too(
    directory: Path,
) -> None:
    service = ScriptedService([])
    service.next("createPet", Response(500, {"nothing": "that can be understood"}))
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, "Rex,3\nLuna,1\nLuna,1\n")
        await driver.press("d", "enter")
        await is_over(driver)
        assert "1 line may have been added: unknown" in words(driver)
        await service.store.create_pet(NewPet(name="Rex", categoryId=3))
        await driver.press("u", "enter")
        await driver.until(lambda: "2 left out as duplicates" in words(driver))
        assert sorted(names(service)) == ["Luna", "Rex"]


async def test_what_an_earlier_import_added_is_left_out_unless_its_key_says_otherwise(
    directory: Path,
) -> None:
    journals = directory / "imports"
    service = ScriptedService([])
    async with open_app(service, open_journal=lambda: Journal.open(journals, ADDRESS)) as driver:
        await read(driver, directory, GOOD)
        await driver.press("enter")
        await is_over(driver)
        await driver.press("escape")
        await read(driver, directory, GOOD)
        assert "0 lines to add" in words(driver)
        assert "3 lines added already, left out" in words(driver)
        await driver.press("enter")
        assert len(names(service)) == 3
        await driver.press("A", "enter")
        await is_over(driver)
        assert len(names(service)) == 6


async def test_the_journal_is_free_again_once_the_screen_is_left(directory: Path) -> None:
    journals = directory / "imports"
    async with open_app(open_journal=lambda: Journal.open(journals, ADDRESS)) as driver:
        await read(driver, directory, GOOD)
        with pytest.raises(JournalBusyError):
            Journal.open(journals, ADDRESS)
        await driver.press("escape")
        await driver.sees("1 All")
        await driver.settled()
        Journal.open(journals, ADDRESS).close()


async def test_a_second_import_to_the_same_service_says_so(directory: Path) -> None:
    journals = directory / "imports"
    other = Journal.open(journals, ADDRESS)
    async with open_app(open_journal=lambda: Journal.open(journals, ADDRESS)) as driver:
        (directory / "pets.csv").write_text(GOOD, encoding="utf-8")
        await driver.press("i", *"pets.csv", "enter")
        await driver.sees("another import")
    other.close()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "enter a file name"),
        ("nothing.csv", "no such file"),
        (".", "it is a directory"),
        ("bytes.csv", "text"),
        ("empty.csv", "no animal"),
        ("~nobody-at-all/x.csv", "no such"),
    ],
)
async def test_what_can_not_be_read_is_said_in_the_line(
    name: str, said: str, directory: Path
) -> None:
    (directory / "bytes.csv").write_bytes(bytes(range(256)))
    (directory / "empty.csv").write_bytes(b"")
    async with open_app(open_journal=Journal.in_memory) as driver:
        await driver.press("i", *name, "enter")
        await driver.until(lambda: said in driver.line_with("Import").lower())
        await driver.press("escape")
        await driver.sees_no("Import ")


async def test_f5_retries_when_the_service_does_not_respond(directory: Path) -> None:
    service = ScriptedService([])
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        service.next("listPets", error(500, "internal_error", "The database is being repaired"))
        (directory / "pets.csv").write_text(GOOD, encoding="utf-8")
        await driver.press("i", *"pets.csv", "enter")
        await driver.sees("The database is being repaired")
        await driver.press("enter")
        assert service.requests_for("createPet") == []
        await driver.press("f5")
        await driver.sees("no duplicates")
        await driver.sees_no("The database is being repaired")


async def test_a_refused_key_stops_it_and_says_so(directory: Path) -> None:
    service = ScriptedService([])
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, "Rex,3\n")
        service.next("createPet", error(401, "unauthorized", "Missing or invalid API key"))
        await driver.press("enter")
        await driver.sees("401 unauthorized")
        await is_over(driver)
        assert results(directory) == [("not sent", "")]
        await driver.press("f5")
        await driver.until(lambda: "1 line added" in words(driver))


async def test_a_key_that_is_typed_after_a_refusal_sends_the_lines(directory: Path) -> None:
    service = ScriptedService([], keys=("another-key",))
    service.next("listPets", *[Response(body=[])] * 2)  # before the key is refused
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, "Rex,3\n")
        await driver.press("enter")
        await driver.sees("401 unauthorized")
        await is_over(driver)
        await driver.press("f7", *"another-key", "enter")
        await driver.until(lambda: "1 line added" in words(driver))
        await driver.sees_no("401 unauthorized")


async def test_a_result_that_can_not_be_written_is_said(directory: Path) -> None:
    async with open_app(ScriptedService([]), open_journal=Journal.in_memory) as driver:
        await read(driver, directory, GOOD)
        (directory / "pets.result.csv").mkdir()
        await driver.press("enter")
        await driver.until(lambda: "cannot write" in words(driver))
        assert "3 lines added" in words(driver)


async def test_f6_shows_the_whole_of_a_reason_that_is_cut(directory: Path) -> None:
    service = ScriptedService([])
    service.next("createPet", error(400, "invalid_value", "because " * 30 + "of the end"))
    async with open_app(service, open_journal=Journal.in_memory, size=(80, 24)) as driver:
        await read(driver, directory, "Rex,3\n")
        await driver.press("enter")
        await is_over(driver)
        assert "of the end" not in words(driver)
        await driver.press("f6")
        await driver.sees("of the end")


async def test_what_a_file_holds_can_not_hurt_the_terminal(directory: Path) -> None:
    async with open_app(ScriptedService([]), open_journal=Journal.in_memory) as driver:
        await read(driver, directory, "name,category,\x1b]0;x\x07\nRex,\x1b[31m\u202e[b]\n")
        check_screen(driver, "the import of a hostile file")
        assert "\x1b" not in driver.text
        assert "[b]" in driver.text


async def test_what_the_answers_announce_stands_on_the_screen(directory: Path) -> None:
    service = ScriptedService([])
    sunset = (("deprecation", "@1764892800"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"))
    service.next("createPet", Response(201, pet(1, "Rex", 3), sunset))
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await read(driver, directory, "Rex,3\n")
        await driver.press("enter")
        await driver.sees("createPet is deprecated", "1 line added")


async def test_tab_completes_the_name_of_the_file(directory: Path) -> None:
    (directory / "animals.csv").write_text(GOOD, encoding="utf-8")
    async with open_app(ScriptedService([]), open_journal=Journal.in_memory) as driver:
        await driver.press("i", "a", "tab", "enter")
        await driver.sees("3 lines to add")


async def test_where_no_file_is_ever_read_there_is_no_import() -> None:
    async with open_app() as driver:
        await driver.press("i")
        await driver.sees_no("Import")
        await driver.press("colon", *"import")
        await driver.sees_no("Import a file")
