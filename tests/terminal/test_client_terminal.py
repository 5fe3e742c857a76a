"""ClientTerminal: what a client sends about its terminal is checked and limited."""

from __future__ import annotations

import pytest

from pettui.system.capabilities import Colours, Glyphs
from pettui.terminal.client_terminal import ENVIRONMENT, client_terminal


@pytest.mark.parametrize(
    ("kind", "environment", "colours"),
    [
        ("xterm-256color", {}, Colours.MANY),
        ("xterm", {}, Colours.SIXTEEN),
        ("xterm-256color", {"COLORTERM": "truecolor"}, Colours.TRUE),
        ("xterm-direct", {}, Colours.TRUE),
        ("alacritty", {}, Colours.MANY),
        ("tmux-256color", {}, Colours.MANY),
        ("screen", {}, Colours.SIXTEEN),
        ("linux", {}, Colours.SIXTEEN),
        ("vt100", {}, Colours.NONE),
        ("xterm-256color", {"COLORTERM": "truecolor", "NO_COLOR": "1"}, Colours.NONE),
    ],
)
def test_colours_are_those_that_the_client_claims(
    kind: str, environment: dict[str, str], colours: Colours
) -> None:
    assert client_terminal(kind, (80, 24), environment).colours is colours


@pytest.mark.parametrize(
    ("kind", "environment", "glyphs"),
    [
        ("xterm", {}, Glyphs.UNICODE),
        ("xterm", {"LANG": "de_DE.UTF-8"}, Glyphs.UNICODE),
        ("xterm", {"LANG": "C.UTF-8", "LC_ALL": "C"}, Glyphs.ASCII),
        ("xterm", {"LANG": "de_DE.ISO-8859-1"}, Glyphs.ASCII),
        ("linux", {"LANG": "C.UTF-8"}, Glyphs.ASCII),
    ],
)
def test_characters_are_those_of_the_clients_locale(
    kind: str, environment: dict[str, str], glyphs: Glyphs
) -> None:
    assert client_terminal(kind, (80, 24), environment).glyphs is glyphs


def test_sizes_are_clamped() -> None:
    assert client_terminal("xterm", (0, 0), {}).size == (80, 24)
    assert client_terminal("xterm", (4_294_967_295, 1), {}).size == (400, 1)


@pytest.mark.parametrize("kind", [None, "", "dumb", "unknown", "a b", "x" * 100, "\x1b[2J"])
def test_without_a_usable_terminal_type_it_cannot_draw(kind: str | None) -> None:
    assert not client_terminal(kind, (80, 24), {}).can_draw


def test_other_variables_are_dropped() -> None:
    assert all(map(ENVIRONMENT.fullmatch, ["TERM", "LANG", "LC_ALL", "COLORTERM", "NO_COLOR"]))
    assert not any(map(ENVIRONMENT.fullmatch, ["PATH", "TEXTUAL", "LD_PRELOAD", "LC_a", "TERMX"]))


def test_only_terminals_known_to_erase_with_the_background_are_asked_to() -> None:
    kinds = ("xterm-256color", "xterm-kitty", "tmux-256color", "screen-256color", "vt220", "linux")
    erasing = [kind for kind in kinds if client_terminal(kind, (80, 24), {}).erases]
    assert erasing == ["xterm-256color", "xterm-kitty", "linux"]


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("Asia/Tokyo", "Asia/Tokyo"),
        (":Asia/Tokyo", "Asia/Tokyo"),
        ("UTC", "UTC"),
        ("", None),
        ("CET-1CEST,M3.5.0,M10.5.0", None),
        ("Nowhere/Land", None),
        ("Europe", None),
        ("tzdata.zi", None),
        ("../../../etc/passwd", None),
        ("/etc/localtime", None),
        ("localtime", None),
        ("A" * 10_000, None),
        ("Ásia/Tokyo", None),
        ("\x00", None),
    ],
    ids=ascii,
)
def test_a_client_s_zone_is_one_that_is_known_here(text: str, zone: str | None) -> None:
    found = client_terminal("xterm", (80, 24), {"TZ": text}).zone
    assert (found and found.key) == zone
