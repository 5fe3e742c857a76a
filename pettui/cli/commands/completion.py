"""``pettui completion``: a script that completes commands, options, profiles and files."""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.cli.command_line import CommandParser
from pettui.cli.declarations import APP, COMMANDS, SHELLS
from pettui.cli.exit_codes import OK
from pettui.cli.output import ClosedPipeError, check_output, write_output
from pettui.configuration import ConfigurationError, all_profiles, no_such, profile_names
from pettui.settings import StoreKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pettui.cli.declarations import Command
    from pettui.settings import Setting

_FILES: Final = ("FILE", "PATH")  # what values that are files are called
PROFILES: Final = "profiles"  # asked for by the scripts: the names, one a line
KEYS: Final = "keys"  # likewise: the names of the keys that pettui serve accepts
CATEGORIES: Final = "categories"  # likewise: the categories of a profile: "categories:NAME"
_NAMES: Final = "command pettui completion"
# The shells themselves quote names and paths, which may contain blanks and quotation marks. The
# names are those of the configuration file and the profile that the line names.
_PREAMBLES: Final = {
    "bash": f"""
_pettui_value() {{
  local index word
  for ((index = 1; index < ${{#COMP_WORDS[@]}} - 1; index++)); do
    [[ ${{COMP_WORDS[index]}} == "$1" ]] || continue
    word=${{COMP_WORDS[index + 1]}}
    printf '%s' "${{word//[\\"\\'\\\\]/}}"
    return
  done
}}
_pettui_names() {{
  local name config
  config=$(_pettui_value --config)
  while IFS= read -r name; do
    [[ $name == "$2"* ]] && printf '%q\\n' "$name"
  done < <(PETTUI_CONFIG=${{config:-${{PETTUI_CONFIG-}}}} {_NAMES} "$1" 2>/dev/null)
}}
_pettui_profiles() {{ _pettui_names {PROFILES} "$1"; }}
_pettui_categories() {{ _pettui_names "{CATEGORIES}:$(_pettui_value --profile)" "$1"; }}
_pettui_keys() {{
  [[ ${{COMP_WORDS[COMP_CWORD - 1]}} == remove ]] && _pettui_names {KEYS} "$1"
}}
_pettui_known() {{
  [[ ${{COMP_WORDS[COMP_CWORD - 1]}} == @(test|remove) ]] && _pettui_names {PROFILES} "$1"
}}
_pettui_files() {{
  compgen -f -- "$1"
}}
""",
    "zsh": f"""
_pettui_names() {{
  local -a names line
  local kind=$1 index config profile
  shift
  line=("${{(@Q)${{(z)BUFFER}}}}")
  for ((index = 1; index <= $#line; index++)); do
    case $line[index] in
      (--config) config=$line[index+1] ;;
      (--config=*) config=${{line[index]#--config=}} ;;
      (--profile) profile=$line[index+1] ;;
      (--profile=*) profile=${{line[index]#--profile=}} ;;
    esac
  done
  [[ $kind == {CATEGORIES} ]] && kind=$kind:$profile
  names=("${{(@f)$(PETTUI_CONFIG=${{config:-${{PETTUI_CONFIG-}}}} {_NAMES} $kind 2>/dev/null)}}")
  compadd "$@" -a names
}}
_pettui_profiles() {{ _pettui_names {PROFILES} "$@" }}
_pettui_categories() {{ _pettui_names {CATEGORIES} "$@" }}
_pettui_keys() {{ [[ $words[CURRENT-1] == remove ]] && _pettui_names {KEYS} "$@" }}
_pettui_known() {{ [[ $words[CURRENT-1] == (test|remove) ]] && _pettui_names {PROFILES} "$@" }}
""",
    "fish": f"""
function __pettui_names
    set -l config $PETTUI_CONFIG
    set -l profile
    set -l before
    for word in (commandline -opc)
        test "$before" = --config; and set config $word
        string match -q -- '--config=*' $word; and set config (string sub -s 10 -- $word)
        test "$before" = --profile; and set profile $word
        string match -q -- '--profile=*' $word; and set profile (string sub -s 11 -- $word)
        set before $word
    end
    test $argv[1] = {CATEGORIES}; and set argv[1] {CATEGORIES}:$profile
    PETTUI_CONFIG="$config" {_NAMES} $argv[1] 2>/dev/null
end
function __pettui_profiles
    __pettui_names {PROFILES}
end
function __pettui_categories
    __pettui_names {CATEGORIES}
end
function __pettui_keys
    test (commandline -opc)[-1] = remove; and __pettui_names {KEYS}
end
function __pettui_known
    contains -- (commandline -opc)[-1] test remove; and __pettui_names {PROFILES}
end
""",
}
# To bash, "--status=so" is three words.
_BASH_END: Final = """
_pettui() {
  local -a words=()
  local index current=$COMP_CWORD
  for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
    if [[ ${COMP_WORDS[index]} == = && ${COMP_WORDS[index - 1]} == --* ]]; then
      if ((index == COMP_CWORD)); then words+=(""); fi
      if ((index < COMP_CWORD)); then ((current--)); fi
    else
      words+=("${COMP_WORDS[index]}")
    fi
  done
  local -a COMP_WORDS=("${words[@]}")
  local COMP_CWORD=$current
  _shtab_pettui
}
complete -o bashdefault -F _pettui pettui
"""
_ZSH_VALUE: Final = re.compile(
    r'^(?P<before>  ")(?P<long>--[\w-]+)(?P<rest>\[.*\]:[A-Z])'
    r'|\{(?P<short>-\w),(?P<both>--[\w-]+)\}(?P<behind>"\[.*\]:[A-Z])',
    re.MULTILINE,
)
_NAMED_BY: Final = {
    ("key", "name"): "keys", ("profile", "name"): "known", ("add", "category"): "categories",
}  # fmt: skip
_COMPLETE_FILE: Final = {
    "bash": "_pettui_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}


def complete(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print a shell's script, or the names of profiles or keys, and return the exit code.

    Raises:
        ConfigurationError: the shell is unknown, or the configuration cannot be used.
    """
    check_output()
    with suppress(ClosedPipeError):
        write_output("".join(f"{line}\n" for line in _lines(arguments.shell, environment)).encode())
    return OK


def _lines(shell: str, environment: Mapping[str, str]) -> Iterator[str]:
    if shell == PROFILES:
        yield from filter(str.isprintable, profile_names(environment))
    elif shell == KEYS:
        yield from _key_names(environment)
    elif shell.partition(":")[0] == CATEGORIES:
        yield from _category_names(shell.partition(":")[2], environment)
    elif shell in SHELLS:
        yield script(shell)
    else:
        reason = no_such(shell, SHELLS, "shell")
        raise ConfigurationError("completion", reason)


def _key_names(environment: Mapping[str, str]) -> list[str]:
    from pettui.cli.commands.serve import key_file
    from pettui.service.keys import KeyFileError, list_keys

    try:
        return [entry.name for entry in list_keys(key_file(environment))]
    except KeyFileError as error:
        raise ConfigurationError("completion", str(error)) from None


def _category_names(profile: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Return the categories of a profile, by default of that which plain pettui opens."""
    from pettui.service.stores.samples import SAMPLE_CATEGORIES

    for each in all_profiles(None, environment):
        if each.profile.name == profile or (each.is_default and not profile):
            usual = {} if each.profile.kind is StoreKind.SERVICE else SAMPLE_CATEGORIES
            names = each.profile.categories or usual
            yield from filter(str.isprintable, names.values())


def script(shell: str) -> str:
    """Return the script for a shell, which completes --option=value, too."""
    import shtab

    text: str = shtab.complete(_whole_parser(), shell, preamble=_PREAMBLES[shell])
    if shell == "zsh":
        return _ZSH_VALUE.sub(_with_equals, text)
    return text + _BASH_END if shell == "bash" else text


def _with_equals(found: re.Match[str]) -> str:
    if found["long"]:
        return f"{found['before']}{found['long']}={found['rest']}"
    return f"{{{found['short']}+,{found['both']}=}}{found['behind']}"


def _whole_parser() -> CommandParser:
    """Return one parser of all commands, with the completions of their words."""
    whole = CommandParser(APP)
    commands = whole.add_subparsers(metavar="COMMAND", parser_class=argparse.ArgumentParser)
    _describe(whole, APP)
    for command in COMMANDS:
        parser = CommandParser(command)
        _describe(parser, command)
        commands.add_parser(
            command.name,
            parents=[parser],
            add_help=False,
            help=command.description,
            prog=command.program,
        )
    return whole


def _describe(parser: CommandParser, command: Command) -> None:
    """Say how each value of a command can be completed."""
    for name, setting in command.options.items():
        action = parser.actions[name]
        if setting.words:
            action.choices = tuple(setting.words)
        elif (words := _completed_by(command, name, setting)) is not None:
            action.complete = words


def _completed_by(command: Command, name: str, setting: Setting) -> dict[str, str] | None:
    if (function := _NAMED_BY.get((command.name, name))) is not None:
        return _by_function(function)
    if name == "--profile":
        return _by_function("profiles")
    return _COMPLETE_FILE if setting.metavar in _FILES else None


def _by_function(name: str) -> dict[str, str]:
    """Return how each shell calls a function of its preamble."""
    return {"bash": f"_pettui_{name}", "zsh": f"_pettui_{name}", "fish": f"(__pettui_{name})"}
