"""ThemeChoice: the theme that somebody chose while the app ran."""

from __future__ import annotations


class ThemeChoice:
    """Keeps the choice for as long as the app runs; whoever runs it may keep it longer."""

    def __init__(self, theme: str | None = None) -> None:
        """Begin with an earlier choice; None is as it is configured."""
        self.theme = theme

    def keep(self, theme: str | None) -> None:
        """Keep another choice; it may wait for a disk."""
        self.theme = theme
