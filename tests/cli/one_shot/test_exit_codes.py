"""The exit codes of the one-shot commands, with their messages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pettui.cli import exit_codes
from pettui.client import PetClient
from tests.cli.conftest import PROGRAM
from tests.cli.one_shot.conftest import INTERRUPTIBLE, calling
from tests.client.hostile.server import drop, http, reset, stall
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.cli.conftest import Run
    from tests.client.hostile.server import Step
    from tests.peers.hostile_services import Services

UNREACHABLE = "http://127.0.0.1:9/v1"
INVALID = '{"code": "invalid_value", "message": "No such category.", "status": 400}'
FAILED = '{"code": "internal_error", "message": "Oh no.", "status": 500}'
PET = '{"id": 7, "name": "A", "categoryId": 3}'
PROMPT = "[limits]\ntries = 0\n"


REFUSED = {
    "400": (http(400, INVALID), "error: 400 invalid_value: No such category.\n"),
    "403 without a body": (
        http(403, "<html>", content_type="text/html"),
        "error: 403 from the service, no Error body: text/html, 6 bytes\n",
    ),
}
UNANSWERED = {
    "dropped": drop(),
    "reset": reset(),
    "502 of a proxy": http(502, "<html>", content_type="text/html"),
    "no JSON": http(201, "hello"),
}


@pytest.fixture
def prompt(tmp_path: Path) -> str:
    path = tmp_path / "config.toml"
    path.write_text(PROMPT)
    return str(path)


@pytest.mark.parametrize(("step", "line"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_is_printed_word_for_word_with_exit_code_1(
    run_here: Run, services: Services, step: Step, line: str
) -> None:
    finished = calling(run_here, services.open(step).base_url)("add", "A", "3")
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.endswith(line)


def test_a_missing_animal_is_exit_code_1(run_here: Run) -> None:
    finished = run_here("get", "999999", "--demo", "--quiet")
    assert finished.returncode == 1
    assert finished.stderr.startswith("error: 404 not_found: ")


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (http(500, FAILED), "error: 500 internal_error: Oh no.\n"),
        (
            http(502, "<html>", content_type="text/html"),
            "error: 502 from the service, no Error body: text/html, 6 bytes\n",
        ),
    ],
    ids=["an Error body", "a page of a proxy"],
)
def test_a_5xx_to_a_read_is_exit_code_1_with_an_error_body_or_without(
    run_here: Run, services: Services, prompt: str, step: Step, line: str
) -> None:
    finished = calling(run_here, services.open(step).base_url)("list", "--config", prompt)
    assert (finished.returncode, finished.stderr) == (1, line)


@pytest.mark.parametrize(
    ("line", "name"),
    [("list", "dropped"), ("get 1", "no JSON"), ("export pets.csv", "reset")],
)
def test_a_read_whose_response_is_lost_is_exit_code_3_and_adds_nothing(
    run_here: Run, services: Services, prompt: str, line: str, name: str
) -> None:
    base_url = services.open(UNANSWERED[name]).base_url
    finished = calling(run_here, base_url)(*line.split(), "--config", prompt)
    assert (finished.returncode, finished.stdout) == (3, "")
    assert finished.stderr.splitlines()[-1].startswith("error: ")
    assert "added" not in finished.stderr


def test_a_silent_service_is_asked_once(run_here: Run, services: Services, tmp_path: Path) -> None:
    config = tmp_path / "patient.toml"
    config.write_text("[limits]\nsilence = 0.2\n")
    server = services.open(stall())
    finished = calling(run_here, server.base_url)("list", "--config", str(config))
    assert (finished.returncode, len(server.seen)) == (3, 1)


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
    finished = run_here(*line.split())
    assert finished.returncode == 2
    assert finished.stderr.startswith(f"pettui: {BAD_INPUT[line]}")


def test_an_empty_name_is_exit_code_2(run_here: Run) -> None:
    finished = run_here("add", "--demo", " ", "3")
    assert (finished.returncode, finished.stderr) == (2, "pettui: NAME: is empty\n")


def test_nothing_is_added_if_standard_output_is_closed(
    environment: Mapping[str, str], services: Services
) -> None:
    server = services.open(http(201, PET))
    finished = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" add A 3 --base-url "$1" >&-', PROGRAM, server.base_url],
        env={**environment, "PETTUI_API_KEY": KEY},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (finished.returncode, server.adds) == (2, 0)
    assert finished.stderr == "pettui: standard output: is closed\n"


def test_an_unreachable_service_is_exit_code_3_and_no_add_was_sent(
    run_here: Run, prompt: str
) -> None:
    finished = calling(run_here, UNREACHABLE)("add", "A", "3", "--config", prompt)
    assert finished.returncode == 3
    assert finished.stderr == "error: cannot connect to 127.0.0.1:9: connection refused\n"


def test_plain_http_is_a_notice_unless_quiet(run_here: Run, prompt: str) -> None:
    words = ("list", "--config", prompt)
    told = calling(run_here, "http://0.0.0.0:9/v1")(*words)
    quiet = calling(run_here, "http://0.0.0.0:9/v1")(*words, "--quiet")
    refused = "error: cannot connect to 0.0.0.0:9: connection refused\n"
    assert (
        told.stderr == f"notice: The API key travels to 0.0.0.0 in the clear: use https\n{refused}"
    )
    assert quiet.stderr == refused


@pytest.mark.parametrize("name", UNANSWERED)
def test_an_add_without_a_response_is_exit_code_3_and_sent_once(
    run_here: Run, services: Services, prompt: str, name: str
) -> None:
    server = services.open(UNANSWERED[name])
    finished = calling(run_here, server.base_url)("add", "A", "3", "--config", prompt)
    assert finished.returncode == 3
    assert finished.stderr.startswith("error: ")
    assert finished.stderr.endswith("; the animal may have been added\n")
    assert (finished.stdout, server.adds) == ("", 1)


def test_an_add_that_failed_with_an_error_body_may_have_been_added(
    run_here: Run, services: Services
) -> None:
    finished = calling(run_here, services.open(http(500, FAILED)).base_url)("add", "A", "3")
    assert finished.returncode == 3
    assert finished.stderr == (
        "error: 500 internal_error: Oh no.; the animal may have been added\n"
    )


def test_a_retry_of_a_read_is_a_notice_unless_quiet(run_here: Run, services: Services) -> None:
    steps = (drop(), http(200, "[]"))
    told = calling(run_here, services.open(*steps).base_url)("list")
    quiet = calling(run_here, services.open(*steps).base_url)("list", "--quiet")
    assert told.stderr.startswith("notice: cannot read from 127.0.0.1:")
    assert "; attempt 2 of 4 in " in told.stderr
    assert (told.returncode, quiet.returncode, quiet.stderr) == (0, 0, "")


def test_a_bug_is_exit_code_70_and_a_report_without_the_key(
    run_here: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(f"with {KEY} on hand")

    monkeypatch.setattr(PetClient, "list_pets", broken)
    finished = calling(run_here, UNREACHABLE)("list")
    assert finished.returncode == 70
    assert "stopped by a bug in pettui (ZeroDivisionError); report: " in finished.stderr
    (report,) = (home / ".local/state/pettui/reports").iterdir()
    assert KEY not in report.read_text() + finished.stderr


def test_an_interrupted_add_is_exit_code_130_and_says_what_it_may_have_done(
    environment: Mapping[str, str], services: Services
) -> None:
    server = services.open(stall())
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "add", "A", "3", "--base-url", server.base_url],
        env={**environment, "PETTUI_API_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
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
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "list", "--base-url", server.base_url],
        env={**environment, "PETTUI_API_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"i"  # of the header; the rest does not fit into the pipe
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=60) == 130
