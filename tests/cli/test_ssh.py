"""``pettui ssh`` with wrong settings: one line that names them, exit code 2."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import exhaustive_rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--host=0.0.0.0"], "--host '0.0.0.0': would let anyone on the network in; add --public"),
        (["--port=70000"], "--port '70000': must be a whole number from 0 to 65535"),
        (["--profile=embedded"], "--authorized-keys: is missing"),
        (["--profile=nowhere"], "--profile 'nowhere': unknown profile"),
        *exhaustive_rows(
            (["--workers=0"], "--workers '0': must be a whole number from 1 to 64"),
            (["--max-sessions=x"], "--max-sessions 'x': must be a whole number"),
            (["--idle-timeout=-1"], "--idle-timeout '-1': must be a whole number"),
            (["--demo", "--authorized-keys=x"], "--authorized-keys: is for --profile"),
            (["--demo", "--profile=x"], "not allowed with argument --demo"),
            (["--host=no.such.name.invalid"], "--host 'no.such.name.invalid': would let anyone"),
        ),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_used_is_named(run: Run, words: list[str], line: str) -> None:
    finished = run("ssh", *words)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1
    assert line in finished.stderr


def test_a_missing_key_file_is_an_error(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "none"
    finished = run("ssh", "--profile=embedded", f"--authorized-keys={path}", "--port=0")
    assert finished.returncode == 2
    assert f"--authorized-keys {path} can't be read" in finished.stderr
    assert finished.stderr.count("\n") == 1


def test_a_host_key_that_others_can_read_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("x")
    path.chmod(0o644)
    finished = run("ssh", "--port=0", f"--host-key={path}")
    assert finished.returncode == 2
    assert "chmod 600" in finished.stderr


def test_the_help_has_every_option(run: Run) -> None:
    finished = run("ssh", "--help")
    assert finished.returncode == 0
    for option in ("--demo", "--profile", "--public", "--per-address", "--login-timeout"):
        assert option in finished.stdout


def test_a_server_that_answers_nonsense_is_reported_as_not_answering(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = home / ".local/state/pettui/ssh-status"
    directory.mkdir(parents=True)
    monkeypatch.chdir(directory)  # an address has room for a short path alone
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("2222-1.sock")
        server.listen()

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"{}")

        answering = threading.Thread(target=answer)
        answering.start()
        finished = run("ssh", "--status")
        answering.join()
    assert finished.returncode == 3
    assert finished.stderr == "pettui: pettui ssh on port 2222 does not answer\n"
