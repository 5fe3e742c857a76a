"""Where each setting comes from, to find the one that is not as expected."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from pettui.configuration.profiles import BUILT_IN
from pettui.configuration.redaction import shown_name
from pettui.configuration.settings_reading import FILE_KEYS, read_configuration
from pettui.settings import USER_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pettui.configuration.settings_reading import CommandLine
    from pettui.configuration.tables import Table
    from pettui.settings import Settings

DEFAULT = "default"
_OPTIONS = ("limit", "theme", "glyphs")


class Source(NamedTuple):
    """A setting, its value, and where it was set; never a key."""

    name: str
    value: str
    source: str


def profile_names(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of all profiles, those that are built in first.

    Raises:
        ConfigurationError: the configuration file cannot be read.
    """
    file = read_configuration(None, environment)
    return tuple(dict.fromkeys((*BUILT_IN, *file.table("profiles").values)))


def setting_sources(
    command_line: CommandLine, environment: Mapping[str, str], settings: Settings
) -> tuple[Source, ...]:
    """Return where each setting comes from.

    Args:
        command_line: that the settings were read from.
        environment: that they were read from, too.
        settings: as they were read.
    """
    file = read_configuration(command_line.config, environment)
    return tuple(_sources(command_line, environment, settings, file))


def _sources(
    command_line: CommandLine, environment: Mapping[str, str], settings: Settings, file: Table
) -> Iterator[Source]:
    profile = settings.profile
    yield Source("profile", profile.name, _profile_source(command_line, environment, file))
    yield Source("API key", "not shown", _key_source(profile.name, file))
    for field in fields(settings):
        if field.name in FILE_KEYS and field.name not in ("profile", "keys", "limits"):
            value = getattr(settings, field.name)
            source = _source(field.name, command_line, file)
            shown = "not set" if value is None else str(getattr(value, "value", value)).lower()
            yield Source(field.name, shown, source)
    for action in file.table("keys").values:
        yield Source(f"keys.{action}", settings.keys[action], str(file.file))
    for name in file.table("limits").values:
        if name in USER_LIMITS:
            yield Source(f"limits.{name}", str(getattr(settings.limits, name)), str(file.file))


def _profile_source(command_line: CommandLine, environment: Mapping[str, str], file: Table) -> str:
    if command_line.demo:
        return "--demo"
    if command_line.profile is not None:
        return "--profile"
    if command_line.base_url is not None:
        return "--base-url"
    if environment.get("PETTUI_BASE_URL"):
        return "PETTUI_BASE_URL"
    return str(file.file) if "profile" in file.values else DEFAULT


def _key_source(profile: str, file: Table) -> str:
    table = file.table("profiles").table(profile)
    if profile in BUILT_IN:
        return "made for each start"
    for key in ("api_key_env", "api_key_file"):
        if (named := table.value(key, str)) is not None:
            return f"{key} {shown_name(named)}" if key == "api_key_env" else f"{key} {named}"
    return "PETTUI_API_KEY"


def _source(name: str, command_line: CommandLine, file: Table) -> str:
    if name in _OPTIONS and getattr(command_line, name) is not None:
        return f"--{name}"
    return str(file.file) if name in file.values else DEFAULT
