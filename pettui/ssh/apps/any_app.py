"""Any Textual app, made for each user: of a class, by a function, or of what a module has."""

from __future__ import annotations

import inspect
import re
import sys
import traceback
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, SimpleNamespace, UnionType, new_class
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)  # fmt: skip

from textual.app import App
from textual.widget import Widget

from pettui.ssh.apps.app_factory import AppFactory, User
from pettui.ssh.apps.served_app import MAKING, ServedApp
from pettui.ssh.options import SshSetupError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.terminal.client_terminal import ClientTerminal

    Served = type[App[Any]] | Callable[..., ServedApp[Any]]

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
    names_its_line = isinstance(error, SyntaxError)  # whose line is none of a frame
    return str(error) if names_its_line else f"{line} ({frame.filename}, line {frame.lineno})"


def served(app: type[App[Any]]) -> type[ServedApp[Any]]:
    """Return a class of apps as one that can be served; the class itself is not changed.

    Raises:
        SshSetupError: it can't be served.
    """
    if issubclass(app, ServedApp):
        return app
    own = {name for each in app.__mro__ if not issubclass(App, each) for name in vars(each)}
    ours = {name for each in ServedApp.__mro__ if not issubclass(App, each) for name in vars(each)}
    clashing = sorted(name for name in own & ours - {*dir(App)} if name[:2] != "__")
    if clashing:
        listed = ", ".join(clashing)
        raise SshSetupError(f"{app.__name__} can't be served while it has its own {listed}; rename")
    attributes = ((name, value) for each in app.__mro__ for name, value in vars(each).items())
    if shared := sorted(name for name, value in attributes if isinstance(value, Widget)):
        listed = ", ".join(shared)
        reason = f"while its class has a widget, which all users would share: {listed}"
        raise SshSetupError(f"{app.__name__} can't be served {reason}; make it in __init__")
    body: dict[str, Any] = {name: getattr(app, name) for name in ("__module__", "__qualname__")}
    body["__signature__"] = inspect.signature(app)
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
        inner = app.func if isinstance(app, partial) else app
        self.name = getattr(inner, "__name__", type(inner).__name__)
        if inspect.iscoroutinefunction(_code_of(app)):
            raise SshSetupError(f"{self.name} must be a function that returns an app, and is async")
        made = inner if isinstance(inner, type) else _hints(app).get("return")
        self.takes_command = getattr(made, "takes_command", False) is True
        self._parameter = _parameter_of_user(app, self.name)
        if isinstance(inner, type):
            inner = served(inner)
            app = partial(inner, *app.args, **app.keywords) if isinstance(app, partial) else inner
        self._make: Callable[..., Any] = app

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
    if isinstance(app, type) and issubclass(app, ServedApp):  # which passes all on
        _self, *names = inspect.signature(_code_of(app)).parameters.items()
        parameters = MappingProxyType(dict(names))
    hints = _hints(app)
    named = {each.name: each for each in parameters.values() if each.kind not in _ANY}
    required = {each: one for each, one in named.items() if one.default is one.empty}
    parameter = named.get("user") or (next(iter(required.values())) if len(required) == 1 else None)
    if others := [each for each in required if parameter is None or each != parameter.name]:
        needed = ", ".join(others)
        raise SshSetupError(f"{name} needs more than a user: {needed}; give each a default value")
    if parameter is None or _may_be_user(hints.get(parameter.name, Any)):
        return parameter
    if parameter.default is not parameter.empty:  # something else of this name
        return None
    wanted = parameter.annotation
    wanted = wanted if isinstance(wanted, str) else inspect.formatannotation(wanted)
    reason = f"{parameter.name}, which is a {wanted} and no User; give it a default value"
    raise SshSetupError(f"{name} needs {reason}")


def _code_of(app: Served) -> Any:
    """Return the function that is called with a user, whose annotations say of what it is."""
    if isinstance(app, partial):
        app = app.func
    if isinstance(app, type):
        makers = (each for each in app.__mro__ if "__init__" in vars(each))
        return next(each.__init__ for each in makers if each is not ServedApp)  # type: ignore[misc]
    return app if inspect.isroutine(app) else type(app).__call__


def _hints(app: Served) -> dict[str, Any]:
    """Return the annotations of what makes the apps; one that can't be resolved is a text.

    Such as of a name that is imported for type checkers only.
    """
    code = inspect.unwrap(_code_of(app))
    names = getattr(code, "__globals__", {})
    found: dict[str, Any] = {}
    for name, hint in getattr(code, "__annotations__", {}).items():
        try:
            one = SimpleNamespace(__annotations__={name: hint})
            found |= get_type_hints(one, names, include_extras=False)
        except Exception:  # noqa: BLE001 - whatever its names raise
            found[name] = str(hint)
    return found


def _may_be_user(hint: Any) -> bool:
    """Whether a ``User`` is what an annotation asks for."""
    if isinstance(hint, str):
        last_names = {name.rpartition(".")[2] for name in re.findall(r"[\w.]+", hint)}
        return not last_names.isdisjoint(("User", "Any", "object"))
    if get_origin(hint) in (Union, UnionType):
        return any(map(_may_be_user, get_args(hint)))
    if hint is Any or not isinstance(hint, type):
        return hint is Any or isinstance(hint, TypeVar)
    try:
        return issubclass(User, hint)
    except TypeError:  # of a protocol, which can't be asked
        return True
