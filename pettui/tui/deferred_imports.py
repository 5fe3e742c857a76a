"""Imports what the first frame did not need, once the first animals stand there."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module

MODULES = (
    "pettui.tui.screens.adding.pet_create",
    "pettui.tui.screens.pet_detail",
    "pettui.tui.screens.outbox",
    "pettui.tui.screens.receipt",
    "pettui.tui.screens.boxes.help",
    "pettui.pydantic_models",  # for the first row that is odd, which the loop would wait for
)


async def preload() -> None:
    """Import what opens with the next key, in a thread; keys are answered meanwhile."""
    missing = [module for module in MODULES if module not in sys.modules]
    if missing:
        await asyncio.to_thread(_import_all, missing)


def _import_all(modules: list[str]) -> None:
    for module in modules:
        import_module(module)
