"""The extras that commands need, and what to do where one is missing.

The name pettui means nothing to an index of packages: whoever registers it there could offer
anything. So nobody is told to install it by its name, only from where it came.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from pettui.configuration import ConfigurationError
from pettui.service_addresses import loopback_address, networks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.service_addresses import Network

_MODULES: Final = {
    "serve": "uvicorn",
    "ssh": "asyncssh",
    "postgres": "psycopg",
    "metrics": "prometheus_client",
    "keyring": "keyring",
}


def metrics_address(command: str, text: str | None, port: int) -> tuple[str, int] | None:
    """Return where a server has its metrics; None for nowhere.

    Args:
        command: of the server.
        text: of ``--metrics``.
        port: the usual one.

    Raises:
        ConfigurationError: others reach it, or the extra is missing.
    """
    if text is None:
        return None
    try:
        address = loopback_address(text, port)
    except ValueError as error:
        raise ConfigurationError("--metrics", str(error), value=text) from None
    require_extras(command, ["metrics"])
    return address


def networks_of(setting: str, text: str) -> tuple[Network, ...]:
    """Return the networks that a setting lists, with commas.

    Raises:
        ConfigurationError: one of them is none.
    """
    try:
        return networks(filter(None, map(str.strip, text.split(","))))
    except ValueError as error:
        reason = "must be addresses or networks, such as 192.0.2.1 or 10.0.0.0/8"
        raise ConfigurationError(setting, reason, value=str(error)) from None


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
