"""The embedded store imports only what it needs, so that it starts fast."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["uvicorn", "h11", "httptools", "psycopg", "httpx", "textual", "starlette.testclient"]
HEAVY += ["starlette.templating", "starlette.staticfiles", "starlette.applications"]


def output_of(program: str) -> str:
    """Return what a program of Python writes, to either stream."""
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, stdout=-1, stderr=subprocess.STDOUT, check=True, text=True)
    return run.stdout


def test_the_embedded_store_imports_nothing_heavy() -> None:
    modules = (f"pettui.service.{name}" for name in ("app", "keys", "stores", "stores.samples"))
    imported = output_of(f"import sys, {', '.join(modules)}; print(*sys.modules)").split()
    assert not set(HEAVY) & set(imported)


def test_the_store_needs_no_starlette_before_the_first_request() -> None:
    imported = output_of("import sys, pettui.service.stores.sqlite; print(*sys.modules)").split()
    assert "starlette" not in imported


def test_an_embedded_service_writes_nothing_to_the_terminal() -> None:
    program = "import logging, pettui.service; logging.getLogger('pettui.service.errors').error(1)"
    assert output_of(program) == ""
