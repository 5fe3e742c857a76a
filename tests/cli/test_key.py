"""``pettui key``."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.cli.conftest import Run


def test_a_key_is_shown_once_and_kept_as_a_hash_that_only_its_owner_reads(
    run_here: Run, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    added = run_here("key", "add", "till-1", PETTUI_DATA_DIRECTORY=str(data))
    assert added.returncode == 0
    listed = run_here("key", "list", PETTUI_DATA_DIRECTORY=str(data))
    assert listed.stdout.startswith("till-1  ")
    assert added.stdout.strip() not in listed.stdout
    keys = data / "service-keys"
    assert added.stdout.strip() not in keys.read_text()
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


@pytest.mark.parametrize("words", [("key", "list"), ("key", "add", "till-2"), ("serve",)])
def test_a_key_file_with_an_impossible_date_is_one_line(
    run_here: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    data = {"PETTUI_DATA_DIRECTORY": str(tmp_path)}
    run_here("key", "add", "till-1", **data)
    keys = tmp_path / "service-keys"
    text = re.sub(r"\d{4}-\d\d-\d\d", "2026-11-31", keys.read_text())
    keys.write_text(text)
    finished = run_here(*words, **data)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1
    assert f"key file {keys}, line 1, was not written by pettui key add" in finished.stderr
    assert "sha256" not in finished.stderr


def run_into(environment: Mapping[str, str], output: str, *words: str) -> tuple[int, str]:
    """Run pettui with a shell's redirection, and return its exit code and standard error."""
    script = f'"$0" "$@" {output}; exit ${{PIPESTATUS[0]}}'
    finished = subprocess.run(
        ["bash", "-c", script, PROGRAM, *words],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    return finished.returncode, finished.stderr


@pytest.mark.parametrize("output", [">/dev/full", "| exec 0<&-"])
def test_a_key_that_could_not_be_shown_is_removed(
    run_here: Run, environment: Mapping[str, str], output: str
) -> None:
    code, said = run_into(environment, output, "key", "add", "till")
    assert code == 2
    assert said.startswith("pettui: key add: the key could not be shown")
    assert said.count("\n") == 1
    assert run_here("key", "list").stdout == ""
    assert run_here("key", "add", "till").returncode == 0


def test_keys_of_a_named_file_are_listed_with_all_that_is_known_of_them(
    run_here: Run, tmp_path: Path
) -> None:
    named = f"--keys={tmp_path / 'keys'}"
    run_here("key", "add", "till-1", named)
    run_here("key", "add", "audit", named, "--read-only", "--expires", "2999-01-31")
    (tmp_path / "keys.used").write_text(json.dumps({"audit": 1_800_000_000}))
    listed = [
        json.loads(line) for line in run_here("key", "list", named, "--json").stdout.splitlines()
    ]
    till, audit = listed
    assert (till["name"], till["read_only"], till["expires"], till["last_used"]) == (
        "till-1", False, None, None,
    )  # fmt: skip
    assert (audit["read_only"], audit["expires"]) == (True, "2999-01-31")
    assert audit["last_used"] == "2027-01-15T08:00:00+00:00"
    shown = run_here("key", "list", named).stdout.splitlines()[1]
    assert shown.endswith("  read-only  expires 2999-01-31  used 2027-01-15T08:00:00+00:00")
    assert run_here("key", "remove", "till-1", named).returncode == 0
    assert len(run_here("key", "list", named).stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            ("add", "a", "--expires=2020-01-31"),
            "--expires: must be a day in the future",
        ),
        (("add", "a", "--expires=soon"), "must be a day in the future, written as"),
        (("list", "--read-only"), "--read-only: is for key add"),
        (("add", "a", "--json"), "--json: is for key list"),
        (
            ("list", "--keys=/no/such/directory/keys"),
            "its directory /no/such/directory does not exist",
        ),
    ],
    ids=str,
)
def test_what_a_key_cannot_have_is_one_line(
    run_here: Run, words: tuple[str, ...], reason: str
) -> None:
    finished = run_here("key", *words)
    assert (finished.returncode, finished.stderr.count("\n")) == (2, 1)
    assert reason in finished.stderr
