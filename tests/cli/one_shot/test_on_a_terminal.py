"""The one-shot commands on a real pseudo-terminal."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from tests.cli.conftest import INTERRUPTIBLE, PROGRAM
from tests.cli.one_shot.shop_service import REFUSE, open_shop
from tests.client.hostile.server import http, stall
from tests.peers.terminal import Terminal
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.peers.hostile_services import Services


HOSTILE = [
    "\x1b[31mred\x1b]0;title\x07",
    "two\nlines\rback",
    "\u202eevil\u2028",
    "\x9b31m\x7f\b\b\b",
    "👨‍👩‍👧 family of Ægir, who has a very long name: " + "x" * 300,
    "",
]
STYLE = re.compile(r"\x1b\[[0-9]*m")


def written_on(
    environment: Mapping[str, str],
    services: Services,
    *options: str,
    columns: int = 100,
    **variables: str,
) -> str:
    """Return what ``pettui list`` prints on a terminal for hostile names."""
    statuses = ("available", "pending", "sold", "dead\x1b[m")
    pets = [
        {"id": 10**n, "name": name, "categoryId": n, "status": statuses[n % 4]}
        for n, name in enumerate(HOSTILE)
    ]
    base_url = services.open(http(200, json.dumps(pets, ensure_ascii=False))).base_url
    words = [str(PROGRAM), "list", "--base-url", base_url, *options]
    terminal = Terminal(
        words, {**environment, "PETTUI_API_KEY": KEY, **variables}, size=(30, columns)
    )
    try:
        assert terminal.wait_for_end() == 0
        return terminal.written.decode()
    finally:
        terminal.close()


@pytest.mark.parametrize("columns", [5, 100])
def test_a_table_is_cut_to_the_terminals_width(
    environment: Mapping[str, str], services: Services, columns: int
) -> None:
    lines = STYLE.sub("", written_on(environment, services, columns=columns)).split("\r\n")
    assert len(lines) == len(HOSTILE) + 2
    assert max(map(cell_len, lines)) <= columns
    if columns > 60:
        assert lines[0].split() == ["id", "name", "category", "status"]
        assert lines[6].split() == ["100000", "(no", "name)", "5", "pending"]


@pytest.mark.parametrize("option", ["--json", "--csv", "--null"])
def test_no_text_of_an_animal_controls_the_terminal(
    environment: Mapping[str, str], services: Services, option: str
) -> None:
    written = STYLE.sub("", written_on(environment, services, option))
    assert not re.search(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e\u2028]", written)
    assert "red" in written
    records = written.split("\0" if option == "--null" else "\r\n")
    assert len(records) == len(HOSTILE) + (1 if option == "--json" else 2)


@pytest.mark.parametrize(
    ("variables", "has_styles"),
    [({}, True), ({"NO_COLOR": "1"}, False)],
)
def test_styles_need_a_terminal_that_has_them_and_no_no_color(
    environment: Mapping[str, str],
    services: Services,
    variables: dict[str, str],
    has_styles: bool,
) -> None:
    written = written_on(environment, services, **variables)
    assert ("\x1b[" in written) is has_styles


def test_without_unicode_a_table_is_ascii(
    environment: Mapping[str, str], services: Services
) -> None:
    written = written_on(environment, services, LANG="C")
    assert written.isascii()
    assert "..." in written


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_progress_is_shown_and_erased(
    environment: Mapping[str, str], services: Services, options: tuple[str, ...]
) -> None:
    pets = '[{"id": 1, "name": "A", "categoryId": 3}]'
    first = http(200, pets, [("Link", '</v1/pets?page=2>; rel="next"')])
    base_url = services.open(first, http(200, pets.replace("1", "2"))).base_url
    terminal = Terminal(
        [str(PROGRAM), "list", "--all", "--base-url", base_url, *options],
        {**environment, "PETTUI_API_KEY": KEY},
    )
    assert terminal.wait_for_end() == 0
    assert b"1 animal" in terminal.written
    assert "1 animal" not in terminal.text
    shown = terminal.text.split()
    if options:
        assert shown == pets[1:-1].split() + pets[1:-1].replace("1", "2").split()
    else:
        animals = ["1", "A", "3", "not", "set", "2", "A", "3", "not", "set"]
        assert shown == ["id", "name", "category", "status", *animals]
    terminal.close()


COLOUR = re.compile(r"\x1b\[3[0-9]m")


def test_a_bar_shows_progress_and_ctrl_c_leaves_a_sentence(
    environment: Mapping[str, str], services: Services, home: Path
) -> None:
    file = home / "pets.csv"
    file.write_text("A,1\nB,2\nSlow,3\nD,4\n")
    shop = open_shop(services, {"B": REFUSE, "Slow": stall()})
    words = ["import", str(file), "--parallel", "1", "--base-url", shop.base_url]
    terminal = Terminal(
        [sys.executable, "-c", INTERRUPTIBLE, *words],
        {**environment, "PETTUI_API_KEY": KEY},
        size=(30, 100),
    )
    try:
        terminal.wait_for("░] 2 of 4 · ", "1 refused")
        assert COLOUR.search(terminal.written.decode())
        terminal.press("\x03")
        assert terminal.wait_for_end() == 130
        text = "".join(terminal.text.split("\n"))
        assert "2 of 4" not in text
        for part in ("400 invalid_value", "interrupted: 1 line", "1 refused", "1 unknown"):
            assert part in text
    finally:
        terminal.close()
