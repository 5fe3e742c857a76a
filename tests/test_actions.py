"""Each action is declared once; the README's table of keys is what is declared."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain
from pathlib import Path

import pytest

from pettui import actions

README = Path(__file__).parent.parent / "README.md"
WRITTEN = {
    "up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn",
    "space": "Space", "home": "Home", "end": "End", "enter": "Enter", "escape": "Esc",
    "plus": "+", "minus": "-", "number_sign": "#", "slash": "/",
}  # fmt: skip
ON_ANY_SCREEN = {actions.HELP.name, actions.COMMANDS.name}  # told above the table
TEXTUALS_OWN = {"Tab"}


def written(key: str) -> str:
    return WRITTEN.get(key) or (key.upper() if re.fullmatch(r"f\d+", key) else key)


def columns_of_readme() -> dict[str, set[str]]:
    """Return the keys of the table, by the screen that heads their column."""
    section = README.read_text(encoding="utf-8").partition("## Keys")[2]
    table = section[section.index("| List |") :].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    keys = defaultdict(set)
    for row in rows[2:]:
        for screen, cell in zip(rows[0][::2], row[::2], strict=True):
            keys[screen] |= set(re.findall(r"`([^`]+)`", cell))
    return keys


@pytest.mark.parametrize(
    ("screen", "places"),
    [
        ("List", (actions.PET_LIST, actions.PET_TABLE)),
        ("Animal", (actions.PET_DETAIL,)),
        ("Form", (actions.PET_CREATE, actions.STATUS_PICKER)),
        ("Outbox", (actions.OUTBOX_ENTRIES, actions.ENTRY_TABLE)),
    ],
)
def test_the_readmes_table_has_every_key_of_a_screen_and_no_other(
    screen: str, places: tuple[tuple[actions.Action, ...], ...]
) -> None:
    declared = {
        written(key)
        for action in chain(*places)
        if action.name not in ON_ANY_SCREEN
        for key in action.keys.split(",")
    }
    assert columns_of_readme()[screen] - TEXTUALS_OWN == declared


@pytest.mark.parametrize("name", sorted(actions.NAMES))
def test_an_action_of_several_screens_is_in_the_palette_of_all_or_of_none(name: str) -> None:
    declared = [each for each in chain(*actions.PLACES) if each.name == name]
    assert len({each.is_in_palette for each in declared}) == 1


def test_a_place_declares_an_action_once() -> None:
    for place in actions.PLACES:
        names = [each.name for each in place]
        assert len(names) == len(set(names))
