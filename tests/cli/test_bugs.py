"""A bug of a command: said in a line, and reported without values and without the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.worker import WorkerFailed

from pettui.cli.output import report_bug
from pettui.settings.settings import ApiKey
from tests.composition.test_crash_reports import KEY
from tests.composition.test_crash_reports import state as state  # noqa: PLC0414 - a fixture
from tests.tui.driving import open_app

if TYPE_CHECKING:
    from pathlib import Path


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


def test_a_bug_is_reported_without_a_home(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state.mkdir()
    state.chmod(0o777)
    report_bug(LookupError("x"), ApiKey(""))
    said = capsys.readouterr().err
    assert said.startswith("pettui: stopped by a bug in pettui (LookupError); no report could be")
    assert said.count("\n") == 1
