"""Serves the app that a user's name says: the number of a target in the file of the first argument."""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from pettui.ssh import ServedApp, User, serve, served

if TYPE_CHECKING:
    from types import ModuleType

NAMES = {"argparse": argparse, "import_module": import_module, "Path": Path}  # of arguments
TARGETS: list[dict[str, Any]] = json.loads(Path(sys.argv.pop()).read_text(encoding="utf-8"))


def imported(path: Path) -> ModuleType:
    """Import a program as a module."""
    os.chdir(path.parent)  # as it is run; one user at a time is here
    sys.path.insert(0, str(path.parent))
    try:
        name = f"target_{abs(hash(path))}"
        spec = spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(path.parent))


def class_and_arguments(module: ModuleType, source: str) -> tuple[type[App[Any]], dict[str, Any]]:
    """Return the class that a program runs, and what it passes."""
    own = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, App)
        and value.__module__ == module.__name__
    }
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in own:
            given = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords}
            return own[node.func.id], given
    return [*own.values()][-1], {}


def app_of(user: User) -> ServedApp[Any]:
    """Make the app of a target."""
    target = TARGETS[int(user.login.removeprefix("t"))]
    if "path" in target:
        path = Path(target["path"])
        app, arguments = class_and_arguments(imported(path), path.read_text(encoding="utf-8"))
        return served(app)(**arguments)
    module, _, name = target["class"].partition(":")
    app = served(getattr(import_module(module), name))
    made: ServedApp[Any] = eval(f"app({target['arguments']})", NAMES | {"app": app})
    return made


if __name__ == "__main__":
    for each in TARGETS:
        if "class" in each:
            import_module(each["class"].partition(":")[0])  # as of ``serve("module:App")``
    sys.exit(serve(app_of, port=0, name="side-by-side"))
