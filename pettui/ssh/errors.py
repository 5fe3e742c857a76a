"""The error that keeps a server from starting."""

from __future__ import annotations


class SshSetupError(Exception):
    """An address, a key or a file that can't be used; the text says what to do."""
