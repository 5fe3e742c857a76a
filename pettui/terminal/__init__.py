"""Textual on any terminal, a tty or a channel: its input, and the output to it."""
