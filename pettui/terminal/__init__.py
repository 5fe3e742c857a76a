"""Textual on any terminal, a tty or a channel: what comes in from one, and what goes out to it."""
