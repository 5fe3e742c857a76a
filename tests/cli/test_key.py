"""``pettui key``."""

from __future__ import annotations

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
