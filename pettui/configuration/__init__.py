"""Arguments, environment, configuration file and key files → Settings.

Nothing else in pettui reads the environment or the user's configuration. What cannot be used is a
``ConfigurationError``: one line that names the setting, its value and what would be right.
"""

from pettui.configuration.errors import ConfigurationError
from pettui.configuration.reading import CommandLine, read_settings

__all__ = ["CommandLine", "ConfigurationError", "read_settings"]
