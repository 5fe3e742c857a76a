"""Animals are taken away: into a file that is read back here, or by the clipboard."""

from __future__ import annotations

import asyncio
import base64
import csv
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from pettui.models.pets import NewPet
from pettui.outbox.receipts import today
from pettui.transfer.files import TransferError
from pettui.tui.transfer.export import CLIPBOARD_MAXIMUM, clipboard_text, write_in_thread
from tests.tui.driving import (
    Driver,
    case,
    fits,
    has_copied,
    on,
    open_app,
    responds,
    sees,
    sees_no,
    table,
)
from tests.tui.scripted_service import Response, ScriptedService, error, listing, pet, pets
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.tui.driving import Case, Start, Step

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


def many() -> ScriptedService:
    """Return the real service with 250 animals."""
    return ScriptedService([NewPet(name=f"Rex {number}", category_id=3) for number in range(250)])


def ids_in(path: Path) -> list[int]:
    """Return the ids in a file of CSV."""
    with path.open(encoding="utf-8", newline="") as file:
        return [int(row["id"]) for row in csv.DictReader(file)]


def four(**options: Any) -> Start:
    """Return a start: the app on a list of four animals."""
    return on(lambda: listing(ANIMALS), **options)


def beside(content: str, start: Start) -> Start:
    """Return a start in a directory that has a file of the export's name."""

    @asynccontextmanager
    async def begin() -> AsyncIterator[Driver]:
        await asyncio.to_thread(Path(NAME).write_text, content)
        async with start() as driver:
            yield driver

    return begin


@asynccontextmanager
async def over_ssh() -> AsyncIterator[Driver]:
    """Open the app on a list of four animals, where no files are written."""
    async with open_app(listing(ANIMALS), size=(80, 24)) as driver:
        driver.app.session.writes_files = False
        yield driver


def has_written(*ids: int, name: str = NAME) -> Step:
    """Return a step that checks that these animals are in the only file; none: there is none."""

    async def check(_: Driver) -> None:
        assert names_in(Path()) == [name] * bool(ids)
        assert not ids or ids_in(Path(name)) == [*ids]

    return check


async def is_precious(_: Driver) -> None:
    assert await asyncio.to_thread(Path(NAME).read_text) == "precious"


async def has_both_in_the_receipt(driver: Driver) -> None:
    await driver.until(lambda: driver.app.session.receipt.count == 2)


async def has_asked_once(driver: Driver) -> None:
    assert len(driver.service.requests_for("listPets")) == 1


STRANGE_LIST = f'[{json.dumps(ANIMALS[0])},{{"id":"2","name":"Rex"}}]'.encode()
LONG = [pet(2, "x" * 80_000), pet(1)]
OF_TODAY = f"pets-added-{today().isoformat()}.csv"


@table(
    case("what is shown is written with two keys", four(size=(40, 12)),
         "e", fits, sees("4 rows"), "enter", sees("wrote 4 rows"), fits, has_written(4, 3, 2, 1)),
    case("a file that is there needs a second Enter", beside("precious", four()),
         "e", "enter", sees("the file exists: ↵ again overwrites it"), is_precious,
         "x", "backspace", "enter", sees("again overwrites"), is_precious,
         "enter", sees("wrote 4 rows"), has_written(4, 3, 2, 1)),
    case("a name that is wrong can be corrected", four(size=(80, 24)),
         "e", "ctrl+u", *"pets.xlsx", "enter", sees("end the name in .csv, .json or .jsonl"), fits,
         "ctrl+u", *"nowhere/a.csv", "enter", sees("no such file or directory"),
         "ctrl+u", *"~nobody-here/a.csv", "enter", sees("there is no such home directory"),
         has_written(), "ctrl+u", *"~/good.csv", "enter", sees("wrote 4 rows"),
         has_written(4, 3, 2, 1, name="good.csv")),
    case("F2 copies in the format of the name", four(),
         "e", "f2", sees("copied 4 rows as CSV, if this terminal allows it"),
         has_copied("id,name,categoryId,status,category"), "e", "ctrl+u", *"x.json", "f2",
         sees("copied 4 rows as JSON"), has_copied('[\n{"id"')),
    case("what is too long for a clipboard can be written", on(lambda: listing(LONG)),
         "e", "f2", sees("2 rows are too long to copy: 74 kB at most"),
         "enter", sees("wrote 2 rows"), has_written(2, 1)),
    case("the receipt is exported, too", on(lambda: ScriptedService([])),
         "a", *"Rex", "tab", "3", "enter", *"Luna", "enter", "escape", has_both_in_the_receipt,
         "R", "e", sees("2 rows, added today"), "enter", sees("wrote 2 rows"),
         has_written(2, 1, name=OF_TODAY)),
    case("over SSH there are no files, and Enter copies", over_ssh,
         "e", sees("Copy as ▌csv"), sees_no("F2"), "enter", sees("copied 4 rows as CSV"),
         has_copied("id,name"), "e", "tab", "tab", "enter", sees("copied 4 rows as JSON Lines"),
         "e", "ctrl+u", *"/tmp/x", "enter", sees("csv, json or jsonl"), has_written()),
    case("rows that can't be read are left out by the same key again",
         on(lambda: listing(Response(body=STRANGE_LIST))),
         "e", "enter", sees("1 row could not be read: the same key again leaves it out"),
         has_written(), "x", "backspace", "enter", sees("the same key again leaves it out"),
         "enter", sees("wrote 1 row")),
    case("so are they where F2 copies", on(lambda: listing(Response(body=STRANGE_LIST))),
         "e", "f2", sees("the same key again leaves it out"), "f2", sees("copied 1 row")),
    case("a file is asked about before all pages are loaded", beside("precious", on(many)),
         "e", "f3", "enter", sees("again overwrites"), has_asked_once,
         "enter", sees("wrote 250 rows")),
    case("a page that fails writes nothing, and Enter goes on", on(many),
         responds("listPets", error(403, "forbidden", "Not now")), "e", "f3", "enter",
         sees("✖ 403 forbidden", "not all pages were loaded"), has_written(),
         "enter", sees("wrote 250 rows")),
)  # fmt: skip
async def test_exporting(case: Case) -> None:
    await case.run()


async def test_the_suffix_is_the_format_and_bodies_are_exact(directory: Path) -> None:
    body = f"[{EXACT},\n {EXACT.replace('5', '4', 1)}]".encode()
    async with open_app(listing(Response(body=body))) as driver:
        await driver.press("e", "ctrl+u", *"out.jsonl", "enter")
        await driver.sees("wrote 2 rows")
        assert driver.bottom.startswith(f"wrote 2 rows to {directory / 'out.jsonl'}")
    written = (directory / "out.jsonl").read_text(encoding="utf-8")
    assert written == f"{EXACT}\n{EXACT.replace('5', '4', 1)}\n"


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


# All pages


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


async def test_without_a_thread_it_is_said_and_nothing_is_written_later(tmp_path: Path) -> None:
    executor = Mock(spec=ThreadPoolExecutor)
    executor.submit.side_effect = RuntimeError("can't start new thread")
    asyncio.get_running_loop().set_default_executor(executor)
    with pytest.raises(TransferError, match="cannot write: can't start new thread"):
        await write_in_thread(tmp_path / "a.csv", [b"a"])
    with pytest.raises(TransferError, match="stopped"):
        executor.submit.call_args.args[0]()
    assert names_in(tmp_path) == []
