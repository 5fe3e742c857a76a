"""Any Textual app, made for each user: of a class, by a function, or of what a module has."""

from __future__ import annotations

import inspect
import sys
import traceback
from importlib import import_module
from pathlib import Path
from types import new_class
from typing import TYPE_CHECKING, Any, Final

from textual.app import App

from pettui.ssh.apps.app_factory import AppFactory
from pettui.ssh.apps.served_app import MAKING, ServedApp
from pettui.ssh.options import SshSetupError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.client_terminal import ClientTerminal

    Served = type[App[Any]] | Callable[..., ServedApp[Any]]

# By an app of itself.
SAID: Final = frozenset({
    "takes_command", "takes_mouse", "takes_alt", "takes_hover", "takes_kitty_keys", "has_controls",
})  # fmt: skip
_ANY: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def found_app(where: str) -> Served:
    """Import what "module:App" names, also from the current directory.

    Raises:
        SshSetupError: there is none, or its module can't be imported.
    """
    module, _, path = where.partition(":")
    names = (*module.split("."), *path.split("."))
    if not all(map(str.isidentifier, names)):
        raise SshSetupError(f"{where!r} must be a module and a class, such as clock:Clock")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = import_module(module)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name in (module, names[0]):
            raise SshSetupError(f"there is no module {module} here or installed") from error
        raise SshSetupError(f"module {module} can't be imported: {_last_line(error)}") from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise SshSetupError(f"module {module} has no {path}")
        found = getattr(found, name)
    return found  # type: ignore[no-any-return]  # checked by AnyApp


def _last_line(error: Exception) -> str:
    """Return what went wrong, and where."""
    line = "".join(traceback.format_exception_only(error)).splitlines()[-1]
    frame = traceback.extract_tb(error.__traceback__)[-1]
    is_said = isinstance(error, SyntaxError)  # whose line is none of a frame
    return str(error) if is_said else f"{line} ({frame.filename}, line {frame.lineno})"


def served(app: type[App[Any]]) -> type[ServedApp[Any]]:
    """Return a class of apps as one that can be served; the class itself is not changed.

    Raises:
        SshSetupError: it can't be served.
    """
    if issubclass(app, ServedApp):
        return app
    own = {name for each in app.__mro__ if not issubclass(App, each) for name in vars(each)}
    ours = {name for each in ServedApp.__mro__ if not issubclass(App, each) for name in vars(each)}
    clashing = sorted(name for name in own & ours - SAID - vars(App).keys() if name[:2] != "__")
    if clashing:
        listed = ", ".join(clashing)
        raise SshSetupError(f"{app.__name__} can't be served while it has its own {listed}; rename")
    # By its module Textual finds the files of CSS_PATH, and by its name styles find the app.
    names = {"__module__", "__qualname__"} | (own & SAID)
    body = {name: getattr(app, name) for name in names}
    try:
        return new_class(app.__name__, (ServedApp, app), exec_body=lambda new: new.update(body))
    except TypeError as error:  # such as of bases that have no common order
        raise SshSetupError(f"{app.__name__} can't be served: {error}") from error


class AnyApp(AppFactory[ServedApp[Any]]):
    """Makes an app for each user; it may be another one for each, so none is prepared."""

    def __init__(self, app: Served | str) -> None:
        """Check what makes the apps.

        Args:
            app: a class of Textual apps, a function that returns a ``ServedApp``, or where one of
                them is: "module:App". The user is passed to a parameter named ``user``, or to the
                only required one.

        Raises:
            SshSetupError: it can't be served.
        """
        app = found_app(app) if isinstance(app, str) else app
        if isinstance(app, App):
            raise SshSetupError(
                f"{type(app).__name__} must be passed as a class: each user has one"
            )
        if not callable(app) or (isinstance(app, type) and not issubclass(app, App)):
            raise SshSetupError(f"{app!r} is neither a class of Textual apps nor makes one")
        self.name = getattr(app, "__name__", type(app).__name__)
        self.takes_command = getattr(app, "takes_command", False) is True
        self._parameter = _parameter_of_user(app, self.name)
        self._make: Callable[..., Any] = served(app) if isinstance(app, type) else app

    def claim(
        self, user: User, terminal: ClientTerminal, _prepared: ServedApp[Any] | None
    ) -> ServedApp[Any]:
        """Return a user's app.

        Raises:
            TypeError: the function returned something else.
        """
        making = MAKING.set(terminal)
        try:
            app = self._made(user)
        finally:
            MAKING.reset(making)
        if not isinstance(app, ServedApp):
            kind = type(app).__name__
            raise TypeError(f"{self.name} must return a ServedApp, and returned one of {kind}")
        return app

    def _made(self, user: User) -> Any:
        parameter = self._parameter
        if parameter is None:
            return self._make()
        if parameter.kind is parameter.POSITIONAL_ONLY:
            return self._make(user)
        return self._make(**{parameter.name: user})


def _parameter_of_user(app: Served, name: str) -> inspect.Parameter | None:
    """Return the parameter that the user is passed to; None for an app that needs none."""
    try:
        parameters = inspect.signature(app).parameters
    except ValueError:  # of something that is not of Python
        return None
    named = {each.name: each for each in parameters.values() if each.kind not in _ANY}
    required = {each: one for each, one in named.items() if one.default is one.empty}
    parameter = named.get("user") or (next(iter(required.values())) if len(required) == 1 else None)
    if others := [each for each in required if parameter is None or each != parameter.name]:
        needed = ", ".join(others)
        raise SshSetupError(f"{name} needs more than a user: {needed}; give each a default value")
    return parameter
