"""The argument parsers of all commands."""
