"""What the installed pettui sends to its terminal: modes, sizes, colours, characters, bytes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from pettui.terminal.driver import ENTER_SCREEN
from tests.client.hostile.server import http
from tests.client.hostile.texts import STEERING
from tests.exhaustive import exhaustive_rows
from tests.peers.terminal import ENTER, F1, PROGRAM, QUIT, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.peers.conftest import Start
    from tests.peers.hostile_services import Services

KNOWS_FRAMES = "\x1b[?2026;2$y"
BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"
BYTES_MAXIMUM = 400  # for a move of the cursor: two rows and a few words of a preview
TRUE_COLOUR = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


@pytest.fixture
def demo(environment: Mapping[str, str]) -> Iterator[Terminal]:
    terminal = Terminal([PROGRAM, "--demo"], environment)
    terminal.wait_for("Mitzi", " shown")
    yield terminal
    quit_app(terminal)


def quit_app(terminal: Terminal) -> None:
    terminal.press(QUIT)
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def test_a_terminal_with_synchronized_output_gets_large_frames_so(demo: Terminal) -> None:
    assert b"\x1b[?2026$p" in demo.written
    assert BEGIN not in demo.written
    demo.press(KNOWS_FRAMES, F1)
    demo.wait_for("esc Close")
    demo.wait_until(lambda: demo.written.count(BEGIN) == demo.written.count(END) > 0, "a frame")


def test_moving_the_cursor_costs_few_bytes(demo: Terminal) -> None:
    for place in ("▌    59", "▌    58"):  # the scroll bar comes one frame after the first rows
        demo.press("j")
        demo.wait_for(place)
    sent = len(demo.written)
    demo.press("j")
    demo.wait_for("▌    57")
    assert len(demo.written) - sent <= BYTES_MAXIMUM


def test_it_follows_the_terminals_size(demo: Terminal) -> None:
    for rows, columns in ((24, 80), (12, 40), (40, 120)):
        demo.forget()
        demo.resize(rows, columns)
        demo.wait_for("Mitzi", "shown")
        demo.wait_until(
            lambda rows=rows: len(demo.text.rstrip().splitlines()) in (rows - 1, rows), "all of it"
        )


def test_an_absurd_size_is_survived(demo: Terminal) -> None:
    """To draw so many cells would take minutes, in which no signal ends it."""
    for rows, columns in ((65_535, 65_535), (1, 65_535), (65_535, 1), (24, 80)):
        demo.forget()
        demo.resize(rows, columns)
        demo.wait_until(lambda: bool(demo.written), "a frame of that size")
    demo.wait_for("Mitzi", "shown")


def test_absurd_variables_for_the_size_are_survived(start: Start) -> None:
    terminal = start("--demo", COLUMNS="4000000000", LINES="4000000000")
    terminal.wait_until(lambda: b"Mitzi" in terminal.written, "the animals")
    quit_app(terminal)


def test_an_id_is_copied_through_the_terminal(demo: Terminal) -> None:
    demo.press("y")
    demo.wait_until(lambda: b"\x1b]52;c;NjA=" in demo.written, "60, in base64")


def test_control_sequences_in_names_reach_the_terminal_as_text(
    start: Start, services: Services
) -> None:
    """In the rows, the preview, and on the animal's own screen."""
    texts = [text[:2_000] for text, _ in STEERING.values()]
    pets = [
        {"id": index, "name": text, "categoryId": 3, "status": text, text: text}
        for index, text in enumerate(texts)
    ]
    server = services.open(http(200, json.dumps(pets)), http(200, json.dumps(pets[0])))
    terminal = start("--base-url", server.base_url, PETTUI_API_KEY="key-of-the-shop")
    terminal.wait_for("R␛[2J␛[31mex", "R␛]52;c;aGFja2Vk␇ex", "<U+009B>2J", "R[red]b[/red]")
    terminal.press(*"gjjjjjjj", "G", "g", ENTER)
    terminal.wait_for("confirmed")
    quit_app(terminal)
    control = re.compile(r"[\x00-\x1f\x7f]")
    controls = {text[found.start() :][:6] for text in texts for found in control.finditer(text)}
    drawn = terminal.written.decode().replace(ENTER_SCREEN, "")
    assert not {each for each in controls if len(each) > 3 and each in drawn}
    assert not re.search("[\x80-\x9f]|\x1b]52|\x1b]8;", drawn)


def kinds_of_colours(written: bytes) -> set[str]:
    """Return which kinds of colours were sent: true, 256, or one of sixteen."""
    sent = b";".join(re.findall(rb"\x1b\[([0-9;]+)m", written)).decode()
    for kind, colour in (("true", r"[34]8;2(;\d+){3}"), ("256", r"[34]8;5;\d+")):
        sent = re.sub(rf"\b{colour}\b", kind, sent)
    return set(re.sub(r"\b(3|4|9|10)[0-7]\b", "16", sent).split(";")) & {"true", "256", "16"}


@pytest.mark.parametrize(
    ("theme", "variables", "kinds"),
    [
        ("dark", {"TERM": "xterm"}, {"16"}),
        ("dark", TRUE_COLOUR, {"true"}),
        *exhaustive_rows(("light", {}, {"256"}), ("ansi", TRUE_COLOUR, {"16"})),
        ("light", {"NO_COLOR": "1"}, set()),
    ],
    ids=str,
)
def test_colours_are_of_the_kind_that_the_terminal_has(
    start: Start, theme: str, variables: dict[str, str], kinds: set[str]
) -> None:
    terminal = start("--demo", "--theme", theme, **variables)
    terminal.wait_for("available", "Quit")
    terminal.press("j", "a", "Bim")
    terminal.wait_for("Add an animal", "Bim")
    quit_app(terminal)
    assert kinds_of_colours(terminal.written) == kinds


@pytest.mark.parametrize(
    ("variables", "name", "glyph"),
    [
        ({"LANG": ""}, "Señor Orejas", "●"),
        ({"LANG": "C"}, "Se<U+00F1>or Orejas", "*"),
        ({"TERM": "linux"}, "Señor Orejas", "*"),
    ],
    ids=str,
)
def test_characters_are_those_of_the_users_own_locale(
    start: Start, variables: dict[str, str], name: str, glyph: str
) -> None:
    """Python writes LC_CTYPE=C.UTF-8 into the environment for a C locale (PEP 538)."""
    terminal = start("--demo", **variables)
    terminal.wait_for(name, f"{glyph} available")
    quit_app(terminal)
    if glyph == "*":
        beyond = terminal.written.decode("utf-8")
        assert {character for character in beyond if not character.isascii()} <= set("ñÆøúëÑ")


def has_light_theme(terminal: Terminal) -> bool:
    terminal.wait_for("available", "Quit")
    quit_app(terminal)
    return b"48;2;252;251;248" in terminal.written


def test_a_theme_that_was_chosen_is_there_at_the_next_start(
    start: Start, configure: Callable[[str], Path]
) -> None:
    """An option takes precedence, then the chosen one, then the file."""
    usual = {**TRUE_COLOUR, "PETTUI_CONFIG": str(configure('theme = "ansi"\n'))}
    terminal = start(**usual)
    terminal.wait_for("available", "Quit")
    terminal.press(":", "light")
    terminal.wait_for("Theme: light")
    terminal.press(ENTER)
    quit_app(terminal)
    assert has_light_theme(start(**usual))
    assert not has_light_theme(start("--theme", "dark", **usual))
