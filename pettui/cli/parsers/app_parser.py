"""The parser of ``pettui`` itself, and the options that commands share with it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui import __version__
from pettui.cli.parsers.one_line_parser import APP, OneLineParser
from pettui.settings import Setting, Settings, declared, option_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_SETTINGS: Final[Mapping[str, Setting]] = MappingProxyType(
    {option_of(name): each for name, each in declared(Settings).items() if each.metavar}
)
VALUED_OPTIONS: Final = (
    "--profile", "--base-url", "--config", *_SETTINGS, "--animals", "--welcome",
)  # fmt: skip
"""The app's options that take a value, which may be the next word."""
_EPILOG: Final = """\
commands, each with its own --help:
  pettui list           animals, for a terminal or a pipe
  pettui get ID         one animal
  pettui add NAME CATEGORY
                        add one animal
  pettui export FILE    write animals to a file: CSV, JSON or JSON Lines
  pettui import FILE    add the animals of a file
  pettui completion SHELL
                        completion script for bash, zsh or fish
  pettui doctor         check the setup
  pettui serve          serve a store over HTTP
  pettui key            manage the API keys that pettui serve accepts
  pettui ssh            serve the app over SSH

Without any configuration pettui opens a store of its own, in a file of yours. The API key of a
service comes from the environment variable PETTUI_API_KEY or from its profile, never from the
command line, where others could read it.
"""


def app_parser() -> OneLineParser:
    """Return the parser of ``pettui`` itself, whose settings are those of ``Settings``."""
    parser = OneLineParser(
        prog=APP, description="A terminal client for the animal store service.", epilog=_EPILOG
    )
    add_store_options(parser)
    add = parser.add_argument
    for option, setting in _SETTINGS.items():
        add(option, metavar=setting.metavar, help=_help(setting))
    add_demo_options(parser)
    version = f"{APP} {__version__}"
    add("--version", action="version", version=version, help="show the version and exit")
    return parser


def _help(setting: Setting) -> str:
    *words, last = setting.words or ("",)
    what = f"{', '.join(words)} or {last}" if words else f"{setting.description}, {setting.values}"
    return f"{what} (default: {setting.unset or setting.usual})"


def add_store_options(parser: OneLineParser) -> None:
    """Add the options that choose a store."""
    store = parser.add_mutually_exclusive_group()
    store.add_argument(
        "--demo", action="store_true", help="sample animals in memory; nothing is kept"
    )
    store.add_argument("--profile", metavar="NAME", help="a profile of the configuration file")
    store.add_argument(
        "--base-url", metavar="URL", help="a service's address, ending in /v1 (PETTUI_BASE_URL)"
    )
    add_config_option(parser)


def add_config_option(parser: OneLineParser) -> None:
    """Add the option that names another configuration file."""
    parser.add_argument(
        "--config", metavar="FILE", help="another configuration file (PETTUI_CONFIG)"
    )


def add_demo_options(parser: OneLineParser) -> None:
    """Add the options of a demo; see ``cli.demo.demo_options``."""
    add = parser.add_argument
    add("--animals", metavar="FILE", help="animals of the demo: CSV, JSON or JSON Lines")
    add("--welcome", metavar="FILE", help="text that the demo begins with, at most 20 lines")
    add("--read-only", action="store_true", help="the demo accepts no new animals")
