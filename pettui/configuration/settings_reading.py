"""Command line, environment and configuration file → Settings.

The command line comes before the environment, and that before the file. A variable that is set to
an empty text counts as not set.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pettui import actions
from pettui.capabilities import colours_of, glyphs_of, has_latin_1
from pettui.configuration.directories import config_file, user_path
from pettui.configuration.errors import ConfigurationError, no_such
from pettui.configuration.profiles import ProfileEntry, address_entry, profile_entries
from pettui.configuration.tables import Table, read_table
from pettui.settings import (
    LIMIT_BOUNDS,
    LIMIT_MAXIMUM,
    LIMIT_MINIMUM,
    LIMIT_VALUES,
    USER_LIMITS,
    Glyphs,
    Limits,
    Settings,
)
from pettui.themes import THEMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILE_KEYS = (
    "profile", "limit", "theme", "glyphs", "mouse", "keep_list", "watch", "delay", "keys", "limits",
    "profiles",
)  # fmt: skip
THEME_NAMES: Mapping[str, str] = MappingProxyType(
    {theme.name: theme.textual_name for theme in THEMES}
)
GLYPHS = ("auto", *(glyphs.value for glyphs in Glyphs))
DELAY_MAXIMUM = 60  # seconds
WATCH_MINIMUM, WATCH_MAXIMUM = 2, 3600  # seconds
_KEY = r"((ctrl|alt|shift|super)\+)*([A-Za-z0-9_]+|[^\s,])"


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The options of the command line as they were written; None is not given."""

    demo: bool = False
    profile: str | None = None
    base_url: str | None = None
    config: str | None = None
    limit: str | None = None
    theme: str | None = None
    glyphs: str | None = None


def read_settings(
    command_line: CommandLine, environment: Mapping[str, str], *, needs_key: bool = True
) -> Settings:
    """Return everything that a user can set; nothing is written.

    Args:
        command_line: its options.
        environment: the user's variables.
        needs_key: whether a missing API key is an error; the app asks for it.

    Raises:
        ConfigurationError: a setting cannot be used.
    """
    file = read_configuration(command_line.config, environment)
    file.allow(FILE_KEYS)
    profile = _profile_entry(command_line, environment, file).open(needs_key=needs_key)
    limits, warnings = _limits(file.table("limits"))
    theme = _one_of(THEME_NAMES, command_line.theme, "theme", file) or "dark"
    glyphs = _one_of(GLYPHS, command_line.glyphs, "glyphs", file) or "auto"
    mouse = file.value("mouse", bool)
    kind = environment.get("TERM", "")
    return Settings(
        profile=replace(profile, warnings=(*profile.warnings, *warnings)),
        limit=_limit(command_line.limit, file),
        theme=THEME_NAMES[theme],
        glyphs=glyphs_of(kind, environment) if glyphs == "auto" else Glyphs(glyphs),
        has_latin_1=glyphs == "auto" and has_latin_1(kind, environment),
        colours=colours_of(kind, environment),
        mouse=mouse is not False,
        keep_list=file.value("keep_list", bool) is not False,
        watch=_seconds(file, "watch", WATCH_MINIMUM, WATCH_MAXIMUM),
        delay=_seconds(file, "delay", 0, DELAY_MAXIMUM),
        keys=_keys(file.table("keys")),
        limits=limits,
    )


def read_configuration(option: str | None, environment: Mapping[str, str]) -> Table:
    """Return the configuration file that ``--config`` or the environment names, or the usual one.

    Raises:
        ConfigurationError: it cannot be read, or is not TOML.
    """
    if option is not None:
        return read_table(user_path(option, "--config"), "--config", must_exist=True)
    if named := environment.get("PETTUI_CONFIG"):
        return read_table(user_path(named, "PETTUI_CONFIG"), "PETTUI_CONFIG", must_exist=True)
    usual = config_file()
    if usual is None:
        return Table(Path("config.toml"), "", {})
    return read_table(usual, "configuration file", must_exist=False)


def _profile_entry(
    command_line: CommandLine, environment: Mapping[str, str], file: Table
) -> ProfileEntry:
    entries = profile_entries(file.table("profiles"), environment)
    address = environment.get("PETTUI_BASE_URL")
    named = file.value("profile", str)
    if command_line.demo:
        name, setting = "demo", "--demo"
    elif command_line.profile is not None:
        name, setting = command_line.profile, "--profile"
    elif command_line.base_url is not None:
        return address_entry(command_line.base_url, "--base-url", environment)
    elif address:
        return address_entry(address, "PETTUI_BASE_URL", environment)
    else:
        name = "embedded" if named is None else named
        setting = file.setting("profile")
    if name not in entries:
        raise ConfigurationError(setting, no_such(name, entries, "profile"), value=name)
    return entries[name]


def _limit(option: str | None, file: Table) -> int | None:
    reason = f"must be a whole number from {LIMIT_BOUNDS}"
    possible = range(LIMIT_MINIMUM, LIMIT_MAXIMUM + 1)
    in_file = file.value("limit", int)
    if in_file is not None and in_file not in possible:
        raise file.error("limit", reason)
    if option is None:
        return in_file
    if re.fullmatch(r"[0-9]{1,3}", option) is None or int(option) not in possible:
        raise ConfigurationError("--limit", reason, value=option)
    return int(option)


def _seconds(file: Table, key: str, minimum: int, maximum: int) -> float:
    value = file.values.get(key, _default(key))
    if type(value) not in (int, float) or not minimum <= value <= maximum:
        raise file.error(key, f"must be a number of seconds from {minimum} to {maximum}")
    return float(value)


def _default(key: str) -> Any:
    """Return a setting's value where nothing sets it, as ``Settings`` declares it."""
    return next(each.default for each in fields(Settings) if each.name == key)


def _one_of(
    possible: Sequence[str] | Mapping[str, str], option: str | None, key: str, file: Table
) -> str | None:
    reason = f"must be one of {', '.join(possible)}"
    in_file = file.value(key, str)
    if in_file is not None and in_file not in possible:
        raise file.error(key, reason)
    if option is not None and option not in possible:
        raise ConfigurationError(f"--{key}", reason, value=option)
    return option or in_file


def _keys(table: Table) -> Mapping[str, str]:
    """Return the keys that the user gave to actions; only their form is checked."""
    table.allow(actions.NAMES, "action")
    keys = {}
    for action in table.values:
        words = (table.value(action, str) or "").replace(" ", "").split(",")
        if not all(re.fullmatch(_KEY, word) for word in words):
            raise table.error(action, "must be a key like f5, or several: r,f5,ctrl+r")
        keys[action] = ",".join(words)
    return MappingProxyType(keys)


def _limits(table: Table) -> tuple[Limits, tuple[str, ...]]:
    """Return the client's limits, and a warning if the file sets some that are now fixed."""
    usual = Limits()
    fixed = [field.name for field in fields(Limits) if field.name not in USER_LIMITS]
    ignored = [name for name in table.values if name in fixed]
    table.allow((*USER_LIMITS, *ignored), "limit")
    chosen = {
        name: _user_limit(table, name, type(getattr(usual, name)))
        for name in USER_LIMITS
        if name in table.values
    }
    values = ", ".join(f"{name} ({getattr(usual, name)})" for name in ignored)
    warnings = (f"{table.file}: these [limits] are now fixed, and ignored here: {values}",)
    return replace(usual, **chosen), warnings if ignored else ()


def _user_limit(table: Table, name: str, kind: type[int | float]) -> Any:
    value = table.values[name]
    least, most = LIMIT_VALUES[name]
    if isinstance(value, bool) or not isinstance(value, int | kind) or not least <= value <= most:
        what = "a whole number" if kind is int else "a number of seconds"
        raise table.error(name, f"must be {what} from {least:g} to {most}")
    return kind(value)
