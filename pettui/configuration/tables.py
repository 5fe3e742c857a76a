"""The configuration file as tables, whose values are checked by what is declared of them."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pettui.configuration.errors import ConfigurationError, because, no_such, shown_name
from pettui.files import read_regular_file
from pettui.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FILE_MAXIMUM = 250_000  # bytes; a device or a wrong file is refused at once
DOTS_MAXIMUM = 64  # in one line: a key of 10,000 names takes the parser seconds
_HARMLESS = ("Expected ", "Illegal character ", "Found invalid character ", "Unescaped ")

TEXT = Setting(str, None, "any text")


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the file; its errors name the file and the whole path of the key."""

    file: Path
    name: str  # as errors show it: "" at the top, else "profiles.shop"
    values: Mapping[str, Any]

    def setting(self, key: str) -> str:
        """Return a key's name as an error shows it: ``/…/config.toml: profiles.shop.colour``."""
        path = f"{self.name}.{shown_name(key)}" if self.name else shown_name(key)
        return f"{self.file}: {path}"

    def error(self, key: str, reason: str) -> ConfigurationError:
        """Return the error of a key's value, which shows it unless it may be an API key."""
        return ConfigurationError(self.setting(key), reason, value=self.values.get(key))

    def allow(self, keys: Iterable[str], what: str = "setting") -> None:
        """Refuse every key but these, and suggest the most similar."""
        known = tuple(keys)
        for key in self.values:
            if key not in known:
                raise ConfigurationError(self.setting(key), no_such(key, known, what))

    def value(self, key: str, setting: Setting = TEXT) -> Any:
        """Return a key's value as it is written, or None where it is not set.

        Raises:
            ConfigurationError: it is not what the setting can be.
        """
        value = self.values.get(key)
        if value is None or setting.accepts(value):
            return value
        raise self.error(key, setting.rule)

    def table(self, key: str) -> Table:
        """Return a table within this one; a missing one is empty."""
        name = f"{self.name}.{shown_name(key)}" if self.name else shown_name(key)
        values = self.values.get(key, {})
        if not isinstance(values, dict):
            raise self.error(key, "must be a table")
        return Table(self.file, name, values)


def read_table(path: Path, setting: str, *, must_exist: bool) -> Table:
    """Read the configuration file.

    Args:
        path: where it is.
        setting: what named it: ``--config``, ``PETTUI_CONFIG`` …
        must_exist: a missing file is an error, since the user named it; otherwise it is empty.

    Raises:
        ConfigurationError: it cannot be read, or is not TOML.
    """
    try:
        content = read_regular_file(path, FILE_MAXIMUM).content
    except (FileNotFoundError, NotADirectoryError):
        if not must_exist:
            return Table(path, "", {})
        raise ConfigurationError(setting, _missing(path)) from None
    except OSError as error:
        reason = f"cannot be read: {because(error)}"
        if error.errno in (errno.EFBIG, errno.EINVAL):
            reason += f"; a configuration file is TOML of at most {FILE_MAXIMUM} bytes"
        raise ConfigurationError(setting, reason, value=path) from None
    return Table(path, "", _parse(content, setting, path))


def _parse(content: bytes, setting: str, path: Path) -> dict[str, Any]:
    # Most starts have no configuration file, and do not import the parser.
    import tomllib  # noqa: PLC0415

    try:
        text = content.decode("utf-8-sig")
        _check_dots(text, setting, path)
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        reason = f"is not UTF-8 (at line {line}): a configuration file is TOML in UTF-8"
    except tomllib.TOMLDecodeError as error:
        reason = f"is not TOML: {_without_names(str(error))}"
    except ValueError:  # Python converts no more than 4,300 digits to a number
        reason = "contains a number of too many digits"
    except RecursionError:
        reason = "is nested too deeply"
    raise ConfigurationError(setting, reason, value=path)


def _check_dots(text: str, setting: str, path: Path) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > DOTS_MAXIMUM and not line.lstrip().startswith("#"):
            reason = f"is not a configuration: line {number} has more than {DOTS_MAXIMUM} dots"
            raise ConfigurationError(setting, reason, value=path)


def _missing(path: Path) -> str:
    """Return what is missing of a path, and where; a name that may be a key is not shown."""
    # The directories that exist were not written there by mistake, in place of a key.
    missing = path
    while not os.path.lexists(missing.parent):
        missing = missing.parent
    what = "file" if missing == path else "directory"
    return f"there is no {what} {shown_name(missing.name)} in {missing.parent}"


def _without_names(message: str) -> str:
    """Return what the parser found wrong, without the names that it may quote."""
    wrong, _, position = message.partition(" (at ")
    # The others quote no more than signs of TOML, or one character.
    if ("'" in wrong or '"' in wrong) and not wrong.startswith(_HARMLESS):
        wrong = "a name is there twice, or where it must not be"
    return f"{wrong} (at {position}" if position else wrong
