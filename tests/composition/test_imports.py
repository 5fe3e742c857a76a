"""What ``pettui ssh`` imports before its first fork: all of pettui that a session may need."""

from __future__ import annotations

import subprocess
import sys

# Who imports the rest: what reads sheets and edits the configuration, which no session over SSH
# does; keyrings, which are asked at the start; the databases of others; what opens that of outboxes
# for a command, which ``pettui ssh`` is; and its store, which only a server with ``--state`` reads.
LATE = {
    "h11", "keyring", "pettui.composition.state_database", "pettui.outbox.stores.postgres",
    "pettui.outbox.stores.postgres_connections", "pettui.outbox.stores.postgres_schema", "pettui.service.stores.postgres", "pettui.ssh.metrics",
    "pettui.system.postgres", "psycopg.conninfo", "python_calamine", "tomlkit", "tomlkit.items",
}  # fmt: skip
FOUND = """
import ast, sys
from importlib.util import find_spec
sys.modules |= dict.fromkeys(("psycopg", "psycopg_pool", "prometheus_client", "uvicorn"))
from pettui.composition import served_apps
from pettui.composition.served_apps import import_all
from pettui.ssh import processes
from pettui.ssh.apps.collecting import freeze
import_all(has_database=False)
freeze()

def late(node, is_late=False):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom) and is_late:
            yield child
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from late(child, is_late or is_function)

def names(statement):
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    inside = (f"{statement.module}.{alias.name}" for alias in statement.names)
    return [statement.module, *inside]

def is_module(name):
    try:
        return find_spec(name) is not None
    except ImportError:  # what it is in is none, or is left out here
        return False

ours = [module for name, module in sorted(sys.modules.items()) if name.startswith("pettui.")]
trees = [ast.parse(open(module.__file__).read()) for module in ours if "/cli/" not in module.__file__]
wanted = {name for tree in trees for statement in late(tree) for name in names(statement)}
print(*sorted(name for name in wanted if name not in sys.modules and is_module(name)))
"""


def test_no_session_imports_anything_later() -> None:
    """Also where the extras of other commands are not installed."""
    found = subprocess.run(
        [sys.executable, "-c", FOUND], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert set(found.stdout.split()) <= LATE
