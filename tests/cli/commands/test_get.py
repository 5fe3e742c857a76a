"""``pettui get``: animals in the order that was asked for, and an error for each that is missing."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.commands.conftest import Asked, json_lines
from tests.cli.commands.shop_service import NEXT, animal, page
from tests.cli.conftest import PROGRAM, Refused, Run
from tests.client.hostile.server import http
from tests.peers.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping


GONE = http(410, '{"code": "gone", "message": "It is gone.", "status": 410}')


@pytest.mark.parametrize("header", ["", "id\n"], ids=["no header", "that of list --fields id"])
def test_several_animals_are_got_in_their_order_and_what_is_missing_is_an_error_each(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, home: Path, header: str
) -> None:
    (home / "ids").write_text(f"{header}7\n999 1\n")
    with (home / "ids").open() as ids:
        monkeypatch.setattr("sys.stdin", ids)
        ended = run_here("get", "3", "-", "--demo", "--json")
    assert [pet["id"] for pet in json_lines(ended.stdout)] == [3, 7, 1]
    (line,) = ended.stderr.splitlines()
    assert (ended.returncode, line.startswith("error: 999: 404 ")) == (1, True)


def test_ids_that_never_came_are_a_mistake(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        assert refused("get", "-", "--demo") == "standard input: has no id"
    monkeypatch.setattr("sys.stdin", None)
    assert refused("get", "-", "--demo") == "standard input: is closed"


def test_the_list_is_searched_once_for_all_if_get_is_gone(asked: Asked) -> None:
    call = asked(GONE, page(animal(7), animal(8), then=NEXT), page(animal(9)))
    ended = call("get", "9", "5", "7", "--fields=id", "--quiet")
    assert ended.stdout == "id\n9\n7\n"
    assert (ended.returncode, ended.stderr) == (1, "error: 5: 410 gone: It is gone.\n")
    assert asked(GONE, page(animal(7)))("get", "8").stderr.endswith(
        "error: 410 gone: It is gone.\n"
    )


def test_the_deprecation_of_get_is_a_notice_on_a_terminal_unless_quiet(
    run_here: Run, environment: Mapping[str, str]
) -> None:
    """A script is not told each time: it has no other way yet."""
    assert run_here("get", "3", "--demo").stderr == ""
    (missing,) = run_here("get", "999", "--demo").stderr.splitlines()
    assert missing.startswith("error: 404 ")
    for option, notices in ((), 1), (("--quiet",), 0):
        words = [PROGRAM, "get", "3", "4", "--demo", *option]
        with closing(Terminal(words, environment)) as terminal:
            assert terminal.wait_for_end() == 0
            told = "notice: getPet is deprecated. It goes away on 5 December 2030"
            assert (terminal.text.count(told), "Bruno" in terminal.text) == (notices, True)
