"""Serves any Textual app to users who log in over SSH: asyncssh is here and nowhere else.

``serve``, the apps that it serves and their users are found here; what they import is imported with
the first of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pettui.ssh.apps.any_app import served
    from pettui.ssh.apps.app_factory import Admitted, Refused, User
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.options import SshSetupError
    from pettui.ssh.server import serve
    from pettui.ssh.testing import AppSession, test_session

__all__ = [
    "Admitted", "AppSession", "Refused", "ServedApp", "SshSetupError", "User", "serve", "served",
    "test_session",
]  # fmt: skip

_MODULES = {
    "Admitted": "apps.app_factory",
    "AppSession": "testing",
    "Refused": "apps.app_factory",
    "ServedApp": "apps.served_app",
    "SshSetupError": "options",
    "User": "apps.app_factory",
    "served": "apps.any_app",
    "test_session": "testing",
}


def __getattr__(name: str) -> Any:
    """Import a name of ``__all__`` when it is used: the client's commands need none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'server')}"), name)
