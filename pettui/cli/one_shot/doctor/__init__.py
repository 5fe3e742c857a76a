"""The doctor command: what it looks at, and what it finds."""
