"""The installed program in real terminals: find, sort, watch, all pages, export, and no network."""

from __future__ import annotations

import csv
import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.peers.listing_service import ListingService
from tests.peers.terminal import ENTER, ESCAPE, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))
COUNT = 450
BIG = 2**53 + 1
CLEAR = "\x15"  # ctrl+u

LUNA = '{"id": 1, "name": "Luna", "categoryId": 1, "status": "sold", "weight": 1.10}'
FORMULA = f'{{"id": 2, "name": "=1+1", "categoryId": -5, "owner": {{"id": {BIG}}}}}'


@pytest.fixture
def service() -> ListingService:
    """450 animals, the oldest of which is Luna."""
    others = (
        json.dumps({"id": number, "name": f"Rex {number}", "categoryId": 3, "status": "available"})
        for number in range(3, COUNT + 1)
    )
    service = ListingService([LUNA, FORMULA, *others])
    with service.open():
        pass  # reserves its port
    return service


@pytest.fixture
def start(
    environment: Mapping[str, str],
    service: ListingService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[], Terminal]]:
    """Start the program in a terminal of 100 by 30; it is ended with the test."""
    monkeypatch.chdir(tmp_path)
    configuration = tmp_path / "config.toml"
    configuration.write_text("watch = 2\n")
    key = {"PETTUI_BASE_URL": service.address, "PETTUI_API_KEY": "key-of-the-shop"}
    configured = {**environment, **key, "PETTUI_CONFIG": str(configuration)}
    terminals: list[Terminal] = []

    def start() -> Terminal:
        terminals.append(Terminal([PROGRAM], configured))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()


def export(screen: Terminal, name: str) -> str:
    """Export what is shown to the current directory, and return the file's text."""
    screen.press("e")
    screen.wait_for("Export", "write")
    screen.press(CLEAR, name, ENTER)
    screen.wait_until(Path(name).exists, name)
    screen.wait_for(f"wrote {COUNT} rows to ")
    return Path(name).read_text(encoding="utf-8")


def test_a_clerk_finds_sorts_exports_watches_and_loads_all(
    start: Callable[[], Terminal], service: ListingService
) -> None:
    """One long session, and another one without a network."""
    with service.open():
        screen = start()
        screen.wait_for(f"Rex {COUNT}", "30 shown")

        screen.press("/", "lun")
        screen.wait_for("0 of 30 loaded")
        screen.press(ENTER, "M")
        screen.wait_for("Luna", f"1 of {COUNT} loaded")
        screen.press(ESCAPE)
        screen.wait_for(f"{COUNT} shown")

        screen.press("s", "s", "S", "g")
        screen.wait_for("by name ▼", f"{COUNT} rows", "Rex 99 ")

        rows = list(csv.DictReader(export(screen, "pets.csv").splitlines()))
        assert [row["name"] for row in rows[-3:]] == ["Rex 10", "Luna", "'=1+1"]
        assert rows[-1]["categoryId"] == "-5"
        assert json.loads(rows[-1]["owner"]) == {"id": BIG}
        pets = json.loads(export(screen, "pets.json"), parse_float=Decimal)
        assert [pet["id"] for pet in pets] == [int(row["id"]) for row in rows]
        assert str(pets[-2]["weight"]) == "1.10"
        assert export(screen, "pets.jsonl").splitlines()[-2:] == [LUNA, FORMULA]

        screen.press("s", "s", "s", "w")
        screen.wait_for("watch 2 s")
        service.bodies.append(json.dumps({"id": COUNT + 1, "name": "Nimbus", "categoryId": 1}))
        screen.wait_for("1 new")
        screen.press("n", "w")
        screen.wait_for("Nimbus", "no longer watching")

        service.pages_at_once.clear()
        screen.press("2")
        screen.wait_for("30 shown")
        screen.press("M")
        screen.wait_for("loading: 200 rows, 2 pages")
        screen.press(ESCAPE)
        screen.wait_for("stopped after 200 rows, 2 pages", "200 shown")
        service.pages_at_once.set()
        screen.press("M")
        screen.wait_for(f"{COUNT - 2} shown")
        screen.press("1")
        screen.wait_for("Nimbus")
        screen.press("q")

    without_network = start()
    without_network.wait_for("Nimbus", "all as of", "connection refused")
    without_network.press("/", "nim")
    without_network.wait_for("1 of ", "/nim")
    without_network.press(ENTER, "q")
