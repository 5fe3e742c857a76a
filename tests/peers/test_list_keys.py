"""The installed program in real terminals: find, sort, watch, all pages, export, and no network."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.peers.listing_service import ListingService
from tests.peers.terminal import ENTER, ESCAPE, Terminal
from tests.peers.tmux import Tmux

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))
COUNT = 450
BIG = 2**53 + 1
CLEAR = "\x15"  # ctrl+u

LUNA = '{"id": 1, "name": "Luna", "categoryId": 1, "status": "sold", "weight": 1.10}'
FORMULA = f'{{"id": 2, "name": "=1+1", "categoryId": -5, "owner": {{"id": {BIG}}}}}'


class Screen(Protocol):
    """A terminal of either kind."""

    def press(self, *keys: str) -> None:
        """Type."""

    def wait_for(self, *texts: str) -> None:
        """Wait until all of these texts are on the screen."""

    @property
    def text(self) -> str:
        """The screen's text."""

    def close(self) -> None:
        """End it."""


class Pane(Tmux):
    """A pane of tmux that takes what a terminal sends."""

    def press(self, *keys: str) -> None:
        """Type texts, and the keys that have a name."""
        names = {ENTER: "Enter", ESCAPE: "Escape", CLEAR: "C-u"}
        for key in keys:
            self.run("send-keys", *([names[key]] if key in names else ["-l", key]))

    @property
    def text(self) -> str:
        """What stands in the pane."""
        return "\n".join(self.lines)


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


@pytest.fixture(
    params=[
        "pty",
        pytest.param(
            "tmux",
            marks=pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux"),
        ),
    ]
)
def start(
    request: pytest.FixtureRequest,
    environment: Mapping[str, str],
    service: ListingService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[], Screen]]:
    """Start the program in a terminal of 100 by 30; it is ended with the test."""
    monkeypatch.chdir(tmp_path)
    configuration = tmp_path / "config.toml"
    configuration.write_text("watch = 2\n")
    key = {"PETTUI_BASE_URL": service.address, "PETTUI_API_KEY": "key-of-the-shop"}
    configured = {**environment, **key, "PETTUI_CONFIG": str(configuration)}
    screens: list[Screen] = []

    def start() -> Screen:
        screen: Screen
        if request.param == "pty":
            screen = Terminal([PROGRAM], configured)
        else:
            (directory := tmp_path / f"tmux-{len(screens)}").mkdir()
            screen = Pane([f"{PROGRAM}; cat"], configured, directory)
        screens.append(screen)
        return screen

    yield start
    for screen in screens:
        screen.close()


def export(screen: Screen, name: str) -> str:
    """Export what is shown to the current directory, and return the file's text."""
    screen.press("e")
    screen.wait_for("Export", "write")
    screen.press(CLEAR, name, ENTER)
    screen.wait_for(f"wrote {COUNT} rows to ")
    return Path(name).read_text(encoding="utf-8")


def test_a_clerk_finds_sorts_exports_watches_and_loads_all(
    start: Callable[[], Screen], service: ListingService
) -> None:
    """One long session in each kind of terminal, and another one without a network."""
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
