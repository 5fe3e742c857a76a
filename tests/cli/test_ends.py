"""Ends: ctrl+c, calls that never return, and bugs, whose reports have neither values nor the key."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from textual.worker import WorkerFailed

from pettui.cli.bugs import report_bug
from pettui.client import PetClient
from pettui.composition.crash_reports import write_report
from pettui.composition.threads import use_loop_threads
from pettui.settings.settings import ApiKey
from tests.cli.conftest import finished
from tests.peers.terminal import Terminal
from tests.tui.driving import open_app

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NO_NAME_SERVER = """
import os, signal, socket, sys, threading

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it

def look_up(*_, **__):
    if "list" in sys.argv:
        os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait()

socket.getaddrinfo = look_up
from pettui.cli import main
sys.exit(main(sys.argv[1:]))
"""
ADDRESS = {"PETTUI_BASE_URL": "https://store.example/v1", "PETTUI_API_KEY": "key-of-the-tests"}


def test_a_call_returns_or_raises_what_its_function_does() -> None:
    async def call() -> None:
        use_loop_threads()
        assert await asyncio.to_thread(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(divmod, 7, 0)

    asyncio.run(call())


def test_the_end_waits_for_a_call_that_is_almost_done() -> None:
    begun, may_end, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        may_end.wait()
        done.set()

    async def call() -> None:
        use_loop_threads()
        asyncio.get_running_loop().run_in_executor(None, work)
        await asyncio.to_thread(begun.wait)
        asyncio.get_running_loop().call_soon(may_end.set)

    asyncio.run(call())
    assert done.is_set()


def test_the_end_does_not_wait_for_a_call_that_never_returns() -> None:
    never = threading.Event()

    async def call() -> None:
        use_loop_threads()
        asyncio.get_running_loop().run_in_executor(None, never.wait)

    asyncio.run(call())
    assert not never.is_set()
    never.set()


def test_the_app_quits_while_a_host_is_looked_up(environment: Mapping[str, str]) -> None:
    terminal = Terminal([sys.executable, "-c", NO_NAME_SERVER], {**environment, **ADDRESS})
    terminal.wait_for("loading all animals")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def test_a_one_shot_command_is_interrupted_while_a_host_is_looked_up(
    environment: Mapping[str, str],
) -> None:
    words = [sys.executable, "-c", NO_NAME_SERVER, "list"]
    ended = finished(words, {**environment, **ADDRESS})
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


INTERRUPTED_IMPORT = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
from pettui.cli import main
sys.exit(main(["key", "list"]))
"""


@pytest.mark.parametrize("module", ["pettui.cli.command_line", "pettui.cli.commands.key"])
def test_an_interrupted_import_leaves_no_traceback(
    environment: Mapping[str, str], module: str
) -> None:
    ended = finished([sys.executable, "-c", INTERRUPTED_IMPORT, module], environment)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


KEY = "sekrit/0123456789"


def fails(number: int) -> float:
    typed = "Wrnog"
    return len(typed) / number


async def work() -> None:
    try:
        fails(0)
    except ZeroDivisionError as error:
        raise LookupError(f'{{"key": "{KEY.replace("/", chr(92) + "/")}"}}') from error


async def run_app_with_worker() -> None:
    async with open_app() as driver:
        driver.app.run_worker(work())
        await driver.pilot.pause()


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "pettui"


async def test_a_report_has_the_error_of_a_worker_and_its_causes_and_no_values(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(WorkerFailed) as caught:
        await run_app_with_worker()
    report_bug(caught.value, ApiKey(KEY))
    (path,) = (state / "reports").iterdir()
    report = path.read_text()
    for text in ("WorkerFailed", "LookupError", "ZeroDivisionError", "in fails", "in work"):
        assert text in report
    assert "0123456789" not in report
    assert "Wrnog" not in report.replace('typed = "Wrnog"', "")
    assert str(path) in capsys.readouterr().err


def test_a_report_has_no_key_that_was_typed_in_the_app(state: Path) -> None:
    typed = "another/key-9876543210"
    client = PetClient("https://store.example/v1", KEY).with_key(typed)
    write_report(LookupError(f"{KEY} and {typed}"), ApiKey(KEY), client.api_key)
    (path,) = (state / "reports").iterdir()
    report = path.read_text()
    assert "LookupError" in report
    assert "0123456789" not in report
    assert "9876543210" not in report


def test_a_bug_is_reported_without_a_home(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state.mkdir()
    state.chmod(0o777)
    report_bug(LookupError("x"), ApiKey(""))
    said = capsys.readouterr().err
    assert said.startswith("pettui: stopped by a bug in pettui (LookupError); no report could be")
    assert said.count("\n") == 1
