"""``pettui key``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import PROGRAM, finished

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.cli.conftest import Run


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
    ended = run_here("key", *words)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert reason in ended.stderr
