"""What keeps a server from starting, told in one line."""

from __future__ import annotations


class SshSetupError(Exception):
    """An address, a key or a file that can't be used; the text says what to do."""
