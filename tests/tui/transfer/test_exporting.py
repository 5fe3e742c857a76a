"""Animals are taken away: into a file that is read back here, or by the clipboard."""

from __future__ import annotations

import asyncio
import base64
import csv
import io
import json
import threading
from typing import TYPE_CHECKING

import pytest

from pettui.models.pets import NewPet
from pettui.outbox import today
from pettui.transfer.files import TransferError
from pettui.tui.transfer.export import CLIPBOARD_MAXIMUM, clipboard_text, write_in_thread
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, listing, pet, pets
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("directory")
ANIMALS = pets(4)
NAME = "pets-2026-11-21.csv"
EXACT = '{"id":  5, "categoryId":3.0,"name":"Rex", "price": 1.10, "weight": 1e400}'


@pytest.fixture
def service() -> ScriptedService:
    """It lists these animals."""
    return listing(ANIMALS)


def names_in(directory: Path) -> list[str]:
    """Return what stands in a directory."""
    return sorted(path.name for path in directory.iterdir())


def line(driver: Driver) -> str:
    """Return the line of the export with single spaces."""
    return " ".join((driver.line_with("Export ") or driver.line_with("Copy as ")).split())


async def test_what_is_shown_is_written_with_two_keys(directory: Path) -> None:
    async with open_app(listing(ANIMALS), size=(40, 12)) as driver:
        await driver.press("e")
        check_screen(driver, "the line")
        assert "4 rows" in line(driver)
        await driver.press("enter")
        await driver.sees("wrote 4 rows")
        check_screen(driver, "written")
    assert ids_in(directory / NAME) == [4, 3, 2, 1]
    assert names_in(directory) == [NAME]


async def test_the_suffix_is_the_format_and_bodies_are_exact(directory: Path) -> None:
    body = f"[{EXACT},\n {EXACT.replace('5', '4', 1)}]".encode()
    async with open_app(listing(Response(body=body))) as driver:
        await driver.press("e", "ctrl+u", *"out.jsonl", "enter")
        await driver.sees("wrote 2 rows")
        assert driver.bottom.startswith(f"wrote 2 rows to {directory / 'out.jsonl'}")
    written = (directory / "out.jsonl").read_text(encoding="utf-8")
    assert written == f"{EXACT}\n{EXACT.replace('5', '4', 1)}\n"


async def test_a_file_that_is_there_needs_a_second_enter(driver: Driver, directory: Path) -> None:
    (directory / NAME).write_text("precious")
    await driver.press("e", "enter")
    assert "the file exists: ↵ again overwrites it" in line(driver)
    assert (directory / NAME).read_text() == "precious"
    await driver.press("enter")
    await driver.sees("wrote 4 rows")
    assert (directory / NAME).read_text().startswith("id,name")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pets.xlsx", "end the name in .csv, .json or .jsonl"),
        ("nowhere/pets.csv", "no such file or directory"),
        ("~nobody-here/pets.csv", "there is no such home directory"),
    ],
)
async def test_an_invalid_name_can_be_corrected(name: str, words: str, directory: Path) -> None:
    async with open_app(listing(ANIMALS), size=(80, 24)) as driver:
        await driver.press("e", "ctrl+u", *name, "enter")
        assert words in line(driver)
        check_screen(driver, name)
        assert names_in(directory) == []
        await driver.press("ctrl+u", *"~/good.csv", "enter")
        await driver.sees("wrote 4 rows")
    assert names_in(directory) == ["good.csv"]


async def test_the_line_goes_with_a_list_that_comes_while_it_is_open(
    driver: Driver, directory: Path
) -> None:
    sold = asyncio.Event()
    driver.service.next("listPets", Response(body=[pet(9, status="sold")], gate=sold))
    await driver.press("4", "e")
    assert "4 rows, as shown" in line(driver)
    assert "pets-2026-11-21.csv" in line(driver)
    sold.set()
    await driver.until(lambda: "1 row, as shown" in line(driver))
    await driver.press("enter")
    await driver.sees("wrote 1 row to")
    assert names_in(directory) == ["pets-sold-2026-11-21.csv"]


async def test_tab_completes_a_path_as_a_shell_does(driver: Driver, directory: Path) -> None:
    (directory / "exports").mkdir()
    for name in ("march.csv", "may.csv"):
        (directory / "exports" / name).touch()
    await driver.press("e", "ctrl+u", *"ex", "tab", "tab")
    assert "exports/ma" in line(driver)
    assert "march.csv may.csv" in line(driver)
    await driver.press("y", "tab")
    assert "exports/may.csv" in line(driver)
    await driver.press("x", "tab")
    await driver.sees("no file begins so")


async def test_f2_copies_in_the_format_of_the_name(driver: Driver) -> None:
    await driver.press("e", "f2")
    await driver.sees("copied 4 rows as CSV, if this terminal allows it")
    rows = list(csv.reader(io.StringIO(driver.app.clipboard, newline="")))
    assert rows[0][:4] == ["id", "name", "categoryId", "status"]
    assert len(rows) == 5
    await driver.press("e", "ctrl+u", *"x.json", "f2")
    assert json.loads(driver.app.clipboard) == ANIMALS


async def test_what_is_too_long_for_a_clipboard_can_be_written(directory: Path) -> None:
    async with open_app(listing([pet(2, "x" * 80_000), pet(1)])) as driver:
        await driver.press("e", "f2")
        assert "2 rows are too long to copy: 74 kB at most" in line(driver)
        assert driver.app.clipboard == ""
        await driver.press("enter")
        await driver.sees("wrote 2 rows")
    assert (directory / NAME).stat().st_size > 80_000


async def test_the_receipt_is_exported_too(directory: Path) -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", *"Luna", "enter", "escape")
        await driver.until(lambda: driver.app.session.receipt.count == 2)
        await driver.press("R", "e")
        assert "2 rows, added today" in line(driver)
        await driver.press("enter")
        await driver.sees("wrote 2 rows")
        await driver.press("e", "escape", "escape")
        await driver.sees("1 All")
    assert ids_in(directory / f"pets-added-{today().isoformat()}.csv") == [2, 1]


async def test_over_ssh_there_are_no_files_and_enter_copies(directory: Path) -> None:
    (directory / "csv").write_text("")
    async with open_app(listing(ANIMALS), size=(80, 24)) as driver:
        driver.app.session.writes_files = False
        await driver.press("e")
        assert line(driver).startswith("Copy as ▌csv")
        assert "F2" not in line(driver)
        await driver.press("f2", "enter")
        await driver.sees("copied 4 rows as CSV")
        assert driver.app.clipboard.startswith("id,name")
        await driver.press("e", "tab", "tab", "enter")
        await driver.sees("copied 4 rows as JSON Lines")
        assert [json.loads(each) for each in driver.app.clipboard.splitlines()] == ANIMALS
        await driver.press("e", "ctrl+u", *"/tmp/x", "enter")
        assert "csv, json or jsonl" in line(driver)
    assert names_in(directory) == ["csv"]


# All pages


def many() -> ScriptedService:
    """Return the real service with 250 animals."""
    return ScriptedService([NewPet(name=f"Rex {number}", category_id=3) for number in range(250)])


def ids_in(path: Path) -> list[int]:
    """Return the ids in a file of CSV."""
    with path.open(encoding="utf-8", newline="") as file:
        return [int(row["id"]) for row in csv.DictReader(file)]


async def test_f3_goes_round_what_is_shown_what_is_found_on_all_pages_and_everything(
    directory: Path,
) -> None:
    found = [each for each in range(250, 0, -1) if "24" in f"{each} Rex {each - 1}"]
    async with open_app(many()) as driver:
        await driver.press("/", *"Rex 24", "enter", "e")
        takes = []
        for _ in range(4):
            takes.append(line(driver))
            await driver.press("f3")
        assert "11 rows, as shown" in takes[0]
        assert "F3 all found" in takes[0]
        assert "11 rows, found, then all further pages" in takes[1]
        assert "F3 all pages" in takes[1]
        assert "then all further pages" in takes[2]
        assert "F3 as shown" in takes[2]
        assert takes[3] == takes[0]
        await driver.press("enter")
        await driver.sees(f"wrote {len(found)} rows")
    assert ids_in(directory / NAME) == found


STRANGE_LIST = f'[{json.dumps(ANIMALS[0])},{{"id":"2","name":"Rex"}}]'.encode()


@pytest.mark.parametrize(("key", "done"), [("enter", "wrote 1 row"), ("f2", "copied 1 row")])
async def test_unreadable_rows_are_left_out_only_by_the_same_key_again(
    directory: Path, key: str, done: str
) -> None:
    async with open_app(listing(Response(body=STRANGE_LIST))) as driver:
        await driver.press("e", key)
        await driver.sees("1 row could not be read: the same key again leaves it out")
        assert not names_in(directory)
        await driver.press("x", "backspace", key)  # another name is asked about anew
        await driver.sees("the same key again leaves it out")
        await driver.press(key)
        await driver.sees(done)


async def test_a_file_is_asked_about_before_all_pages_are_loaded(directory: Path) -> None:
    (directory / NAME).write_text("precious")
    async with open_app(many()) as driver:
        await driver.press("e", "f3", "enter")
        await driver.sees("again overwrites")
        assert len(driver.service.requests_for("listPets")) == 1
        await driver.press("enter")
        await driver.sees("wrote 250 rows")


async def test_a_page_that_fails_writes_nothing_and_enter_goes_on(directory: Path) -> None:
    async with open_app(many()) as driver:
        driver.service.next("listPets", error(403, "forbidden", "Not now"))
        await driver.press("e", "f3", "enter")
        await driver.sees("✖ 403 forbidden", "not all pages were loaded")
        assert not names_in(directory)
        await driver.press("enter")
        await driver.sees("wrote 250 rows")
    assert len(ids_in(directory / NAME)) == 250


async def test_esc_stops_the_loading_writes_nothing_and_keeps_the_line(directory: Path) -> None:
    async with open_app(many()) as driver:
        gate = driver.service.hold("listPets")
        await driver.press("e", "f3", "enter")
        await driver.sees("working", "esc stop")
        await driver.press("escape")
        await driver.sees("stopped: nothing was exported", "shown · limit 20 ")
        await driver.sees_no("animals as of")
        gate.set()
        assert not names_in(directory)
        await driver.press("x", "backspace", "enter")
        await driver.sees("wrote 250 rows")


def test_the_clipboard_holds_what_terminals_accept_and_not_a_byte_more() -> None:
    most = "é" * (CLIPBOARD_MAXIMUM // 2)
    assert clipboard_text([most.encode()], 1) == most
    assert len(base64.b64encode(most.encode())) + len("\x1b]52;c;\x07") == 100_000
    with pytest.raises(TransferError, match="1 row is too long to copy: 74 kB at most"):
        clipboard_text([most.encode(), b"x"], 1)


async def test_a_cancelled_write_leaves_no_file(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"half"
        begun.set()
        go_on.wait(PATIENCE)
        yield b"the other half"

    writing = asyncio.create_task(write_in_thread(tmp_path / "a.csv", pieces()))
    await asyncio.to_thread(begun.wait, PATIENCE)
    assert [name.endswith(".tmp") for name in names_in(tmp_path)] == [True]
    writing.cancel()
    await asyncio.sleep(0)  # it is told now
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert names_in(tmp_path) == []
