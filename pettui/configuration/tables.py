"""The configuration file as tables, whose values are checked by what is declared of them."""

from __future__ import annotations

import errno
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pettui.configuration.errors import ConfigurationError, may_hold_key, no_such, shown_name
from pettui.settings.settings import Setting
from pettui.system.files import read_regular_file, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    Names = tuple[str, ...]

FILE_MAXIMUM = 250_000  # bytes; a device or a wrong file is refused at once
_NAME = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\]|\\.)*+"|'[^']*+')"""
_NAMED = rf"\s*(\[*)\s*({_NAME}(?:\s*\.\s*{_NAME})*+)\s*[\]=]"  # begins a line

TEXT = Setting(str, None, "any text")


class Table(NamedTuple):
    """One table of the file; its errors name the file and the whole path of the key."""

    file: Path
    values: Mapping[str, Any]
    names: Names = ()  # of this table and those around it
    lines: Mapping[Names, int] = MappingProxyType({})
    is_safe: bool = True  # nobody else can write the file, but the system's administrator

    def setting(self, key: str) -> str:
        """Return where a key is: ``/…/config.toml, line 7: profiles.shop.colour``.

        The line is that of its table if the key is missing, or stands in braces.
        """
        names = (*self.names, key)
        known = (self.lines.get(names[:count]) for count in range(len(names), 0, -1))
        line = next((f", line {number}" for number in known if number), "")
        return f"{self.file}{line}: {_shown(names)}"

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
        values = self.values.get(key, {})
        if not isinstance(values, dict):
            raise self.error(key, "must be a table")
        return self._replace(values=values, names=(*self.names, key))


def _shown(names: Names) -> str:
    return ".".join(map(shown_name, names))


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
        found = read_regular_file(path, FILE_MAXIMUM)
    except (FileNotFoundError, NotADirectoryError):
        if not must_exist:
            return Table(path, {})
        raise ConfigurationError(setting, "there is no such file", value=str(path)) from None
    except OSError as error:
        reason = f"cannot be read: {reason_of(error)}"
        if error.errno in (errno.EFBIG, errno.EINVAL):
            reason += f"; a configuration file is TOML of at most {FILE_MAXIMUM} bytes"
        raise ConfigurationError(setting, reason, value=path) from None
    return _parse(found.content, setting, path)._replace(is_safe=found.is_safe_at(path))


def _parse(content: bytes, setting: str, path: Path) -> Table:
    # Most starts have no configuration file, and do not import the parser.
    import tomllib  # noqa: PLC0415

    try:
        text = content.decode("utf-8-sig")
        lines: dict[Names, int] = {}
        for number, names in _named_lines(text):
            lines.setdefault(names, number)
        return Table(path, tomllib.loads(text), lines=MappingProxyType(lines))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        reason = f"is not UTF-8 (at line {line}): a configuration file is TOML in UTF-8"
    except tomllib.TOMLDecodeError as error:
        reason = f"is not TOML: {_what_is_wrong(str(error), text)}"
    except ValueError:  # Python converts no more than 4,300 digits to a number
        reason = "contains a number of too many digits"
    except RecursionError:
        reason = "is nested too deeply"
    raise ConfigurationError(setting, reason, value=path)


def _what_is_wrong(message: str, text: str) -> str:
    """Return what the parser found wrong, with no name but that which is set twice."""
    wrong, _, position = message.partition(" (at ")
    if wrong.startswith(("Cannot ", "Duplicate ")) or may_hold_key(wrong):
        line = re.match(r"line ([0-9]+)", position)
        last = int(line[1]) if line else FILE_MAXIMUM  # "at end of document"
        before = [each for each in _named_lines(text) if each[0] <= last]
        number, names = before[-1] if before else (1, ("a name",))
        return f"{_shown(names)} is there twice, or where it must not be (at line {number})"
    return f"{wrong} (at {position}" if position else wrong


def _named_lines(text: str) -> Iterator[tuple[int, Names]]:
    """Return each line that begins a table or sets something, with the names of what it is."""
    table: Names = ()
    for number, line in enumerate(text.split("\n"), 1):
        if found := re.match(_NAMED, line):
            names = tuple(name.strip("\"'") for name in re.findall(_NAME, found[2]))
            table, names = (names, names) if found[1] else (table, (*table, *names))
            yield number, names
