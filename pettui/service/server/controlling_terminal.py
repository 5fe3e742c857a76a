"""The terminal that the process belongs to."""

from __future__ import annotations

import os


def has_terminal() -> bool:
    """Whether there is a controlling terminal; after it hung up there is none (tty(4))."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    os.close(descriptor)
    return True
