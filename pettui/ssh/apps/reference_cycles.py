"""Breaks the reference cycles of an app that has ended, so that it is freed at once.

All that an app consists of refers to the rest of it in so many ways that otherwise only a full
collection would free it, which takes most of a second where hundreds of apps run.

It uses these private names of Textual; without them an app is freed later, and
``tests/ssh/apps/test_app_pool.py`` fails:

- ``WorkerManager._remove_worker`` is called at the end of each worker; ``Worker._task``, ``_work``
  and ``_error`` refer to the worker, as does ``LRUCache._cache`` to itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.cache import LRUCache
from textual.worker_manager import WorkerManager

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.worker import Worker


class Workers(WorkerManager):
    """Workers of an app, which at their end let go of what refers to them."""

    def _remove_worker(self, worker: Worker[Any]) -> None:
        super()._remove_worker(worker)
        worker._task = worker._work = None  # type: ignore[assignment]  # noqa: SLF001
        if worker.is_cancelled:
            worker._error = None  # noqa: SLF001 - its traceback


def take_apart(parts: Iterable[object]) -> None:
    """Remove all attributes of objects that are not used any more."""
    for part in parts:
        for value in vars(part).values():
            if isinstance(value, LRUCache):
                for link in value._cache.values():  # noqa: SLF001
                    link.clear()
        vars(part).clear()
