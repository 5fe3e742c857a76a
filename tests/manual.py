"""The manual page ``pettui(1)``, written from the declarations of the commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pettui.cli import exit_codes
from pettui.cli.command_line import help_of
from pettui.cli.commands import APP, COMMANDS, EXCLUSIVE, SHORT
from pettui.settings import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pettui.cli.commands import Command
    from pettui.settings import Setting

DESCRIPTION: Final = "A terminal client for the animal store service"


def manual() -> str:
    """Return the page in the man(7) format."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    yield '.\\" Written by make docs from the declarations of the commands.'
    yield '.TH PETTUI 1 "" pettui "User Commands"'
    yield from (".SH NAME", f"pettui \\- {_escaped(DESCRIPTION[0].lower() + DESCRIPTION[1:])}")
    yield ".SH SYNOPSIS"
    for command in (APP, *COMMANDS):
        yield from _synopsis(command)
    yield from (".SH DESCRIPTION", _escaped(APP.description))
    yield from _paragraphs(APP.epilog.partition("{commands}")[2])
    yield ".SH OPTIONS"
    yield from _options(APP)
    yield ".SH COMMANDS"
    for command in COMMANDS:
        yield from (f".SS {_escaped(command.program)}", _escaped(command.description))
        yield from _options(command)
        yield from _paragraphs(command.epilog)
    yield ".SH EXIT STATUS"
    yield from _tagged((str(code), text) for code, text in exit_codes.MEANINGS.items())
    yield ".SH ENVIRONMENT"
    yield from _tagged(VARIABLES.items())


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
        yield words if is_needed else f"[{words}]"
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
