"""Options, environment and configuration file → Settings, and where each of them comes from.

The options come before the environment, and that before the file. A variable that is set to an
empty text counts as not set.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pettui.configuration.directories import config_file, user_path
from pettui.configuration.errors import ConfigurationError, no_such, shown_name
from pettui.configuration.profiles import (
    BARE_ADDRESS,
    BUILT_IN,
    key_place,
    profiles,
    service_profile,
    with_key,
)
from pettui.configuration.tables import Table, read_table
from pettui.settings.settings import (
    KEY_VARIABLE,
    MAPPING_HEADER,
    MAPPING_SETTINGS,
    PROFILE,
    SERVICE_KEYS_VARIABLE,
    Limits,
    Setting,
    Settings,
    declared,
    option_of,
)
from pettui.system.capabilities import colours_of, glyphs_of, has_latin_1

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pettui.settings.settings import Profile

    Options = Mapping[str, Any]

TABLES = ("keys", "commands", "limits", "mappings", "profiles")
FILE_KEYS = ("profile", *declared(Settings), *TABLES)
DEFAULT = "default"
_TEXTS = "must be a list of texts in quotes"


class Source(NamedTuple):
    """A setting, its value, and where it was set; never a key."""

    name: str
    value: str
    source: str


def read_settings(
    options: Options,
    environment: Mapping[str, str],
    *,
    needs_key: bool = True,
    has_keyboard: bool = True,
) -> Settings:
    """Return everything that a user can set; nothing is written.

    Args:
        options: of the command line, as they were written, by name; None is not given.
        environment: the user's variables.
        needs_key: whether a missing API key is an error; the app asks for it.
        has_keyboard: whether ``[keys]`` and ``[commands]`` are read; a script has no use for them.

    Raises:
        ConfigurationError: a setting cannot be used.
    """
    file = read_configuration(options, environment)
    file.allow(FILE_KEYS)
    profile, table = _profile(options, environment, file)
    profile = with_key(profile, table, environment, needs_key=needs_key)
    limits = file.table("limits")
    limits.allow(declared(Limits), "limit")
    # Where a driver of Textual's is named, as for a page, TERM is of whoever started its server.
    kind = "" if environment.get("TEXTUAL_DRIVER") else environment.get("TERM", "")
    keyboard: dict[str, Any] = {}
    if has_keyboard:
        from pettui.configuration.keys import keys_of_actions, own_commands  # noqa: PLC0415 - as said

        keys = keys_of_actions(file.table("keys"))
        keyboard = {"keys": keys, "commands": own_commands(file.table("commands"), keys)}
    of_all = file.table("profiles")
    named = (of_all.table(name).values.get("api_key_env") for name in of_all.values)
    values = _values(Settings, options, file)
    if _written("glyphs", declared(Settings)["glyphs"], options, file)[0] == "auto":
        values["glyphs"] = glyphs_of(kind, environment)
        values["has_latin_1"] = has_latin_1(kind, environment)
    return Settings(
        profile=profile,
        colours=colours_of(kind, environment),
        commands_file=file.file if file.is_safe else None,
        mappings=mappings(file.table("mappings")),
        key_variables=frozenset((*filter(None, named), KEY_VARIABLE, SERVICE_KEYS_VARIABLE)),
        limits=Limits(**_values(Limits, {}, limits)),
        **keyboard,
        **values,
    )


def setting_sources(
    options: Options, environment: Mapping[str, str], settings: Settings
) -> Iterator[Source]:
    """Return where each setting comes from.

    Args:
        options: that the settings were read from.
        environment: that they were read from, too.
        settings: as they were read.
    """
    file = read_configuration(options, environment)
    _, table = _profile(options, environment, file)
    yield Source("profile", settings.profile.name, _choice(options, environment, file).source)
    yield Source("API key", "not shown", _key_source(settings.profile, table))
    for name, setting in declared(Settings).items():
        value, source = _written(name, setting, options, file)
        yield Source(name, "not set" if value is None else str(value).lower(), source)
    for action, keys in settings.keys.items():
        yield Source(f"keys.{action}", keys, str(file.file))
    for name in file.table("limits").values:
        yield Source(f"limits.{name}", str(getattr(settings.limits, name)), str(file.file))


class ConfiguredProfile(NamedTuple):
    """A profile, without its key, and where that is."""

    profile: Profile
    key_place: str  # "api_key_file keys/shop"; never a key
    is_default: bool  # plain pettui opens it


def all_profiles(
    option: str | None, environment: Mapping[str, str]
) -> tuple[ConfiguredProfile, ...]:
    """Return all profiles, those that are built in first.

    Raises:
        ConfigurationError: the configuration file cannot be read, or used.
    """
    options = {"config": option}
    file = read_configuration(options, environment)
    file.allow(FILE_KEYS)
    table = file.table("profiles")
    chosen = _choice(options, environment, file)
    return tuple(
        ConfiguredProfile(
            profile,
            _key_source(profile, table.table(name)),
            name == chosen.text and not chosen.is_address,
        )
        for name, profile in profiles(table).items()
    )


def configuration_path(option: str | None, environment: Mapping[str, str]) -> Path | None:
    """Return the file that ``read_configuration`` reads; None without a home directory.

    Raises:
        ConfigurationError: its name cannot be used.
    """
    named = _named_file(option, environment)
    return config_file() if named is None else named[0]


def _named_file(option: str | None, environment: Mapping[str, str]) -> tuple[Path, str] | None:
    """Return the file that an option or the environment names, and what names it."""
    if option is not None:
        return user_path(option, "--config"), "--config"
    if named := environment.get("PETTUI_CONFIG"):
        return user_path(named, "PETTUI_CONFIG"), "PETTUI_CONFIG"
    return None


def read_configuration(options: Options, environment: Mapping[str, str]) -> Table:
    """Return the configuration file that ``--config`` or the environment names, or the usual one.

    Raises:
        ConfigurationError: it cannot be read, or is not TOML.
    """
    named = _named_file(options.get("config"), environment)
    if named is not None:
        path, setting = named
        return read_table(path, setting, must_exist=True)
    usual = config_file()
    if usual is None:
        return Table(Path("config.toml"), {})
    return read_table(usual, "configuration file", must_exist=False)


class _Choice(NamedTuple):
    """What chooses the profile: its name, or the address of a service without one."""

    text: str
    source: str
    is_address: bool = False


def _choice(options: Options, environment: Mapping[str, str], file: Table) -> _Choice:
    named, source = _written("profile", PROFILE, {}, file)
    if options.get("demo"):
        return _Choice("demo", "--demo")
    if (name := options.get("profile")) is not None:
        return _Choice(name, "--profile")
    if (address := options.get("base_url")) is not None:
        return _Choice(address, "--base-url", is_address=True)
    if address := environment.get("PETTUI_BASE_URL"):
        return _Choice(address, "PETTUI_BASE_URL", is_address=True)
    return _Choice(named, source)


def _profile(
    options: Options, environment: Mapping[str, str], file: Table
) -> tuple[Profile, Table]:
    """Return the chosen profile, without its key, and its table; that of an address is empty."""
    table = file.table("profiles")
    known = profiles(table)  # all of them are checked
    choice = _choice(options, environment, file)
    if choice.is_address:
        return service_profile(BARE_ADDRESS, choice.text, choice.source), Table(file.file, {})
    if choice.text in known:
        return known[choice.text], table.table(choice.text)
    reason = no_such(choice.text, map(shown_name, known), "profile")
    in_file = choice.source == str(file.file)
    setting = file.setting("profile") if in_file else choice.source
    raise ConfigurationError(setting, reason, value=choice.text)


def _key_source(profile: Profile, table: Table) -> str:
    if profile.name in BUILT_IN:
        return "made for each start"
    setting, named = key_place(table)
    if not setting:
        return named
    return f"{setting} {shown_name(named) if setting == 'api_key_env' else named}"


def _values(settings: type, options: Options, table: Table) -> dict[str, Any]:
    """Return the values of the settings that a dataclass declares."""
    return {
        name: setting.value(_written(name, setting, options, table)[0])
        for name, setting in declared(settings).items()
    }


def _written(name: str, setting: Setting, options: Options, table: Table) -> tuple[Any, str]:
    """Return a setting's value as it was written, and where."""
    in_file = table.value(name, setting)
    text = options.get(name) if setting.metavar else None
    if text is not None:
        value = setting.parsed(text)
        if not setting.accepts(value):
            raise ConfigurationError(option_of(name), setting.rule, value=text)
        return value, option_of(name)
    return (setting.default, DEFAULT) if in_file is None else (in_file, str(table.file))


def mappings(table: Table) -> Mapping[str, Mapping[str, Any]]:
    """Return every mapping by its name; what its values mean is checked with a file.

    Raises:
        ConfigurationError: a setting of one of them cannot be used.
    """
    return MappingProxyType({name: _mapping(table.table(name)) for name in table.values})


def _mapping(table: Table) -> Mapping[str, Any]:
    table.allow((*MAPPING_SETTINGS, MAPPING_HEADER))
    values = {}
    for name, value in table.values.items():
        setting = MAPPING_SETTINGS.get(name)
        if setting is not None and not setting.is_repeated:
            values[name] = table.value(name, setting)
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            values[name] = tuple(value)
        else:
            raise table.error(name, _TEXTS)
    return MappingProxyType(values)
