"""The configuration file as tables whose every value is asked for by its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pettui.configuration.errors import ConfigurationError, because, no_such

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

Value = TypeVar("Value")

FILE_MAXIMUM = 1_000_000  # bytes; a device or a wrong file is told at once
_TYPES = {str: "a text in quotes", int: "a whole number", bool: "true or false", dict: "a table"}


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the file; its errors name the file and the whole path of the key."""

    file: Path
    name: str  # "" at the top, else "profiles.shop"
    values: Mapping[str, Any]

    def setting(self, key: str) -> str:
        """Give a key's name as an error shows it: ``/…/config.toml: profiles.shop.colour``."""
        return f"{self.file}: {self.name}.{key}" if self.name else f"{self.file}: {key}"

    def error(self, key: str, reason: str, *, secret: bool = False) -> ConfigurationError:
        """Make the error that a key's value deserves."""
        return ConfigurationError(
            self.setting(key), reason, value=None if secret else self.values.get(key)
        )

    def allow(self, keys: Iterable[str], what: str = "setting") -> None:
        """Refuse every key that is none of these, and suggest the nearest."""
        known = tuple(keys)
        for key in self.values:
            if key not in known:
                raise ConfigurationError(self.setting(key), no_such(key, known, what))

    def value(self, key: str, of: type[Value]) -> Value | None:
        """Give a key's value, or None where it is not set.

        Raises:
            ConfigurationError: it is of another type; ``true`` is no number. The value is not
                shown, since it may be a key in the wrong place.
        """
        value = self.values.get(key)
        if value is None or type(value) is of:
            return value
        raise self.error(key, f"must be {_TYPES[of]}", secret=True)

    def table(self, key: str) -> Table:
        """Give a table within this one; one that is not there is empty."""
        name = f"{self.name}.{key}" if self.name else key
        return Table(self.file, name, self.value(key, dict) or {})

    def tables(self) -> list[tuple[str, Table]]:
        """Give every value of this table as a table, by its name."""
        return [(key, self.table(key)) for key in self.values]


def read_table(path: Path, setting: str, *, must_exist: bool) -> Table:
    """Read the configuration file.

    Args:
        path: where it is.
        setting: what named it: ``--config``, ``PETTUI_CONFIG`` …
        must_exist: a missing file is an error, where the user named it, and else an empty one.

    Raises:
        ConfigurationError: it cannot be read, or it is no TOML.
    """
    try:
        with path.open("rb") as file:
            content = file.read(FILE_MAXIMUM + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        if not must_exist:
            return Table(path, "", {})
        raise ConfigurationError(setting, because(error), value=str(path)) from None
    except (OSError, ValueError) as error:
        reason = f"cannot be read: {because(error)}"
        raise ConfigurationError(setting, reason, value=str(path)) from None
    return Table(path, "", _parse(content, setting, path))


def _parse(content: bytes, setting: str, path: Path) -> dict[str, Any]:
    # Most starts have no configuration file, and none of those waits for the parser.
    import tomllib  # noqa: PLC0415

    if len(content) > FILE_MAXIMUM:
        reason = f"holds more than {FILE_MAXIMUM} bytes: a configuration file is TOML"
        raise ConfigurationError(setting, reason, value=str(path))
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        reason = f"is not UTF-8 (at line {line}): a configuration file is TOML in UTF-8"
    except tomllib.TOMLDecodeError as error:
        reason = f"is no TOML: {error}"
    except RecursionError:
        reason = "is nested too deeply"
    raise ConfigurationError(setting, reason, value=str(path))
