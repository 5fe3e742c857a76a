"""``pettui key``, the installed program."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.commands.conftest import json_lines
from tests.cli.conftest import PROGRAM, Refused, Run, finished

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@pytest.mark.parametrize("output", [">/dev/full", "| exec 0<&-"])
def test_a_key_that_could_not_be_shown_is_removed(
    run_here: Run, environment: Mapping[str, str], output: str
) -> None:
    script = f'"$0" key add till {output}; exit ${{PIPESTATUS[0]}}'
    ended = finished(["bash", "-c", script, PROGRAM], environment)
    assert ended.returncode == 2
    assert ended.stderr.startswith("pettui: key add: the key could not be shown")
    assert ended.stderr.count("\n") == 1
    empty = run_here("key", "list")
    assert empty.stdout == ""
    assert re.fullmatch(r"pettui: there is no key in /.*/service-keys\n", empty.stderr)
    assert run_here("key", "add", "till").returncode == 0


def test_a_key_that_was_replaced_stays_if_the_new_one_could_not_be_shown(
    run_here: Run, environment: Mapping[str, str]
) -> None:
    run_here("key", "add", "till")
    before = run_here("key", "list").stdout
    script = '"$0" key add till --replace --overlap 1h >/dev/full'
    ended = finished(["bash", "-c", script, PROGRAM], environment)
    assert "could not be shown, and the former one stays" in ended.stderr
    assert run_here("key", "list").stdout == before


def test_keys_of_a_named_file_are_listed_with_all_that_is_known_of_them(
    run_here: Run, tmp_path: Path
) -> None:
    named = f"--keys={tmp_path / 'keys'}"
    run_here("key", "add", "till-1", named)
    run_here("key", "add", "audit", named, "--read-only", "--expires", "2999-01-31")
    (tmp_path / "keys.used").write_text(json.dumps({"audit": 1_800_000_000}))
    till, audit = json_lines(run_here("key", "list", named, "--json").stdout)
    known = (till["name"], till["read_only"], till["expires"], till["last_used"])
    assert known == ("till-1", False, None, None)
    assert (audit["read_only"], audit["expires"]) == (True, "2999-01-31")
    assert audit["last_used"] == "2027-01-15T08:00:00+00:00"
    head, first, second = run_here("key", "list", named).stdout.splitlines()
    assert head == "name\tdigest\tcreated\tread_only\texpires\tdays_left\tlast_used"
    assert (first.split("\t")[0], first.split("\t")[3:]) == ("till-1", ["no", "", "", ""])
    assert second.split("\t")[3:5] == ["yes", "2999-01-31"]
    assert second.endswith("\t2027-01-15T08:00:00+00:00")
    assert run_here("key", "remove", "till-1", named).returncode == 0
    assert len(run_here("key", "list", named).stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("add a --expires=2020-01-31", "--expires: must be a day in the future"),
        ("add a --overlap=1h", "--overlap: needs --replace"),
        ("add a --replace --overlap=31d", "at most 30d"),
        ("list --keys=/no/such/directory/keys", "its directory /no/such/directory does not exist"),
    ],
)
def test_what_a_key_cannot_have_is_one_line(refused: Refused, line: str, reason: str) -> None:
    assert reason in refused("key", *line.split())


def test_a_key_that_is_replaced_keeps_its_name(run_here: Run, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    former = run_here("key", "add", "till", f"--keys={keys}").stdout
    replaced = run_here("key", "add", "till", "--replace", f"--keys={keys}")
    assert replaced.stdout.startswith("pettui_")
    assert replaced.stdout != former
    listed = json_lines(run_here("key", "list", "--json", f"--keys={keys}").stdout)
    assert [each["name"] for each in listed] == ["till", "till.former"]
    assert [each["expired"] for each in listed] == [False, True]
    overlapped = ("till", "--replace", "--overlap=1h", f"--keys={keys}")
    assert run_here("key", "add", *overlapped).stdout.startswith("pettui_")
    _, listed = json_lines(run_here("key", "list", "--json", f"--keys={keys}").stdout)
    assert (listed["name"], listed["expired"], listed["days_left"]) == ("till.former", False, 0)
    assert listed["expires"].endswith("Z")
