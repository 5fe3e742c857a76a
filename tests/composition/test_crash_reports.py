"""Reports of bugs, which have neither values nor the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.worker import WorkerFailed

from pettui.client import PetClient
from pettui.composition.crash_reports import reported_bug, write_report
from pettui.settings.settings import ApiKey
from tests.tui.driving import open_app

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sekrit/0123456789"


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "pettui"


def test_a_report_has_no_key_that_was_typed_in_the_app(state: Path) -> None:
    typed = "another/key-9876543210"
    client = PetClient("https://store.example/v1", KEY).with_key(typed)
    write_report(LookupError(f"{KEY} and {typed}"), ApiKey(KEY), client.api_key)
    (path,) = (state / "reports").iterdir()
    report = path.read_text()
    assert "LookupError" in report
    assert "0123456789" not in report
    assert "9876543210" not in report


def test_two_reports_of_one_second_have_names_of_their_own(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.composition.crash_reports._now", lambda: "2026-11-28T20-00-00")
    for error in (LookupError("one"), LookupError("two"), LookupError("three")):
        write_report(error)
    reports = sorted((state / "reports").iterdir())
    assert [path.name.removeprefix("2026-11-28T20-00-00-").count("-") for path in reports] == [
        1,
        1,
        0,
    ]
    assert {path.read_text().splitlines()[-1] for path in reports} == {
        "LookupError: one", "LookupError: two", "LookupError: three",
    }  # fmt: skip


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


async def test_a_report_has_the_error_of_a_worker_and_its_causes_and_no_values(
    state: Path,
) -> None:
    with pytest.raises(WorkerFailed) as caught:
        await run_app_with_worker()
    line = reported_bug(caught.value, ApiKey(KEY))
    (path,) = (state / "reports").iterdir()
    report = path.read_text()
    for text in ("WorkerFailed", "LookupError", "ZeroDivisionError", "in fails", "in work"):
        assert text in report
    assert "0123456789" not in report
    assert "Wrnog" not in report.replace('typed = "Wrnog"', "")
    assert str(path) in line


def test_a_bug_is_reported_without_a_home(state: Path) -> None:
    state.mkdir()
    state.chmod(0o777)
    said = reported_bug(LookupError("x"), ApiKey(""))
    assert said.startswith("stopped by a bug in pettui (LookupError); no report could be")
