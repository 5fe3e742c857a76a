"""The one-shot commands on a real pseudo-terminal."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from tests.cli.commands.conftest import at
from tests.cli.commands.shop_service import NEXT, REFUSE, Shop, animal, page
from tests.cli.conftest import INTERRUPTIBLE
from tests.client.hostile.server import stall
from tests.outbox.on_disk import entry_counts, outbox_directory
from tests.outbox.scripted import GOOD, left_behind
from tests.peers.terminal import PROGRAM, Terminal

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
ESCAPED = r"\u007f\u0085\u009b31m"  # in TOML
STYLE = re.compile(r"\x1b\[[0-9]*m")


def on_terminal(
    environment: Mapping[str, str], *words: str, size: tuple[int, int] = (30, 100)
) -> Terminal:
    """Run a command on a terminal until it ends; return what the terminal shows."""
    with closing(Terminal([PROGRAM, *words], environment, size)) as terminal:
        assert terminal.wait_for_end() == 0
        return terminal


@pytest.fixture
def hostile(environment: Mapping[str, str], services: Services) -> dict[str, str]:
    """The environment of a program whose service has hostile animals."""
    statuses = ("available", "pending", "sold", "dead\x1b[m")
    pets = [
        animal(10**n, name, categoryId=n, status=statuses[n % 4]) for n, name in enumerate(HOSTILE)
    ]
    return {**environment, **at(services.open(page(*pets)).base_url)}


@pytest.mark.parametrize("columns", [5, 100])
def test_a_table_is_cut_to_the_terminals_width(hostile: Mapping[str, str], columns: int) -> None:
    written = on_terminal(hostile, "list", size=(30, columns)).written.decode()
    lines = STYLE.sub("", written).split("\r\n")
    assert len(lines) == len(HOSTILE) + 2
    assert max(map(cell_len, lines)) <= columns
    if columns > 60:
        assert lines[0].split() == ["id", "name", "category", "status"]
        assert lines[6].split() == ["100000", "(no", "name)", "5", "pending"]


@pytest.mark.parametrize("option", ["--json", "--csv", "--null"])
def test_no_text_of_an_animal_controls_the_terminal(
    hostile: Mapping[str, str], option: str
) -> None:
    written = STYLE.sub("", on_terminal(hostile, "list", option).written.decode())
    assert not re.search(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e\u2028]", written)
    assert "red" in written
    records = written.split("\0" if option == "--null" else "\r\n")
    assert len(records) == len(HOSTILE) + (1 if option == "--json" else 2)


def test_styles_need_a_terminal_that_has_them_and_no_no_color(hostile: dict[str, str]) -> None:
    assert b"\x1b[" in on_terminal(hostile, "list").written
    assert b"\x1b[" not in on_terminal(hostile | {"NO_COLOR": "1"}, "list").written


def test_without_unicode_a_table_is_ascii(hostile: dict[str, str]) -> None:
    written = on_terminal(hostile | {"LANG": "C"}, "list").written
    assert written.isascii()
    assert b"..." in written


@pytest.fixture
def two_pages(environment: Mapping[str, str], services: Services) -> dict[str, str]:
    """The environment of a program whose service has two pages."""
    server = services.open(page(animal(1), then=NEXT), page(animal(2, "a longer name")))
    return {**environment, **at(server.base_url)}


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_a_terminal_gets_a_page_and_a_notice_that_there_are_more(
    two_pages: dict[str, str], kind: str
) -> None:
    text = on_terminal(two_pages | {"TERM": kind}, "list").text
    assert "a longer name" not in text
    assert text.rstrip().endswith("notice: there are more animals; --all lists them")
    assert "a longer name" in on_terminal(two_pages | {"TERM": kind}, "list", "--limit=2").text


@pytest.mark.parametrize("words", ["doctor --json", "profile list --json", "outbox list --json"])
def test_no_command_writes_raw_control_characters_in_json(
    environment: Mapping[str, str], home: Path, words: str
) -> None:
    """Of the configuration, the outbox or the service: DEL and C1, which terminals obey, too."""
    sign = "\x7f\x85\x9b31m"
    config = home / "config.toml"
    text = f'base_url = "http://127.0.0.1:9/v1"\napi_key_env = "SHOP"\nlabel = "a{sign}b"\n'
    config.write_text(f'profile = "x{sign}"\n[profiles."x{sign}"]\n{text}'.replace(sign, ESCAPED))
    directory = outbox_directory(
        home / ".local/state/pettui", "local", f"x{sign}", "http://127.0.0.1:9/v1"
    )
    left_behind(directory, GOOD.replace("Rex", f"R{sign}x"), state="refused")
    named = {**environment, "PETTUI_CONFIG": str(config), "SHOP": "a-key-of-a-test"}
    with closing(Terminal([PROGRAM, *words.split()], named, (60, 200))) as terminal:
        terminal.wait_for_end()
        assert not {"\x7f", "\x85", "\x9b"} & set(terminal.written.decode())
        assert "<U+009B>31m" in terminal.text.replace("\n", "")


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_progress_is_shown_and_erased(two_pages: dict[str, str], options: tuple[str, ...]) -> None:
    terminal = on_terminal(two_pages, "list", "--all", *options)
    assert b"1 animal" in terminal.written
    assert "1 animal" not in terminal.text
    assert len(terminal.text.split()) == (14 if options else 16)


def test_a_column_of_a_table_becomes_wider_with_a_later_page(two_pages: dict[str, str]) -> None:
    lines = on_terminal(two_pages, "list", "--all").text.strip().splitlines()
    assert [line.split() for line in lines] == [
        ["id", "name", "category", "status"],
        ["1", "Rex", "3", "not", "set"],
        ["2", "a", "longer", "name", "3", "not", "set"],
    ]


def test_no_progress_is_drawn_beside_a_pager(two_pages: dict[str, str]) -> None:
    command = ["sh", "-c", f"{PROGRAM} list | cat"]
    with closing(Terminal(command, two_pages)) as terminal:
        assert terminal.wait_for_end() == 0
    assert "a longer name" in terminal.text
    assert b"animal" not in terminal.written


def test_a_result_on_the_terminal_begins_a_line_of_its_own(in_shop: Mapping[str, str]) -> None:
    """And does not stand behind the bar, which is erased before."""
    line = 'printf "name,category\\nRex,3\\nLuna,1\\n" | "$0" import -'
    with closing(Terminal(["bash", "-c", line, PROGRAM], in_shop)) as terminal:
        assert terminal.wait_for_end() == 0
        rows = terminal.text.split("\n")
    assert rows[0].startswith("notice: no duplicates")
    assert rows[1] == "id,name,categoryId,status,position,outcome,error,duplicateOf"


COLOUR = re.compile(r"\x1b\[3[0-9]m")


def test_a_bar_shows_progress_and_ctrl_c_leaves_a_sentence(
    in_shop: Mapping[str, str], shop: Shop, home: Path
) -> None:
    file = home / "pets.csv"
    file.write_text("name,category\nA,1\nB,2\nSlow,3\nD,4\n")
    shop.instead = {"B": REFUSE, "Slow": stall()}
    words = [sys.executable, "-c", INTERRUPTIBLE, "import", str(file), "--parallel", "1"]
    with closing(Terminal(words, in_shop)) as terminal:
        terminal.wait_for("░] 2 of 4 · ", "1 refused")
        assert COLOUR.search(terminal.written.decode())
        terminal.press("\x03")
        assert terminal.wait_for_end() == 130
        text = "".join(terminal.text.split("\n"))
        assert "2 of 4" not in text
        for part in ("400 invalid_value", "interrupted: 1 line", "1 refused", "1 unknown"):
            assert part in text


@pytest.mark.parametrize(("typed", "is_moved"), [("n\r", False), ("\r", False), ("y\r", True)])
def test_a_move_shows_both_addresses_and_the_animals_and_asks(
    environment: Mapping[str, str], home: Path, shop: Shop, typed: str, *, is_moved: bool
) -> None:
    state, old = home / ".local/state/pettui", "http://old.example/v1"
    directories = [
        outbox_directory(state, "local", "service", address) for address in (old, shop.base_url)
    ]
    left_behind(directories[0], GOOD.replace("}", f', "service": "{old}"}}'))
    words = [PROGRAM, "outbox", "move"]
    with closing(Terminal(words, {**environment, **at(shop.base_url)}, (30, 200))) as terminal:
        terminal.wait_for("Rex", f"for {old}", f"for {shop.base_url}", "the same service", "[y/N]")
        terminal.press(typed)
        assert terminal.wait_for_end() == 0
    moved = [entry_counts(directory) for directory in directories]
    assert moved == ([{}, {"waiting": 1}] if is_moved else [{"waiting": 1}, {}])
