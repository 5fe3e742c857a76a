"""The exit codes of the one-shot commands, with their messages."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from pettui.cli import exit_codes
from pettui.client import PetClient
from tests.cli.conftest import PROGRAM, finished, interruptible
from tests.cli.one_shot.conftest import calling
from tests.client.hostile.server import drop, http, stall
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.cli.conftest import Run
    from tests.cli.one_shot.conftest import Asked
    from tests.client.hostile.server import Step
    from tests.peers.hostile_services import Services

UNREACHABLE = "http://127.0.0.1:9/v1"
INVALID = '{"code": "invalid_value", "message": "No such category.", "status": 400}'
FAILED = '{"code": "internal_error", "message": "Oh no.", "status": 500}'
PET = '{"id": 7, "name": "A", "categoryId": 3}'


REFUSED = {
    "400": (http(400, INVALID), "error: 400 invalid_value: No such category.\n"),
    "403 without a body": (
        http(403, "<html>", content_type="text/html"),
        "error: 403 from the service, no Error body: text/html, 6 bytes\n",
    ),
}


@pytest.fixture
def prompt(configure: Callable[[str], Path]) -> str:
    return str(configure("[limits]\ntries = 0\n"))


@pytest.mark.parametrize(("step", "line"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_is_printed_word_for_word_with_exit_code_1(
    asked: Asked, step: Step, line: str
) -> None:
    ended = asked(step)("add", "A", "3")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.endswith(line)


@pytest.mark.parametrize("line", ["list", "get 1", "export pets.csv"])
def test_a_read_whose_response_is_lost_is_exit_code_3_and_adds_nothing(
    asked: Asked, prompt: str, line: str
) -> None:
    call = asked(drop())
    ended = call(*line.split(), "--config", prompt)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr.splitlines()[-1].startswith("error: ")
    assert "added" not in ended.stderr


BAD_INPUT = {
    "list --limit 0": "--limit '0': must be a whole number from 1 to 100",
    "list --status dead": "--status 'dead': must be one of available, pending, sold",
    "list --sort age": "--sort 'age': must be one of id, name, category, status",
    "list --reverse": "--reverse: needs --sort",
    "list --csv --null": "--null: not allowed with --csv",
    "list extra": "command line: too many words; see pettui list --help",
    "list --xyzzy": "--xyzzy: unknown option; ",
    "get": "ID: is missing; see pettui get --help",
    "get abc": "ID 'abc': must be a whole number",
    "get 9223372036854775808": "ID: this number is too large",
    "get -9223372036854775809": "ID: this number is too small",
    "add": "NAME: is missing; see pettui add --help",
    "add Mitzi": "CATEGORY: is missing; see pettui add --help",
    "add Mitzi unicorns": "CATEGORY: unicorns is not a number or a category name",
    "add Mitzi 9223372036854775808": "CATEGORY: this number is too large",
    "add --demo \udcff\udcfe 3": "NAME: is not UTF-8",
    "add Mitzi 3 --status dead": "--status 'dead': must be one of available, pending, sold",
    "add Mitzi -- -3 --quiet": "--quiet: is an option; write it before --",
    "export": "FILE: is missing; see pettui export --help",
    "export - --since-id x": "--since-id 'x': must be a whole number",
    "export pets.txt": "FILE 'pets.txt': must end in .csv, .json, .jsonl, .ndjson",
    "list --profile nowhere": "--profile 'nowhere': unknown profile; known: demo, embedded",
}


@pytest.mark.parametrize("line", BAD_INPUT)
def test_a_wrong_argument_is_named(line: str, run_here: Run) -> None:
    ended = run_here(*line.split())
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"pettui: {BAD_INPUT[line]}")


def test_an_empty_name_is_exit_code_2(run_here: Run) -> None:
    ended = run_here("add", "--demo", " ", "3")
    assert (ended.returncode, ended.stderr) == (2, "pettui: NAME: is empty\n")


def test_nothing_is_added_if_standard_output_is_closed(
    environment: Mapping[str, str], services: Services
) -> None:
    server = services.open(http(201, PET))
    script = 'exec "$0" add A 3 --base-url "$1" >&-'
    words = ["/bin/sh", "-c", script, PROGRAM, server.base_url]
    ended = finished(words, {**environment, "PETTUI_API_KEY": KEY})
    assert (ended.returncode, server.adds) == (2, 0)
    assert ended.stderr == "pettui: standard output: is closed\n"


def test_an_unreachable_service_is_exit_code_3_and_no_add_was_sent(
    run_here: Run, prompt: str
) -> None:
    ended = calling(run_here, UNREACHABLE)("add", "A", "3", "--config", prompt)
    assert ended.returncode == 3
    assert ended.stderr == "error: cannot connect to 127.0.0.1:9: connection refused\n"


def test_plain_http_is_a_notice_unless_quiet(run_here: Run, prompt: str) -> None:
    words = ("list", "--config", prompt)
    told = calling(run_here, "http://0.0.0.0:9/v1")(*words)
    quiet = calling(run_here, "http://0.0.0.0:9/v1")(*words, "--quiet")
    refused = "error: cannot connect to 0.0.0.0:9: connection refused\n"
    assert (
        told.stderr == f"notice: The API key travels to 0.0.0.0 in the clear: use https\n{refused}"
    )
    assert quiet.stderr == refused


@pytest.mark.parametrize(
    "step",
    [drop(), http(201, "hello"), http(502, "<html>", content_type="text/html")],
    ids=["dropped", "no JSON", "502 of a proxy"],
)
def test_an_add_without_a_response_is_exit_code_3_and_sent_once(
    run_here: Run, services: Services, prompt: str, step: Step
) -> None:
    server = services.open(step)
    ended = calling(run_here, server.base_url)("add", "A", "3", "--config", prompt)
    assert ended.returncode == 3
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.endswith("; the animal may have been added\n")
    assert (ended.stdout, server.adds) == ("", 1)


def test_an_add_that_failed_with_an_error_body_may_have_been_added(asked: Asked) -> None:
    ended = asked(http(500, FAILED))("add", "A", "3")
    assert ended.returncode == 3
    assert ended.stderr == ("error: 500 internal_error: Oh no.; the animal may have been added\n")


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
    ended = calling(run_here, UNREACHABLE)("list")
    assert ended.returncode == 70
    assert "stopped by a bug in pettui (ZeroDivisionError); report: " in ended.stderr
    (report,) = (home / ".local/state/pettui/reports").iterdir()
    assert KEY not in report.read_text() + ended.stderr


def test_an_interrupted_add_is_exit_code_130_and_says_what_it_may_have_done(
    environment: Mapping[str, str], services: Services
) -> None:
    server = services.open(stall())
    key = {**environment, "PETTUI_API_KEY": KEY}
    with interruptible(key, "add", "A", "3", "--base-url", server.base_url) as process:
        services.wait_until(server.requested)
        os.kill(process.pid, signal.SIGINT)
        written, errors = process.communicate(timeout=60)
    assert (process.returncode, written) == (130, "")
    assert errors == "error: interrupted; the animal may have been added\n"


def test_a_shell_sees_which_signal_ended_a_command(
    environment: Mapping[str, str], services: Services
) -> None:
    server = services.open(stall())
    with subprocess.Popen(
        ["/bin/sh", "-c", '"$@" & echo $!; wait $!; echo $?', "sh", PROGRAM, "list"],
        env={**environment, "PETTUI_BASE_URL": server.base_url, "PETTUI_API_KEY": KEY},
        stdout=subprocess.PIPE,
        text=True,
    ) as shell:
        assert shell.stdout is not None
        program = int(shell.stdout.readline())
        services.wait_until(server.requested)
        os.kill(program, signal.SIGTERM)
        assert int(shell.stdout.readline()) == exit_codes.TERMINATED


def test_ctrl_c_ends_a_command_whose_pipe_has_a_hanging_reader(
    environment: Mapping[str, str], services: Services
) -> None:
    body = f'[{{"id": 1, "name": "{"x" * 300_000}", "categoryId": 3}}]'
    server = services.open(http(200, body))
    key = {**environment, "PETTUI_API_KEY": KEY}
    with interruptible(key, "list", "--base-url", server.base_url) as process:
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
