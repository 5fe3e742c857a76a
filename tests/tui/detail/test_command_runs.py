"""Commands of one's own: what they are given, what is shown of them, and that they end."""

from __future__ import annotations

import json
import os
import select
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from pettui.settings.settings import OwnCommand
from pettui.tui.detail.command_runs import OwnCommands
from tests.tui.driving import Case, Driver, open_app, sees, sees_no
from tests.tui.scripted_service import KEY, listing, pet, pets
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.tui.driving import Step

WRITE = (  # its arguments and its environment, a line of JSON each
    "import json, os, sys\n"
    "with open(sys.argv[1], 'a') as file:\n"
    "    print(json.dumps([sys.argv[2:], dict(os.environ)]), file=file)\n"
    "print('printed', sys.stdin.read())\n"
)
REX = "$(touch x) 'Rex'\n"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "output"


def writes(output: Path, *fields: str, code: str = WRITE, **more: Any) -> OwnCommand:
    run = (sys.executable, "-c", code, str(output), "--", *fields)
    return OwnCommand("b", "Label", run, **more)


@asynccontextmanager
async def opened(
    command: OwnCommand, animals: list[Any], *, size: tuple[int, int] = (120, 30), **more: str
) -> AsyncIterator[Driver]:
    environment = {**os.environ, **more}
    own = OwnCommands([command], environment, {"SHOP_KEY", "PETTUI_API_KEY"})
    async with open_app(listing(animals), own_commands=own, size=size) as driver:
        yield driver


def lines(output: Path) -> list[Any]:
    return [*map(json.loads, output.read_text().splitlines())] if output.exists() else []


def written(output: Path) -> list[tuple[list[str], dict[str, str]]]:
    return [(words[1:], environment) for words, environment in lines(output)]


async def test_a_program_gets_its_words_and_no_api_key(output: Path) -> None:
    keys = {
        "SHOP_KEY": "of-the-shop",
        "PETTUI_API_KEY": "x",
        "ALIAS": f"Bearer {KEY}",
        "LAMP": "on",
    }
    command = writes(output, "{id}", "{name}", "{category}", "{status}")
    async with opened(command, [pet(7, REX)], **keys) as driver:
        await driver.press("b")
        await driver.sees("Label is done for 1 animal")
    [(words, environment)] = written(output)
    assert words == ["7", REX, "Dogs", ""]
    assert environment["LAMP"] == "on"
    assert not environment.keys() & {"SHOP_KEY", "PETTUI_API_KEY", "ALIAS"}


FAILS_AT_5 = f"{WRITE}raise SystemExit(sys.argv[3] == '5')"
SPEAKS = r"print('one\ttwo'); print('\x1b[31mred\x9b'); raise SystemExit(3)"
ASKS = sees("Run Label for 12 animals, once each?")


@pytest.mark.parametrize(
    ("code", "animals", "steps", "given"),
    [
        pytest.param(
            WRITE, [pet(7)],
            (sees("b Label"), "f1", sees("Commands of your own"), "escape", "colon", *"label",
             sees("Label"), "enter", sees("Label is done for 1 animal"), "enter", sees("b Label"),
             "b", sees("Label is done for 1 animal")), ["7", "7"],
            id="key bar, help and palette show it on the list and on an animal"),
        pytest.param(
            WRITE, [pet(7)],
            (sees("/ Find  b Label  s Sort"), "/", sees_no("Label"), *"zz", "enter",
             sees_no("Label"), "b", sees("there is no animal here for it")), [],
            id="the key bar names it behind the first keys, and where it is for something"),
        pytest.param(
            SPEAKS, [pet(7)],
            ("b", sees("✖ Label", "exit code 3: ␛[31mred"), "f12",
             sees("exit code 3", "one     two", "␛[31mred")), [],
            id="what it says stands safely in what happened"),
        pytest.param(
            FAILS_AT_5, pets(6),
            ("space", "space", "space", "b",
             sees("5 Animal 5: exit code 1: printed; 1 of 3 done")), ["6", "5"],
            id="marked rows are given once each, and the first that fails stops the rest"),
        pytest.param(
            WRITE, pets(12),
            ("A", "b", ASKS, "n", "b", ASKS, "y", sees("Label is done for 12 animals")),
            [f"{number}" for number in range(12, 0, -1)], id="more than ten are asked about"),
    ],
)  # fmt: skip
async def test_commands(
    output: Path, code: str, animals: list[Any], steps: tuple[Step, ...], given: list[str]
) -> None:
    command = writes(output, "{id}", code=code)
    await Case(lambda: opened(command, animals), steps).run()
    assert [words for words, _ in written(output)] == [[each] for each in given]


async def test_at_most_64_kb_of_output_are_kept(output: Path) -> None:
    code = "import os\nfor _ in range(4000): os.write(1, b'x' * 99 + b'\\n')"
    async with opened(writes(output, code=code), [pet(7)]) as driver:
        await driver.press("b")
        await driver.sees("Label is done")
        [happened] = driver.app.session.history
        assert happened.output.endswith("\n(cut at 64 kB)")
        assert len(happened.output) == 65_536 + len("\n(cut at 64 kB)")


async def test_all_are_given_at_once_as_json_lines(output: Path) -> None:
    code = "import sys\nopen(sys.argv[1], 'w').write(sys.stdin.read())"
    async with opened(writes(output, code=code, takes_lines=True), pets(12)) as driver:
        await driver.press("A", "b")
        await driver.sees("Label is done for 12 animals")
    assert [each["id"] for each in lines(output)] == [*range(12, 0, -1)]


async def test_a_name_that_can_be_no_argument_is_refused_before_anything_runs(output: Path) -> None:
    command = OwnCommand("b", "Label", (sys.executable, "-c", WRITE, str(output), "x", "{name}"))
    async with opened(command, [pet(2, "Rex"), pet(1, "-rf")]) as driver:
        await driver.press("A", "b")
        await driver.sees("not run for 1 and the others: its name begins with a hyphen")
    assert lines(output) == []


async def test_a_program_that_is_not_there_is_said(output: Path) -> None:
    command = OwnCommand("b", "Label", (str(output), "{id}"))
    async with opened(command, [pet(7)]) as driver:
        await driver.press("b")
        await driver.sees("✖ Label", "output cannot be run: no such file")


SLEEPER = (  # it and its child ignore being asked to end, and hold a pipe
    "import os, signal, sys\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "os.fork()\n"
    "fifo = open(sys.argv[1], 'w')\n"
    "print('ready', file=fifo, flush=True)\n"
    "while True: signal.pause()\n"
)


class Fifo:
    """The reading end of a pipe that a program's whole process group holds."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._read = b""

    def is_ready(self) -> bool:
        with suppress(BlockingIOError):
            self._read += os.read(self._descriptor, 100)
        return self._read.count(b"ready") == 2

    def wait_until_closed(self) -> None:
        """Wait until no process has it any more; one that was ended early never had it."""
        while True:
            with suppress(BlockingIOError):
                if not os.read(self._descriptor, 100):
                    return
            assert select.select([self._descriptor], [], [], PATIENCE)[0]

    def close(self) -> None:
        os.close(self._descriptor)


@pytest.mark.parametrize("way", ["esc", "the end of the app", "its timeout"])
async def test_its_process_group_ends(output: Path, way: str) -> None:
    fifo = Fifo(output)
    timeout = 0.5 if way == "its timeout" else 60.0
    command = writes(output, code=SLEEPER, timeout=timeout)
    async with opened(command, [pet(7)]) as driver:
        await driver.press("b")
        if way != "its timeout":
            await driver.until(fifo.is_ready)
        if way == "esc":
            await driver.press("escape")
            await driver.sees("stopped; 0 of 1 done")
        if way == "its timeout":
            await driver.sees("ended after 0.5 s")
    fifo.wait_until_closed()
    fifo.close()


async def test_one_runs_at_a_time_and_q_asks_before_it_ends(output: Path) -> None:
    fifo = Fifo(output)
    async with opened(writes(output, code=SLEEPER, timeout=60.0), pets(3)) as driver:
        await driver.press("b")
        await driver.until(fifo.is_ready)
        await driver.press("j", "b")
        await driver.sees("another command is still running")
        await driver.press("q")
        await driver.sees("Quit?", "Label is running", "It is ended with pettui.")
        await driver.press("escape")
        await driver.press("enter")
        await driver.sees("Animal 2")
    fifo.close()
