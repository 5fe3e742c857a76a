"""RoutedPrints: standard output and error of a process in which many apps run.

It uses Textual's private ``_context.active_app``: where it changes, apps print into the log.
"""

from __future__ import annotations

from textual._context import active_app

from pettui.logs import EventStream


class RoutedPrints(EventStream):
    """A stream that discards what apps print; each line of anybody else is an event."""

    def write(self, text: str) -> int:
        """Write, unless an app is running in this context."""
        return super().write(text) if active_app.get(None) is None else len(text)
