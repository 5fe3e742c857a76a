"""The environment as the user set it, before Python changed LC_CTYPE."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.capabilities import COERCED

if TYPE_CHECKING:
    from collections.abc import Mapping

AT_START = Path("/proc/self/environ")  # on Linux; it never changes
LOCALE = b"LC_CTYPE="


def user_environment(environment: Mapping[str, str] = os.environ) -> Mapping[str, str]:
    """Return the variables of this process, with LC_CTYPE as it was before Python changed it.

    Python changes it if the user's locale is C or not installed (PEP 538). On systems that do not
    tell what it was, it stays as it is.
    """
    if environment.get("LC_CTYPE") not in COERCED:
        return environment
    try:
        at_start = AT_START.read_bytes().split(b"\0")
    except OSError:
        return environment
    user = {name: value for name, value in environment.items() if name != "LC_CTYPE"}
    for entry in at_start:
        if entry.startswith(LOCALE):
            user["LC_CTYPE"] = os.fsdecode(entry.removeprefix(LOCALE))
    return user
