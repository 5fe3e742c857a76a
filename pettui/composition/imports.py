"""What ``pettui ssh`` imports and reads before its first fork: all that its apps may need later.

So an upgrade on the disk never reaches a server that runs, and neither do two versions mix.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from typing import Final

from pettui.client import prepare
from pettui.composition.crash_reports import versions

ROOMS: Final = (
    "pettui.appearance", "pettui.client", "pettui.configuration", "pettui.keyboard",
    "pettui.models", "pettui.outbox", "pettui.remembered", "pettui.rows", "pettui.settings",
    "pettui.system", "pettui.text", "pettui.transfer", "pettui.tui",
)  # fmt: skip
OF_SERVICE: Final = (  # of a demo, and of a store of one's own
    "pettui.service.app",
    "pettui.service.demo",
    "pettui.service.stores.own_samples",
    "pettui.service.stores.samples",
    "pettui.service.stores.sqlite",
)
OF_DATABASE: Final = (  # in those rooms, and of an extra
    "pettui.outbox.stores.postgres_connections",
    "pettui.outbox.stores.postgres",
    "pettui.outbox.stores.postgres_schema",
    "pettui.outbox.stores.postgres_statements",
    "pettui.system.postgres",
)
OF_LIBRARIES: Final = (  # which import it with a first request, a connection or an error
    "anyio._backends._asyncio", "anyio._core._asyncio_selector_thread", "h11", "httpcore",
    "idna.uts46data", "pydantic._internal._serializers", "pydantic.dataclasses",
    "pydantic.deprecated.copy_internals", "pydantic.root_model", "pydantic.type_adapter",
)  # fmt: skip


def import_all(*, has_database: bool) -> None:
    """Import and read it.

    Args:
        has_database: whether users' outboxes are in PostgreSQL.
    """
    found = (walk_packages(import_module(room).__path__, f"{room}.") for room in ROOMS)
    modules = [each.name for room in found for each in room]
    for module in (*modules, *OF_SERVICE, *OF_LIBRARIES):
        if has_database or module not in OF_DATABASE:
            import_module(module)
    prepare()
    versions()
