"""The extras that commands need, and how one that is missing can be installed here.

The name pettui means nothing to an index of packages: whoever registers it there could offer
anything. So nobody is told to install it by its name, only from where it came.
"""

from __future__ import annotations

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pettui.configuration import ConfigurationError
from pettui.service_addresses import loopback_address, networks

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import Distribution

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
        ConfigurationError: some are not; it says what to run.
    """
    missing = [extra for extra in extras if find_spec(_MODULES[extra]) is None]
    if missing:
        modules = " and ".join(_MODULES[extra] for extra in missing)
        raise ConfigurationError(command, f"needs {modules}; run: {_installation(missing)}")


def _installation(missing: list[str]) -> str:
    """Return the command that adds extras to pettui, the way it was installed."""
    try:
        pettui = distribution("pettui")
    except PackageNotFoundError:  # such as from a copy of the source
        modules = [_MODULES[extra] for extra in missing]
        return shlex.join([sys.executable, "-m", "pip", "install", *modules])
    source = _source(pettui)
    if Path(sys.prefix, "uv-receipt.toml").exists() and source is not None:
        # It forgets the extras that are not named again.
        extras = [
            extra for extra, module in _MODULES.items() if extra in missing or find_spec(module)
        ]
        return shlex.join(["uv", "tool", "install", f"{source}[{','.join(extras)}]"])
    needed = [
        requirement.partition(";")[0].strip()
        for requirement in pettui.requires or ()
        if any(requirement.endswith(f"extra == {extra!r}") for extra in missing)
    ]
    if Path(sys.prefix, "pipx_metadata.json").exists():
        return shlex.join(["pipx", "inject", "pettui", *needed])
    if find_spec("pip") is None:
        return shlex.join(["uv", "pip", "install", "--python", sys.executable, *needed])
    return shlex.join([sys.executable, "-m", "pip", "install", *needed])


def _source(pettui: Distribution) -> str | None:
    """Return the directory or the file that pettui was installed from; None for an index."""
    text = pettui.read_text("direct_url.json")
    address = urlsplit(json.loads(text)["url"]) if text else None
    if address is None or address.scheme != "file":
        return None
    return url2pathname(address.path)
