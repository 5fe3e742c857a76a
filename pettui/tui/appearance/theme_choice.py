"""ThemeChoice: the theme that the user chose while the app ran."""

from __future__ import annotations


class ThemeChoice:
    """Keeps the choice in memory; a subclass may save it."""

    def __init__(self, theme: str | None = None) -> None:
        """Start with an earlier choice; None is the configured theme."""
        self.theme = theme

    def keep(self, theme: str | None) -> None:
        """Keep a new choice; a subclass may block on a disk."""
        self.theme = theme
