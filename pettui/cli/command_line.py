"""The command line: which command it names, what its words mean, and the exit code of its run.

No message repeats a word that pettui does not know: it may be a key, after an option that does not
exist.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from contextlib import suppress
from importlib import import_module
from importlib.machinery import PathFinder
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pettui.build import build
from pettui.cli.declarations import APP, COMMANDS, EXCLUSIVE, FILES, LIKE, NEEDS, SETTINGS, SHORT
from pettui.cli.exit_codes import BAD_INPUT, BUG, MEANINGS
from pettui.cli.output import (
    ClosedPipeError,
    bug_hook,
    check_output,
    without_keys,
    write_failure,
    write_output,
)
from pettui.configuration.errors import ConfigurationError, no_such, shown_name
from pettui.settings.settings import ApiKey, Setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from _typeshed import SupportsWrite

    from pettui.cli.declarations import Command

_NO_UTF_8: Final = re.compile("[\ud800-\udfff]")  # as Python reads other bytes
_WIDTH: Final = 100
_LINE: Final = 24  # cells of a command and its arguments, in the help of pettui


def run_command(words: Sequence[str]) -> int:
    """Run the command of a command line, and return its exit code."""
    command, rest = _split(words)
    os.umask(os.umask(0o077) & 0o077)  # what pettui makes can be used by its owner
    environment = dict(os.environ)  # without what is set from here on for libraries
    # Otherwise pydantic searches the metadata of every installed package for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    _skip_needless_imports()
    sys.excepthook = bug_hook(ApiKey(""))
    try:
        arguments = CommandParser(command).parse_args(rest)
        module, _, function = command.function.partition(":")
        run = getattr(import_module(f"pettui.cli.commands.{module}"), function)
        return int(run(arguments, environment))
    except ConfigurationError as error:
        write_failure(without_keys(str(error), os.environ))
        return BAD_INPUT
    except Exception as error:  # noqa: BLE001 - reported by the hook
        sys.excepthook(type(error), error, error.__traceback__)
        return BUG


def _skip_needless_imports() -> None:
    """Have httpx imported without its command line, and what is missing searched for once.

    Its command line imports click, rich and pygments, where they are installed, which takes twice
    the time; httpcore tries to import sniffio at each lock that it takes, and searching the whole
    path each time is a quarter of what a request costs. None makes an import fail as if there was
    no such module. Only in processes of pettui's own commands: neither programs that import
    ``pettui.client`` nor other apps that ``pettui.ssh`` serves get this.
    """
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
    if "sniffio" not in sys.modules and PathFinder.find_spec("sniffio") is None:
        sys.modules["sniffio"] = None  # type: ignore[assignment]


def _split(words: Sequence[str]) -> tuple[Command, Sequence[str]]:
    """Return the command, and the other words.

    Options may come before a command, whose parser checks them.
    """
    command, rest = APP, list(words)
    while commands := COMMANDS if command is APP else command.commands:
        index = _first_plain(rest, [command, *command.commands])
        named = next((each for each in commands if [each.word] == rest[index : index + 1]), None)
        if named is None:
            break
        command = named
        del rest[index]
    return command, rest


def _first_plain(words: Sequence[str], commands: Iterable[Command]) -> int:
    """Return the index of the first word behind options of these commands, and their values."""
    long = {short: name for name, short in SHORT.items()}
    known = {name: option for command in commands for name, option in command.options.items()}
    index = 0
    while index < len(words) and words[index].startswith("-"):
        option = known.get(long.get(words[index], words[index]))
        index += 2 if option is not None and option.metavar else 1
    return index


class CommandParser(argparse.ArgumentParser):
    """Reads what a command declares; raises what argparse would print over several lines."""

    def __init__(self, command: Command) -> None:
        is_app = command is APP
        commands = COMMANDS if is_app else command.commands
        texts = (
            f"commands, each with its own --help:\n{_listed(commands)}" if commands else "",
            command.epilog.rstrip(),
            f"exit codes:\n{_exit_codes()}" if is_app else "pettui --help lists the exit codes.",
            f"Example: {command.program} {command.example}" if command.example else "",
        )
        super().__init__(
            prog=command.program,
            usage=f"{command.program} [-h] COMMAND …" if command.commands else None,
            description=command.description,
            epilog="\n\n".join(filter(None, texts)),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self._command = command
        groups: dict[str, Any] = {}
        for names in EXCLUSIVE:
            present = [name for name in names if name in command.options]
            if len(present) > 1:
                groups |= dict.fromkeys(present, self.add_mutually_exclusive_group())
        self.actions = {
            name: groups.get(name, self).add_argument(
                *filter(None, [SHORT.get(name)]), name, **_argparse_options(name, setting)
            )
            for name, setting in command.options.items()
        }

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str], namespace: None = None
    ) -> argparse.Namespace:
        """Parse the arguments, numbers as such.

        Raises:
            ConfigurationError: one of them is not known, or lacks its value, or cannot have it.
        """
        parsed, unknown = self.parse_known_args(args, namespace)
        if self._command.commands:
            raise self._no_action(args)
        if unknown:
            raise self._unknown(unknown)
        for name, setting in self._command.options.items():
            destination = _destination(name)
            given = vars(parsed).get(destination)
            texts = [given] if isinstance(given, str) else given if isinstance(given, list) else ()
            if setting.metavar not in FILES and any(map(_NO_UTF_8.search, texts)):
                called = name if name.startswith("--") else setting.metavar
                raise ConfigurationError(called, "is not UTF-8")
            is_read_later = not name.startswith("--") or SETTINGS.get(name) is setting
            if isinstance(given, list):
                values = [text if is_read_later else _value(name, setting, text) for text in given]
                if len(values) > 1 and not setting.is_repeated:
                    raise ConfigurationError(name, "can be given once")
                setattr(parsed, destination, tuple(values) if setting.is_repeated else values[0])
            elif isinstance(given, str) and not is_read_later:
                setattr(parsed, destination, _value(name, setting, given))
        for (command, name), others in NEEDS.items():
            is_given = command == self._command.name and _given(parsed, name)
            if is_given and not any(_given(parsed, each) for each in others):
                raise ConfigurationError(name, f"needs {' or '.join(others)}")
        return parsed

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:  # noqa: ARG002 - one place
        """Write the help to standard output; a full disk is an error, a closed pipe is none."""
        check_output()
        with suppress(ClosedPipeError):
            write_output(self.format_help().encode())

    def error(self, message: str) -> NoReturn:
        """Raise argparse's error as a ConfigurationError of one line, without the value."""
        # An option with a short form is called -n/--limit.
        found = re.match(
            r"argument (?:-\w/)?([\w/-]+): (?:not allowed with argument (?:-\w/)?(\S+))?", message
        )
        if missing := re.match(r"the following arguments are required: (\w+)", message):
            raise ConfigurationError(missing[1], f"is missing; see {self.prog} --help")
        if found is None:
            raise ConfigurationError("command line", f"cannot be read; see {self.prog} --help")
        option, other = found[1], found[2]
        reason = "takes no value" if "explicit" in message else "needs a value"
        raise ConfigurationError(option, f"not allowed with argument {other}" if other else reason)

    def _no_action(self, words: Sequence[str]) -> ConfigurationError:
        commands = self._command.commands
        names = [each.word for each in commands]
        reason = f"needs an action: {', '.join(names[:-1])} or {names[-1]}"
        if action := words[_first_plain(words, commands) :]:
            reason = no_such(LIKE.get(action[0], action[0]), names, "action")
        return ConfigurationError(self._command.name, reason)

    def _unknown(self, words: Sequence[str]) -> ConfigurationError:
        # Without a value that was appended to it.
        names = (word.partition("=")[0] if word.startswith("--") else word[:2] for word in words)
        options = [shown_name(name) for name in names if name.startswith("-")]
        known = [option for option in self._option_string_actions if option.startswith("--")]
        if any("key" in option for option in options):
            option = next(option for option in options if "key" in option)
            reason = "unknown option: set the key in PETTUI_API_KEY or in a profile"
            return ConfigurationError(option, reason)
        if words[0].startswith("-"):
            return ConfigurationError(options[0], no_such(options[0], known, "option"))
        if self.prog != APP.program:
            return ConfigurationError("command line", f"too many words; see {self.prog} --help")
        return ConfigurationError("command line", no_such_command(words[0]))


def _destination(name: str) -> str:
    return name.removeprefix("--").replace("-", "_")


def _given(parsed: argparse.Namespace, option: str) -> bool:
    return getattr(parsed, _destination(option)) not in (None, False)


def no_such_command(name: str) -> str:
    """Return the reason for refusing an unknown command, with that which was probably meant."""
    if name in LIKE:
        return f"unknown command; did you mean {LIKE[name]}?"
    return no_such(name, [command.name for command in COMMANDS], "command")


def _value(name: str, setting: Setting, text: str) -> Any:
    value = setting.parsed(text)
    if not setting.accepts(value):
        raise ConfigurationError(name, setting.rule, value=text)
    return value


def help_of(setting: Setting) -> str:
    """Return what the help and the documentation say of an option."""
    has_usual = setting.kind is not bool and setting.default is not None
    usual = setting.unset or (str(setting.default) if has_usual else "")
    return f"{setting.description} (default: {usual})" if usual else setting.description


def _argparse_options(name: str, setting: Setting) -> dict[str, Any]:
    described = help_of(setting).replace("%", "%%")
    if name == "--version":
        return {"action": "version", "version": f"{APP.program} {build()}", "help": described}
    if setting.kind is bool:
        return {"action": "store_true", "help": described}
    is_word = not name.startswith("--")
    is_list = setting.is_repeated and not is_word
    can_be_left_out = is_word and setting.default is not None
    return {
        "metavar": setting.metavar,
        "help": described,
        # What is not given is left to the environment and the configuration file.
        "default": None if name in SETTINGS else setting.default,
        **({"action": "append"} if name == "--status" or is_list else {}),
        **({"nargs": "?"} if can_be_left_out else {}),
        **({"nargs": "*" if can_be_left_out else "+"} if setting.is_repeated and is_word else {}),
    }


def _exit_codes() -> str:
    return "\n".join(
        fill(meaning, _WIDTH, initial_indent=f"  {code:<4}", subsequent_indent=" " * 6)
        for code, meaning in MEANINGS.items()
    )


def _listed(commands: Iterable[Command]) -> str:
    lines = []
    for command in commands:
        needed = [
            each.metavar
            for name, each in command.options.items()
            if not name.startswith("--") and each.default is None
        ]
        called = f"  {' '.join((command.program, *needed))}"
        separate = f"\n{' ' * _LINE}" if len(called) > _LINE - 2 else ""
        lines.append(f"{called}{separate or ' ' * (_LINE - len(called))}{command.summary}")
    return "\n".join(lines)
