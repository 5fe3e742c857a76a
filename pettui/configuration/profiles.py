"""The profiles of the configuration file, and the two that are built in."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pettui.configuration.api_keys import key_of_file, key_of_variable, new_key
from pettui.configuration.directories import user_path
from pettui.configuration.errors import ConfigurationError, MissingKeyError
from pettui.configuration.profile_labels import (
    LABEL_KEYS,
    LABEL_MAXIMUM,
    default_colour,
    labelled,
)
from pettui.files import read_regular_file
from pettui.settings import (
    ApiKey,
    Profile,
    StoreKind,
    base_address,
    service_proxy,
    travels_in_the_clear,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pettui.configuration.tables import Table

BUILT_IN: Mapping[str, StoreKind] = MappingProxyType(
    {"embedded": StoreKind.EMBEDDED, "demo": StoreKind.DEMO}
)
CERTIFICATES_MAXIMUM = 4_000_000  # bytes; all that browsers trust take a quarter of one
BUILT_IN_ADDRESS = "http://embedded.invalid/v1"  # a name that no network has (RFC 6761, 6.4)

PROFILE_KEYS = ("base_url", "api_key_env", "api_key_file", "proxy", "ca_file")
_NO_KEY = ApiKey("")


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """A profile whose settings are checked, but whose key is not read yet."""

    profile: Profile  # without its key
    read_key: Callable[[], ApiKey]

    def open(self, *, needs_key: bool) -> Profile:
        """Return the profile with its key.

        Args:
            needs_key: whether a missing key is an error; otherwise ``missing_key`` says why.

        Raises:
            ConfigurationError: the key cannot be read.
        """
        try:
            return replace(self.profile, api_key=self.read_key())
        except MissingKeyError as error:
            if needs_key:
                raise
            return replace(self.profile, missing_key=str(error))


def profile_entries(table: Table, environment: Mapping[str, str]) -> dict[str, ProfileEntry]:
    """Return every profile by its name: those of the file, and those that are built in.

    Args:
        table: ``[profiles]`` of the file.
        environment: where the keys of ``api_key_env`` are.

    Raises:
        ConfigurationError: a setting of one of them cannot be used.
    """
    entries = {name: _built_in_entry(name, table.table(name)) for name in BUILT_IN}
    for name, section in table.tables():
        if name not in BUILT_IN:
            entries[name] = _service_entry(name, section, environment)
    return entries


def address_entry(text: str, setting: str, environment: Mapping[str, str]) -> ProfileEntry:
    """Return the profile of a bare base address, with its key from PETTUI_API_KEY.

    Raises:
        ConfigurationError: it is not a base address.
    """
    profile = _service_profile("service", text, setting)
    variable = "PETTUI_API_KEY"
    return ProfileEntry(profile, partial(key_of_variable, variable, environment, variable))


def _built_in_entry(name: str, table: Table) -> ProfileEntry:
    for key in set(PROFILE_KEYS).intersection(table.values):
        reason = f"{name!r} is built in and has its own; choose another name for your profile"
        raise table.error(key, reason, secret=True)
    table.allow(LABEL_KEYS)
    profile = Profile(
        name=name,
        kind=BUILT_IN[name],
        base_url=BUILT_IN_ADDRESS,
        api_key=_NO_KEY,
        label=name.upper(),
        colour=default_colour(name),
    )
    return ProfileEntry(labelled(profile, table), new_key)


def _service_entry(name: str, table: Table, environment: Mapping[str, str]) -> ProfileEntry:
    table.allow((*PROFILE_KEYS, *LABEL_KEYS))
    address = table.value("base_url", str)
    if address is None:
        raise table.error("base_url", "is missing; write the service's address, ending in /v1")
    profile = _service_profile(name, address, table.setting("base_url"))
    profile = replace(profile, proxy=_proxy(table, profile.base_url), ca_file=_ca_file(table))
    return ProfileEntry(labelled(profile, table), _key_reader(table, environment))


def _proxy(table: Table, base_url: str) -> str | None:
    text = table.value("proxy", str)
    if text is None:
        return None
    return _checked(partial(service_proxy, base_url=base_url), text, table.setting("proxy"))


def _ca_file(table: Table) -> Path | None:
    text = table.value("ca_file", str)
    if text is None:
        return None
    path = user_path(text, table.setting("ca_file"), beside=table.file.parent)
    try:
        read_regular_file(path, CERTIFICATES_MAXIMUM)
    except OSError:
        reason = "must be a file of certificates (PEM) that can be read"
        raise table.error("ca_file", reason) from None
    return path


def _key_reader(table: Table, environment: Mapping[str, str]) -> Callable[[], ApiKey]:
    variable, file = table.value("api_key_env", str), table.value("api_key_file", str)
    setting = table.setting("api_key_env" if file is None else "api_key_file")
    if variable is not None and file is not None:
        raise ConfigurationError(setting, "cannot stand beside api_key_env; keep one of them")
    if variable is not None:
        return lambda: key_of_variable(variable, environment, setting)
    if file is not None:
        return lambda: key_of_file(user_path(file, setting, beside=table.file.parent), setting)
    reason = "is missing; name the environment variable of the key, or a file in api_key_file"
    raise ConfigurationError(setting, reason)


def _service_profile(name: str, address: str, setting: str) -> Profile:
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
        colour=default_colour(name),
        warnings=tuple(warnings),
    )


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
