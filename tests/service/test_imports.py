"""The embedded store imports only what it needs, so that it starts fast."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["uvicorn", "h11", "httptools", "psycopg", "httpx", "textual", "starlette.testclient"]
HEAVY += ["starlette.templating", "starlette.staticfiles", "starlette.applications"]


def test_the_embedded_store_imports_nothing_heavy() -> None:
    modules = (f"pettui.service.{name}" for name in ("app", "keys", "stores", "stores.samples"))
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert not set(HEAVY) & set(found.stdout.decode().split())


def test_the_store_needs_no_starlette_before_the_first_request() -> None:
    program = "import sys, pettui.service.stores.sqlite; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert "starlette" not in found.stdout.decode().split()


def test_an_embedded_service_writes_nothing_to_the_terminal() -> None:
    program = "import logging, pettui.service; logging.getLogger('pettui.service.errors').error(1)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert (found.stdout, found.stderr) == (b"", b"")
