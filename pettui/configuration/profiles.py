"""The profiles of the configuration file, and the two that are built in."""

from __future__ import annotations

import re
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pettui.configuration.api_keys import (
    KEY_FILE_MAXIMUM,
    key_of_file,
    key_of_keyring,
    key_of_variable,
    new_key,
)
from pettui.configuration.directories import user_path
from pettui.configuration.errors import ConfigurationError, MissingKeyError
from pettui.settings.settings import (
    KEY_VARIABLE,
    LABEL_MAXIMUM,
    LABEL_SETTINGS,
    SERVICE_SETTINGS,
    ApiKey,
    Profile,
    StoreKind,
)
from pettui.system.addresses import base_address, service_proxy, travels_in_the_clear
from pettui.system.files import WatchedFile, read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pettui.configuration.tables import Table

BUILT_IN: Mapping[str, StoreKind] = MappingProxyType(
    {"embedded": StoreKind.EMBEDDED, "demo": StoreKind.DEMO}
)
BUILT_IN_ADDRESS = "http://embedded.invalid/v1"  # a name that no network has (RFC 6761, 6.4)
BARE_ADDRESS = "service"  # the name of a profile that is none: of --base-url
KEYRING = "api_key_keyring"
KEY_PLACES = ("api_key_env", "api_key_file", KEYRING)
CATEGORIES = "categories"  # a table within a profile's
CERTIFICATES_MAXIMUM = 4_000_000  # bytes; all that browsers trust take a quarter of one
INT64 = range(-(2**63), 2**63)
# The colour of a name that starts like this. Any other may be production, so it stands out.
_COLOURS = (
    ("red", ("prod", "live")),
    ("yellow", ("stag", "test", "qa", "uat", "accept")),
    ("blue", ("demo",)),
    ("green", ("embedded", "local", "dev")),
)
_OTHER_COLOUR = "orange"
_NO_KEY = ApiKey("")
_OF_SHELLS = r"[A-Za-z_][A-Za-z0-9_]*"  # the names of variables that a shell can name


def profiles(table: Table) -> dict[str, Profile]:
    """Return every profile by its name, without its key: the file's, and those that are built in.

    Args:
        table: ``[profiles]`` of the file.

    Raises:
        ConfigurationError: a setting of one of them cannot be used.
    """
    built_in = {name: _built_in(name, table.table(name)) for name in BUILT_IN}
    named = [name for name in table.values if name not in BUILT_IN]
    return built_in | {name: _service(name, table.table(name)) for name in named}


def with_key(
    profile: Profile, table: Table, environment: Mapping[str, str], *, needs_key: bool
) -> Profile:
    """Return a profile with its key.

    Args:
        profile: without it.
        table: of the profile; that of a bare address is empty.
        environment: where the key may be.
        needs_key: whether a missing key is an error; otherwise ``missing_key`` says why.

    Raises:
        ConfigurationError: the key cannot be read.
    """
    try:
        return _with_key(profile, table, environment)
    except MissingKeyError as error:
        if needs_key:
            raise
        return profile._replace(missing_key=str(error))


def key_place(table: Table) -> tuple[str, str]:
    """Return where a service's key is: a setting, and the variable or file that it names.

    A bare address has no settings: of it, the first is "".

    Raises:
        ConfigurationError: the profile names no place, or two.
    """
    if not table.values:  # a bare address
        return "", KEY_VARIABLE
    named = [key for key in KEY_PLACES if table.values.get(key) not in (None, False)]
    if len(named) > 1:
        reason = f"cannot stand beside {named[0]}; keep one of them"
        raise ConfigurationError(table.setting(named[1]), reason)
    for key in named:
        value = table.value(key, SERVICE_SETTINGS[key])
        return key, table.names[-1] if key == KEYRING else value
    reason = "is missing; name the environment variable of the key, or a file in api_key_file"
    raise ConfigurationError(table.setting("api_key_env"), reason)


def _with_key(profile: Profile, table: Table, environment: Mapping[str, str]) -> Profile:
    if profile.kind is not StoreKind.SERVICE:
        return profile._replace(api_key=new_key())
    key, named = key_place(table)
    setting = table.setting(key) if key else named
    if key == KEYRING:
        return profile._replace(api_key=key_of_keyring(profile.name, setting))
    if key == "api_key_file":
        path = user_path(named, setting, beside=table.file.parent)
        api_key = key_of_file(WatchedFile(path, KEY_FILE_MAXIMUM), setting)
        return profile._replace(api_key=api_key, key_file=path)
    variable = named if re.fullmatch(_OF_SHELLS, named) else profile.key_variable
    return profile._replace(
        api_key=key_of_variable(named, environment, setting), key_variable=variable
    )


def _built_in(name: str, table: Table) -> Profile:
    for key in SERVICE_SETTINGS:
        if key in table.values:  # an address is not shown: it may contain a password
            reason = f"{name!r} is built in and has its own; choose another name for your profile"
            raise ConfigurationError(table.setting(key), reason)
    table.allow((*LABEL_SETTINGS, CATEGORIES))
    profile = Profile(
        name=name,
        kind=BUILT_IN[name],
        base_url=BUILT_IN_ADDRESS,
        api_key=_NO_KEY,
        label=name.upper(),
        colour=_default_colour(name),
    )
    return _labelled(profile, table)


def _service(name: str, table: Table) -> Profile:
    table.allow((*SERVICE_SETTINGS, *LABEL_SETTINGS, CATEGORIES))
    address = table.value("base_url")
    if address is None:
        raise table.error("base_url", "is missing; write the service's address, ending in /v1")
    profile = service_profile(name, address, table.setting("base_url"))
    proxy = table.value("proxy")
    if proxy is not None:
        check = partial(service_proxy, base_url=profile.base_url)
        proxy = _checked(check, proxy, table.setting("proxy"))
    profile = _labelled(profile._replace(proxy=proxy, ca_file=_ca_file(table)), table)
    key_place(table)  # which names one, and only one
    return profile


def service_profile(name: str, address: str, setting: str) -> Profile:
    """Return the profile of a service, without its key, and without what its table says.

    Raises:
        ConfigurationError: that is no base address, which the setting gave.
    """
    base_url = _checked(base_address, address, setting)
    warnings = []
    if travels_in_the_clear(base_url):
        host = urlsplit(base_url).hostname
        warnings.append(f"The API key travels to {host} in the clear: use https")
    return Profile(
        name=name,
        kind=StoreKind.SERVICE,
        base_url=base_url,
        api_key=_NO_KEY,
        label=name.upper()[:LABEL_MAXIMUM],
        colour=_default_colour(name),
        warnings=tuple(warnings),
    )


def _ca_file(table: Table) -> Path | None:
    text = table.value("ca_file")
    if text is None:
        return None
    path = user_path(text, table.setting("ca_file"), beside=table.file.parent)
    try:
        read_regular_file(path, CERTIFICATES_MAXIMUM)
    except OSError:
        reason = "must be a file of certificates (PEM) that can be read"
        raise table.error("ca_file", reason) from None
    return path


def _checked(check: Callable[[str], str], address: str, setting: str) -> str:
    try:
        return check(address)
    except ValueError as error:
        raise ConfigurationError(setting, str(error), value=_without_secrets(address)) from None


def _without_secrets(address: str) -> str | None:
    """Return an address as it may be shown; None where a password or a query may be in it.

    Any part of ``https://bob:sec#ret@host/v1`` may belong to the password.
    """
    return None if re.search(r"[@?#%\\]", address) else address


def _labelled(profile: Profile, table: Table) -> Profile:
    """Return the profile with the label, colour, status and categories that its table sets."""
    chosen = {name: table.value(name, setting) for name, setting in LABEL_SETTINGS.items()}
    return profile._replace(
        label=(chosen["label"] or profile.label).strip(),
        colour=chosen["colour"] or profile.colour,
        status=chosen["status"] or profile.status,
        categories=_categories(table.table(CATEGORIES)),
    )


def _default_colour(name: str) -> str:
    start = name.casefold()
    return next((colour for colour, names in _COLOURS if start.startswith(names)), _OTHER_COLOUR)


def _categories(table: Table) -> Mapping[int, str]:
    names = {}
    for key in table.values:
        if re.fullmatch(r"-?[0-9]{1,19}", key) is None or int(key) not in INT64:
            reason = "must be a category's number, like 3, within the bounds of int64"
            raise ConfigurationError(table.setting(key), reason)
        names[int(key)] = table.value(key)
    return MappingProxyType(names)
