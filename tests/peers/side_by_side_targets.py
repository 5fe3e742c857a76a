"""Serves the app that a user's name says, or runs one here: a target of the file of the first argument.

The second argument is the number of one to run in this terminal, with Textual's own driver.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import runpy
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from pettui.ssh import ServedApp, User, serve, served

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

NAMES = {"argparse": argparse, "import_module": import_module, "Path": Path}  # of arguments
TARGETS: list[dict[str, Any]] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))


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
    return made(target, served)


def made(target: Mapping[str, Any], changed: Callable[[type[App[Any]]], Any]) -> Any:
    """Make the app of a target that is a class."""
    module, _, name = target["class"].partition(":")
    app = changed(getattr(import_module(module), name))
    return eval(f"app({target['arguments']})", NAMES | {"app": app})


def run(target: Mapping[str, Any]) -> None:
    """Run an app as its author does."""
    if "path" not in target:
        made(target, lambda app: app).run()
        return
    folder = str(Path(target["path"]).parent)
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv = [target["path"]]
    runpy.run_path(target["path"], run_name="__main__")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        run(TARGETS[int(sys.argv[2])])
        sys.exit()
    for each in TARGETS:
        if "class" in each:
            import_module(each["class"].partition(":")[0])  # as of ``serve("module:App")``
    sys.exit(serve(app_of, port=0, name="side-by-side"))
