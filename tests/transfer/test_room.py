"""The room imports no screen, no network and no service."""

from __future__ import annotations

from tests.test_imports import ELSEWHERE, NETWORK, SCREENS, SERVICE, modules_after

MODULES = [f"pettui.transfer.{name}" for name in ("writing", "last_lists", "importing")]


def test_no_module_of_transfer_imports_another_room() -> None:
    loaded = modules_after(f"import {', '.join(MODULES)}")
    assert set(MODULES) < loaded
    assert not loaded & (SCREENS | NETWORK | SERVICE | ELSEWHERE | {"pettui.tui", "pettui.service"})
