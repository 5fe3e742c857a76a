"""OneLineParser: argparse, with errors of one line.

No message repeats a word that pettui does not know: it may be a key, after an option that does not
exist.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pettui.configuration import ConfigurationError, no_such, shown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

APP: Final = "pettui"
ONE_SHOT_COMMANDS: Final = ("list", "get", "add", "export", "import")
COMMANDS: Final = (*ONE_SHOT_COMMANDS, "completion", "doctor", "serve", "key", "ssh")


class OneLineParser(argparse.ArgumentParser):
    """Raises what argparse would print over several lines."""

    def __init__(self, **options: Any) -> None:
        """Make a parser with argparse's options; no option can be abbreviated."""
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
        """Raise argparse's error as a ConfigurationError of one line, without the value."""
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
            reason = "unknown option: set the key in PETTUI_API_KEY or in a profile"
            return ConfigurationError(option, reason)
        if words[0] in self._long_options:
            return ConfigurationError(words[0], "is an option; write it before --")
        if words[0].startswith("-"):
            reason = no_such(options[0], self._long_options, "option")
            return ConfigurationError(options[0], reason)
        if self.prog != APP:
            return ConfigurationError("command line", f"too many words; see {self.prog} --help")
        reason = no_such(words[0], COMMANDS, "command")
        return ConfigurationError("command line", reason)

    @property
    def _long_options(self) -> list[str]:
        return [option for option in self._option_string_actions if option.startswith("--")]


def _option_name(word: str) -> str:
    """Return an option without a value that was appended to it."""
    return word.partition("=")[0] if word.startswith("--") else word[:2]
