"""What can stand on the command line; what cannot is told in one line.

No message repeats a word that pettui does not know: it may be a key that was given to an option
which there is not.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, NoReturn

from pettui import __version__
from pettui.configuration import ConfigurationError, no_such, shown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

ONE_SHOT_COMMANDS = ("list", "get", "add", "export", "import")
COMMANDS = (*ONE_SHOT_COMMANDS, "completion", "doctor", "serve", "key", "ssh")
VALUED_OPTIONS = (
    "--profile", "--base-url", "--config", "--limit", "--theme", "--glyphs", "--animals",
    "--welcome",
)  # fmt: skip
"""The app's options that take a value, which may stand in the next word."""
_EPILOG = """\
commands, each with a --help of its own:
  pettui list           animals, for a terminal or a pipe
  pettui get ID         one animal
  pettui add NAME CATEGORY
  pettui export FILE    animals to a file: CSV, JSON or JSON Lines
  pettui import FILE    animals from a file
  pettui completion SHELL
                        a script for bash, zsh or fish
  pettui doctor         what is set up, from where, and whether it works
  pettui serve          serve a store over HTTP
  pettui key            the keys that it lets in
  pettui ssh            the app for people who come over SSH

With nothing configured pettui opens a store of its own, in a file of yours. The key of a service
comes from the environment variable PETTUI_API_KEY, or from where its profile says: never from the
command line, which others can read.
"""


class OneLineParser(argparse.ArgumentParser):
    """Raises what argparse would print over several lines."""

    def __init__(self, **options: Any) -> None:
        """Take what argparse takes; options are never abbreviated."""
        super().__init__(
            allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options
        )

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str], namespace: None = None
    ) -> argparse.Namespace:
        """Parse the arguments.

        Raises:
            ConfigurationError: one of them is not known, or lacks its value.
        """
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            raise self._unknown(unknown)
        return parsed

    def error(self, message: str) -> NoReturn:
        """Raise what argparse has to say as a ConfigurationError, in words of ours."""
        found = re.match(r"argument ([\w/-]+): (?:not allowed with argument (\S+))?", message)
        if missing := re.match(r"the following arguments are required: (\w+)", message):
            raise ConfigurationError(missing[1], f"is missing; see {self.prog} --help")
        if found is None:
            raise ConfigurationError("command line", f"cannot be read; see {self.prog} --help")
        option, other = found[1], found[2]
        reason = "takes no value" if "explicit" in message else "needs a value"
        raise ConfigurationError(option, f"not allowed with argument {other}" if other else reason)

    def _unknown(self, words: Sequence[str]) -> ConfigurationError:
        options = [shown_name(_option_name(word)) for word in words if word.startswith("-")]
        if any("key" in option for option in options):
            option = next(option for option in options if "key" in option)
            reason = "is no option: a key comes from PETTUI_API_KEY or from a profile"
            return ConfigurationError(option, reason)
        if words[0] in self._long_options:
            return ConfigurationError(words[0], "is an option, and stands before --")
        if words[0].startswith("-"):
            reason = no_such(options[0], self._long_options, "option")
            return ConfigurationError(options[0], reason)
        if self.prog in (f"pettui {command}" for command in COMMANDS):
            return ConfigurationError("command line", f"a word too many; see {self.prog} --help")
        reason = no_such(words[0], COMMANDS, "command").replace("is no", "no such", 1)
        return ConfigurationError("command line", reason)

    @property
    def _long_options(self) -> list[str]:
        return [option for option in self._option_string_actions if option.startswith("--")]


def _option_name(word: str) -> str:
    """Give an option without the value that may be written right behind it."""
    return word.partition("=")[0] if word.startswith("--") else word[:2]


def add_store_options(parser: OneLineParser) -> None:
    """Add the options that say which store is meant."""
    store = parser.add_mutually_exclusive_group()
    store.add_argument("--demo", action="store_true", help="sample animals in memory; none is kept")
    store.add_argument("--profile", metavar="NAME", help="a profile of the configuration file")
    store.add_argument(
        "--base-url", metavar="URL", help="a service's address, ending in /v1 (PETTUI_BASE_URL)"
    )
    parser.add_argument(
        "--config", metavar="FILE", help="another configuration file (PETTUI_CONFIG)"
    )


def add_demo_options(parser: OneLineParser) -> None:
    """Add the options of a demo; see ``cli.demo.demo_options``."""
    add = parser.add_argument
    add("--animals", metavar="FILE", help="the demo's animals: CSV, JSON or JSON Lines")
    add("--welcome", metavar="FILE", help="a text that the demo begins with, 20 lines at most")
    add("--read-only", action="store_true", help="the demo takes no new animals")


def app_parser() -> OneLineParser:
    """Make the parser of ``pettui`` itself; what it gives are the fields of CommandLine."""
    parser = OneLineParser(
        prog="pettui",
        description="The animals of a store, in the terminal.",
        epilog=_EPILOG,
    )
    add_store_options(parser)
    parser.add_argument(
        "--limit", metavar="N", help="animals asked for at once, 1 to 100 (the screen's rows)"
    )
    parser.add_argument("--theme", metavar="THEME", help="dark, light or ansi (dark)")
    parser.add_argument("--glyphs", metavar="KIND", help="auto, unicode or ascii (auto)")
    add_demo_options(parser)
    parser.add_argument("--version", action="version", version=f"pettui {__version__}")
    return parser


def serve_parser() -> OneLineParser:
    """Make the parser of ``pettui serve``."""
    parser = OneLineParser(
        prog="pettui serve",
        description="Serve a store over HTTP, under the path /v1.",
        epilog="The keys that it lets in are those of PETTUI_SERVICE_KEYS (comma separated) and "
        "those of\npettui key; where there are none, one is made and printed.",
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="the address to listen on (%(default)s)")
    add("--port", default="8080", metavar="N", help="the port; 0 takes a free one (%(default)s)")
    add(
        "--database",
        metavar="PATH",
        help="the store's file, or postgresql://… (PETTUI_DATABASE; the file that pettui opens)",
    )
    add("--samples", default="0", metavar="N", help="fill an empty store with N sample animals")
    add("--tls-cert", metavar="FILE", help="serve https with this certificate (PEM)")
    add("--tls-key", metavar="FILE", help="its private key, where that is another file")
    add("--insecure", action="store_true", help="plain http on other addresses than loopback")
    return parser


def key_parser() -> OneLineParser:
    """Make the parser of ``pettui key``."""
    parser = OneLineParser(
        prog="pettui key",
        description="The keys that pettui serve lets in; a new one is shown once.",
    )
    # Not required, and without choices: what is wrong with them is told by ``keys``.
    parser.add_argument("action", nargs="?", metavar="add|list|remove", help="what to do")
    parser.add_argument("name", nargs="?", help="of the key to add or remove")
    return parser


def ssh_parser() -> OneLineParser:
    """Make the parser of ``pettui ssh``."""
    parser = OneLineParser(
        prog="pettui ssh",
        description="The app for everybody with an SSH client, who needs nothing else.",
        epilog="Without --demo and --profile it is what is configured, and where that is nothing, "
        "the demo:\nsample animals in memory, for each session its own. The log goes to standard "
        "error.",
    )
    add = parser.add_argument
    store = parser.add_mutually_exclusive_group()
    store.add_argument("--demo", action="store_true", help="anybody may come in; nothing is kept")
    store.add_argument("--profile", metavar="NAME", help="a profile of the configuration file")
    add("--config", metavar="FILE", help="another configuration file (PETTUI_CONFIG)")
    add_demo_options(parser)
    add("--authorized-keys", metavar="FILE", help="the public keys that may come to a profile")
    add("--host", default="127.0.0.1", help="the address to listen on (%(default)s)")
    add("--port", metavar="N", help="the port; 0 takes a free one (2222)")
    add("--public", action="store_true", help="the demo on other addresses than loopback")
    add("--host-key", metavar="FILE", help="the server's own key (made in the state directory)")
    add("--workers", metavar="N", help="processes (one a core)")
    add("--max-sessions", default="100", metavar="N", help="at once, in all (%(default)s)")
    add("--max-queue", default="200", metavar="N", help="who wait for a place (%(default)s)")
    add("--per-address", default="20", metavar="N", help="from one address (%(default)s)")
    add("--idle-timeout", default="900", metavar="S", help="seconds; 0 for ever (%(default)s)")
    add("--login-timeout", default="30", metavar="S", help="seconds to log in (%(default)s)")
    add("--status", action="store_true", help="say how a running server of yours does, and end")
    add("--json", action="store_true", help="the status as JSON")
    return parser
