"""Writes the tables of README.md and docs/, and the manual page, from what the program itself reads.

``python -m tests.documentation``, or ``make docs``, fills every block between ``<!-- TABLE: WORDS -->``
and ``<!-- end -->``; ``tests/test_documentation.py`` fails where a block is not what it should be.
"""

from __future__ import annotations

import re
import sys
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pettui.cli import exit_codes
from pettui.cli.command_line import help_of
from pettui.cli.declarations import APP, COMMANDS, EXCLUSIVE, SHORT, Command, all_commands
from pettui.keyboard import actions
from pettui.settings.settings import (
    COMMAND_SETTINGS,
    LABEL_SETTINGS,
    MAPPING_SETTINGS,
    PROFILE,
    SERVICE_SETTINGS,
    Limits,
    Settings,
    declared,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pettui.settings.settings import Setting

ROOT = Path(__file__).parent.parent
MANUAL = ROOT / "docs" / "pettui.1"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"<!-- ([a-z ]+): (.+?) -->\n(?:.*?\n)??<!-- end -->", re.DOTALL)
VARIABLE = re.compile(r"^\| `(PETTUI_\w+)` \| (.+) \|$", re.MULTILINE)
SETTINGS: Mapping[str, Mapping[str, Setting]] = {
    "top": {"profile": PROFILE, **declared(Settings)},
    "limits": declared(Limits),
    "commands": COMMAND_SETTINGS,
    "mappings": MAPPING_SETTINGS,
    "profiles": {**SERVICE_SETTINGS, **LABEL_SETTINGS},
}
TEXT_KEYS = ("colon", "question_mark")
STORE_OPTIONS = ("--demo", "--profile", "--base-url", "--config")
KEYS = {
    "up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "pgup", "pagedown": "pgdn",
    "space": "space", "home": "home", "end": "end", "enter": "Enter", "escape": "esc", "tab": "tab",
    "plus": "+", "minus": "-", "number_sign": "#", "slash": "/", "colon": ":", "question_mark": "?",
    "exclamation_mark": "!",
}  # fmt: skip


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (header, ["---"] * len(header), *rows)
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def written(key: str) -> str:
    """Return a key as the screen shows it: esc, F1, ctrl+d."""
    return KEYS.get(key) or (key.upper() if re.fullmatch(r"f\d+", key) else key)


def keys_of(action: actions.Action, place: str) -> str:
    """Return the keys of an action at a place; in the form's fields some are text."""
    text = TEXT_KEYS if place == "PET_CREATE" else ()
    return " ".join(f"`{written(key)}`" for key in action.keys.split(",") if key not in text)


def key_table(*places: str) -> str:
    """Return all keys of some places of ``pettui.keyboard.actions``, and what ``[keys]`` calls them."""
    declared = ((each, place) for place in places for each in getattr(actions, place))
    rows = ((keys_of(each, place), each.label, f"`{each.name}`") for each, place in declared)
    return table(
        ("Key", "What it does", "Name in `[keys]`"), dict.fromkeys(row for row in rows if row[0])
    )


def key_bar_table(*screens: str) -> str:
    """Return what the key bars show, a column a screen; each is written ``PLACE=Title``."""
    titles, columns = [], []
    for place, title in (screen.split("=") for screen in screens):
        declared = getattr(actions, place)
        titles.append(title)
        columns.append(
            [f"{keys_of(each, place)} {each.label}" for each in declared if each.is_in_key_bar]
        )
    return table(titles, zip_longest(*columns, fillvalue=""))


def setting_table(*tables: str) -> str:
    """Return the settings of some tables of the configuration file."""
    settings = {name: each for which in tables for name, each in SETTINGS[which].items()}
    rows = (
        (f"`{name}`", each.usual, each.values, described(each)) for name, each in settings.items()
    )
    return table(("Setting", "Default", "Values", "What it is"), rows)


def described(setting: Setting) -> str:
    unset = f"; if not set, {setting.unset}" if setting.unset else ""
    return f"{setting.description}{unset}"


def exit_code_table(_: str) -> str:
    return table(
        ("Code", "Meaning"), ((str(code), text) for code, text in exit_codes.MEANINGS.items())
    )


def option_table(*commands: str) -> str:
    """Return what can be written behind commands, without what chooses the store."""
    rows: dict[tuple[str, str], list[str]] = {}
    of_groups = {each.name: [one.name for one in each.commands] for each in COMMANDS}
    commands = tuple(name for each in commands for name in of_groups.get(each) or [each])
    for command in commands:
        for option, text in options_of(command):
            rows.setdefault((option, text), []).append(f"`{command}`")
    if len(commands) == 1:
        return table(("Option", "What it does"), rows)
    with_commands = ((*row, " ".join(having)) for row, having in rows.items())
    return table(("Option", "What it does", "Of"), with_commands)


def options_of(name: str) -> Iterator[tuple[str, str]]:
    everything = (APP, *all_commands())
    [command] = [each for each in everything if each.name == name.removeprefix("pettui")]
    of_store = () if command is APP or name == "ssh" else STORE_OPTIONS
    for option, setting in command.options.items():
        if option not in of_store:
            names = filter(None, [SHORT.get(option), _plain(option, setting)])
            yield " ".join(f"`{each}`" for each in names), help_of(setting)


TABLES: Mapping[str, Callable[..., str]] = {
    "keys": key_table,
    "key bars": key_bar_table,
    "settings": setting_table,
    "exit codes": exit_code_table,
    "options": option_table,
}


def filled(page: str) -> str:

    def fill(block: re.Match[str]) -> str:
        content = TABLES[block[1]](*block[2].split())
        return f"<!-- {block[1]}: {block[2]} -->\n\n{content}\n<!-- end -->"

    return BLOCK.sub(fill, page)


DESCRIPTION: Final = "A terminal client for the animal store service"


def manual() -> str:
    """Return the page in the man(7) format."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    yield '.\\" Written by make docs from the declarations of the commands.'
    yield '.TH PETTUI 1 "" pettui "User Commands"'
    yield from (".SH NAME", f"pettui \\- {_escaped(DESCRIPTION[0].lower() + DESCRIPTION[1:])}")
    yield ".SH SYNOPSIS"
    for command in (APP, *all_commands()):
        if not command.commands:
            yield from _synopsis(command)
    yield from (".SH DESCRIPTION", _escaped(APP.description))
    yield from _paragraphs(APP.epilog)
    yield ".SH OPTIONS"
    yield from _options(APP)
    yield ".SH COMMANDS"
    of_group = ""
    for command in all_commands():
        yield from (f".SS {_escaped(command.program)}", _escaped(command.description))
        yield from _options(command)
        if command.epilog != of_group:  # said once, of all its commands
            yield from _paragraphs(command.epilog)
        of_group = command.epilog if command.commands else of_group
    yield ".SH EXIT STATUS"
    yield from _tagged((str(code), text) for code, text in exit_codes.MEANINGS.items())
    yield ".SH ENVIRONMENT"
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    yield from _tagged(VARIABLE.findall(page))


def _synopsis(command: Command) -> Iterator[str]:
    yield f'.SY "{_escaped(command.program)}"'
    alternatives = [[name for name in names if name in command.options] for names in EXCLUSIVE]
    first = {names[0]: names for names in alternatives if names}
    others = {name for names in alternatives for name in names[1:]}
    for name, setting in command.options.items():
        if name in others:
            continue
        words = "|".join(_word(each, command.options[each]) for each in first.get(name, [name]))
        is_needed = not name.startswith("--") and setting.default is None
        again = "\\ ..." if setting.is_repeated else ""
        yield (words if is_needed else f"[{words}]") + again
    yield ".YS"


def _options(command: Command) -> Iterator[str]:
    yield from _tagged(
        (", ".join(filter(None, [SHORT.get(name), _plain(name, setting)])), help_of(setting))
        for name, setting in command.options.items()
    )


def _plain(name: str, setting: Setting) -> str:
    return f"{name} {setting.metavar}".rstrip() if name.startswith("--") else setting.metavar


def _word(name: str, setting: Setting) -> str:
    return _escaped(_plain(name, setting)).replace(" ", "\\ ")


def _tagged(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for tag, text in rows:
        yield from (".TP", f"\\fB{_escaped(tag)}\\fR", _escaped(text))


def _paragraphs(epilog: str) -> Iterator[str]:
    """Return the paragraphs of an epilog; indented lines stay as they are."""
    for paragraph in filter(None, epilog.strip("\n").split("\n\n")):
        lines = paragraph.splitlines()
        if any(line.startswith(" ") for line in lines):
            yield from (".PP", ".nf", *map(_escaped, lines), ".fi")
        else:
            yield from (".PP", _escaped(" ".join(lines)))


def _escaped(text: str) -> str:
    """Return a text that roff reads as such: no request, no escape, and all of it ASCII."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    ascii_only = re.sub(r"[^ -~]", lambda found: f"\\[u{ord(found[0]):04X}]", escaped)
    return re.sub(r"^([.'])", r"\\&\1", ascii_only)


def main() -> int:
    """Fill the blocks of all pages, and write the manual page."""
    written = {path: filled(path.read_text(encoding="utf-8")) for path in PAGES}
    for path, new in {**written, MANUAL: manual()}.items():
        if not path.exists() or path.read_text(encoding="utf-8") != new:
            path.write_text(new, encoding="utf-8")
            print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
