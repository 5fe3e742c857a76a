"""Options, environment, configuration file and key files → Settings.

Nothing else in pettui reads the user's configuration. What cannot be used is a
``ConfigurationError``: one line that names the setting, its value and what would be right.
"""
