"""What is said of a missing extra is how it is installed here."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from pettui.cli import extras

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Run

    Without = Callable[..., None]

NEEDED = "'asyncssh<3,>=2'"


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Without:
    """Installs pettui from a file, without these modules, in an environment that has this file."""

    def without(*modules: str, having: str) -> None:
        installed = SimpleNamespace(
            requires=[f"{NEEDED[1:-1]} ; extra == 'ssh'", "uvicorn ; extra == 'serve'"],
            read_text=lambda _: '{"url": "file:///there/pettui.whl"}',
        )
        (tmp_path / having).touch()
        monkeypatch.setattr(sys, "prefix", str(tmp_path))
        monkeypatch.setattr(extras, "distribution", lambda _: installed)
        monkeypatch.setattr(
            extras, "find_spec", lambda name: None if name in modules else find_spec("json")
        )

    return without


@pytest.mark.parametrize(
    ("modules", "having", "command"),
    [
        ("asyncssh", "x", f"{sys.executable} -m pip install {NEEDED}"),
        ("asyncssh pip", "x", f"uv pip install --python {sys.executable} {NEEDED}"),
        ("asyncssh", "pipx_metadata.json", f"pipx inject pettui {NEEDED}"),
        (
            "asyncssh psycopg prometheus_client keyring",
            "uv-receipt.toml",
            "uv tool install '/there/pettui.whl[serve,ssh]'",
        ),
    ],
    ids=["pip", "uv", "pipx", "a tool of uv"],
)
def test_what_is_run_keeps_to_how_pettui_was_installed(
    run_here: Run, without: Without, modules: str, having: str, command: str
) -> None:
    without(*modules.split(), having=having)
    finished = run_here("ssh")
    assert finished.returncode == 2
    assert finished.stderr == f"pettui: ssh: needs asyncssh; run: {command}\n"
