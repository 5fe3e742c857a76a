"""The extras that commands need, and what to do where one is missing.

The name pettui means nothing to an index of packages: whoever registers it there could offer
anything. So nobody is told to install it by its name, only from where it came.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from pettui.configuration import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

_MODULES: Final = {
    "serve": "uvicorn",
    "ssh": "asyncssh",
    "postgres": "psycopg",
    "metrics": "prometheus_client",
    "keyring": "keyring",
}


def require_extras(command: str, extras: Iterable[str]) -> None:
    """Check that the modules of some extras are installed.

    Raises:
        ConfigurationError: some are not; it says which extras have them.
    """
    missing = [extra for extra in extras if find_spec(_MODULES[extra]) is None]
    if missing:
        modules = " and ".join(_MODULES[extra] for extra in missing)
        wanted = f"'.[{','.join(missing)}]'"
        reason = f"needs {modules}; install pettui again from its directory, as {wanted}"
        raise ConfigurationError(command, reason)
