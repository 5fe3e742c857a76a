"""Modules that the first frame does not need, imported once the first animals are shown."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module

MODULES = (
    "pettui.tui.screens.pet_create",
    "pettui.tui.screens.pet_detail",
    "pettui.tui.screens.outbox",
    "pettui.tui.screens.receipt",
    "pettui.tui.screens.boxes",
    "pettui.tui.screens.help",
    "pettui.tui.screens.leaving",
    "pettui.tui.screens.palette",
)


async def preload() -> None:
    """Import the modules in a thread, so that the event loop stays responsive."""
    missing = [module for module in MODULES if module not in sys.modules]
    if missing:
        await asyncio.to_thread(_import_all, missing)


def _import_all(modules: list[str]) -> None:
    for module in modules:
        import_module(module)
