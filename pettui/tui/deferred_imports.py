"""Modules that the first frame does not need, imported once the first animals are shown."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module

MODULES = (
    "pettui.tui.form.pet_create",
    "pettui.tui.detail.pet_detail",
    "pettui.tui.outbox.outbox",
    "pettui.tui.outbox.receipt",
    "pettui.tui.screens.boxes",
    "pettui.tui.screens.help",
    "pettui.tui.outbox.leaving",
    "pettui.tui.screens.palette",
    "pettui.tui.transfer.export_line",
)


def are_preloaded() -> bool:
    """Whether all of them are imported."""
    return all(module in sys.modules for module in MODULES)


async def preload() -> None:
    """Import the modules in a thread, so that the event loop stays responsive."""
    await asyncio.to_thread(_import_all)


def _import_all() -> None:
    for module in MODULES:
        import_module(module)
