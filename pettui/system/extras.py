"""The extras of the package: which modules they bring, and what to do where one is missing.

The name pettui means nothing to an index of packages: whoever registers it there could offer
anything. So nobody is told to install it by its name, only from where it came.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_MODULES: Final = {
    "serve": "uvicorn",
    "ssh": "asyncssh",
    "postgres": "psycopg",
    "metrics": "prometheus_client",
    "keyring": "keyring",
    "sheets": "python_calamine",
}


def why_missing(extras: Iterable[str]) -> str:
    """Return which modules of some extras are needed, and how to install them; "" for none."""
    missing = [extra for extra in extras if find_spec(_MODULES[extra]) is None]
    if not missing:
        return ""
    modules = " and ".join(_MODULES[extra] for extra in missing)
    wanted = f"'.[{','.join(missing)}]'"
    return f"needs {modules}; install pettui again from its directory, as {wanted}"
