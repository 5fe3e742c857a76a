"""The import command: its input, its progress, its report and its result."""
