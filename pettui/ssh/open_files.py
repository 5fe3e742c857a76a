"""How many files and connections a process of the server may have open."""

from __future__ import annotations

import resource
from contextlib import suppress


def allow_open_files(wanted: int) -> None:
    """Let this process have so many, and those that it starts; or as many as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):  # it is refused: as many as there are have to do
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
