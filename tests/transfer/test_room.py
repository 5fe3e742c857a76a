"""The room imports no screen, no network and no service."""

from __future__ import annotations

import pytest

from tests.test_imports import ELSEWHERE, NETWORK, SCREENS, SERVICE, modules_after


@pytest.mark.parametrize(
    "module",
    [
        "writing",
        "files",
        "last_lists",
        "lines",
        "importing",
        "journal",
    ],
)
def test_a_module_of_transfer_imports_no_other_room(module: str) -> None:
    loaded = modules_after(f"import pettui.transfer.{module}")
    assert f"pettui.transfer.{module}" in loaded
    assert not loaded & (SCREENS | NETWORK | SERVICE | ELSEWHERE | {"pettui.tui", "pettui.service"})
