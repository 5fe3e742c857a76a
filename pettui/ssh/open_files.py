"""Raises the limit on open files and connections of the server's processes."""

from __future__ import annotations

import resource
from contextlib import suppress


def allow_open_files(wanted: int) -> None:
    """Raise the limit of this process and those it starts, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):  # refused: the present limit has to do
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
