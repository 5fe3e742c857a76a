"""Options, environment, configuration file and key files → Settings.

Nothing else in pettui reads the user's configuration. What cannot be used is a
``ConfigurationError``: one line that names the setting, its value and what would be right. No other
room imports the modules behind this one.
"""

from pettui.configuration.api_keys import KEY_FILE_MAXIMUM, RenewedKey, new_key, service_keys
from pettui.configuration.directories import (
    DATA_DIRECTORY,
    DATABASE,
    SERVICE_KEYS,
    STATE_DIRECTORY,
    check_directory_of,
    check_locks,
    check_writable,
    data_directory,
    state_directory,
    user_path,
)
from pettui.configuration.editing import (
    add_profile,
    check_mapping_name,
    check_name,
    keep_mapping,
    name_categories,
    remove_profile,
)
from pettui.configuration.errors import ConfigurationError, no_such, shown_name
from pettui.configuration.profiles import BARE_ADDRESS
from pettui.configuration.reading import (
    all_profiles,
    configuration_path,
    read_settings,
    setting_sources,
)
from pettui.settings.settings import SHORTEST_KEY

__all__ = [
    "BARE_ADDRESS",
    "DATABASE",
    "DATA_DIRECTORY",
    "KEY_FILE_MAXIMUM",
    "SERVICE_KEYS",
    "SHORTEST_KEY",
    "STATE_DIRECTORY",
    "ConfigurationError",
    "RenewedKey",
    "add_profile",
    "all_profiles",
    "check_directory_of",
    "check_locks",
    "check_mapping_name",
    "check_name",
    "check_writable",
    "configuration_path",
    "data_directory",
    "keep_mapping",
    "name_categories",
    "new_key",
    "no_such",
    "read_settings",
    "remove_profile",
    "service_keys",
    "setting_sources",
    "shown_name",
    "state_directory",
    "user_path",
]
