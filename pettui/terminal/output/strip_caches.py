"""Drawn rows without the caches that Textual gives each of them, full or empty.

Each has seven, and in one of them a second copy of itself, filtered: a fifth of an app's memory.

Of Textual's own it uses, and ``tests/terminal/output/test_strip_caches.py`` fails without them:

- ``Widget._styles_cache``, ``StylesCache._cache``: where they change, nothing is drawn.
- ``Strip._divide_cache`` and all the others that are a ``FIFOCache``: where they change, rows keep
  some of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.cache import FIFOCache

if TYPE_CHECKING:
    from textual.strip import Strip
    from textual.widget import Widget

CACHES: Final = (
    "_divide_cache",
    "_crop_cache",
    "_style_cache",
    "_filter_cache",
    "_line_length_cache",
    "_crop_extend_cache",
    "_offsets_cache",
)


class NoCache(FIFOCache[Any, Any]):
    """A cache that keeps nothing, so that many strips can share it."""

    __slots__ = ()

    def set(self, key: Any, value: Any) -> None:
        """Keep nothing."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Keep nothing."""

    def get(self, key: Any, default: Any = None) -> Any:  # noqa: ARG002 - Textual gives it
        """Return the default: there is nothing else."""
        return default


NO_CACHE: Final = NoCache(0)


def drop_caches(widget: Widget, rows: range) -> None:
    """Drop those of the rows that a widget keeps, once they are drawn."""
    kept = widget._styles_cache._cache  # noqa: SLF001
    for strip in filter(None, map(kept.get, rows)):
        without_caches(strip)


def without_caches(strip: Strip) -> None:
    """Drop what a strip has cached, and let it cache nothing from now on."""
    for name in CACHES:
        setattr(strip, name, NO_CACHE)
