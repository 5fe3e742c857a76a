"""The exit codes of the one-shot commands, with their messages."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from pettui.client import PetClient
from tests.cli.commands.conftest import Asked, at, calling
from tests.cli.commands.shop_service import animal, page
from tests.cli.conftest import Run, interruptible
from tests.client.hostile.server import drop, http, stall
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.peers.hostile_services import Services

UNREACHABLE = "http://127.0.0.1:9/v1"


@pytest.fixture
def prompt(configure: Callable[[str], Path]) -> str:
    return str(configure("[limits]\ntries = 0\n"))


def test_a_read_whose_response_is_lost_is_exit_code_3_and_adds_nothing(
    asked: Asked, prompt: str
) -> None:
    ended = asked(drop())("get", "1", "--config", prompt)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr.splitlines()[-1].startswith("error: ")
    assert "added" not in ended.stderr


def test_plain_http_is_a_notice_unless_quiet(run_here: Run, prompt: str) -> None:
    call = calling(run_here, "http://0.0.0.0:9/v1")
    refused = "error: cannot connect to 0.0.0.0:9: connection refused\n"
    notice = "notice: The API key travels to 0.0.0.0 in the clear: use https\n"
    assert call("list", "--config", prompt).stderr == notice + refused
    assert call("list", "--config", prompt, "--quiet").stderr == refused


def test_a_retry_of_a_read_is_a_notice_unless_quiet(asked: Asked) -> None:
    steps = (drop(), http(200, "[]"))
    told = asked(*steps)("list")
    quiet = asked(*steps)("list", "--quiet")
    assert told.stderr.startswith("notice: cannot read from 127.0.0.1:")
    assert "; attempt 2 of 4 in " in told.stderr
    assert (told.returncode, quiet.returncode, quiet.stderr) == (0, 0, "")


def test_a_bug_is_exit_code_70_and_a_report_without_the_key(
    run_here: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(f"with {KEY} on hand")

    monkeypatch.setattr(PetClient, "list_pets", broken)
    ended = run_here("list", **at(UNREACHABLE))
    assert ended.returncode == 70
    assert "stopped by a bug in pettui (ZeroDivisionError); report: " in ended.stderr
    (report,) = (home / ".local/state/pettui/reports").iterdir()
    assert KEY not in report.read_text() + ended.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15)])
def test_an_interrupted_add_says_what_it_may_have_done(
    environment: dict[str, str], services: Services, number: signal.Signals, code: int
) -> None:
    server = services.open(stall())
    with interruptible(environment | at(server.base_url), "add", "A", "3") as process:
        services.wait_until(server.requested)
        os.kill(process.pid, number)
        written, errors = process.communicate(timeout=60)
    assert (process.returncode, written) == (code, "")
    assert errors == "error: interrupted; the animal may have been added\n"


def test_ctrl_c_ends_a_command_whose_pipe_has_a_hanging_reader(
    environment: dict[str, str], services: Services
) -> None:
    server = services.open(page(animal(1, "x" * 300_000)))
    with interruptible(environment | at(server.base_url), "list") as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == "i"  # of the header; the rest does not fit into the pipe
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=60) == 130


def test_a_5xx_to_a_read_is_exit_code_1_without_an_error_body_too(
    asked: Asked, prompt: str
) -> None:
    ended = asked(http(502, "<html>", content_type="text/html"))("list", "--config", prompt)
    said = "error: 502 from the service, no Error body: text/html, 6 bytes\n"
    assert (ended.returncode, ended.stderr) == (1, said)
