"""ChosenLimit: what the clerk chose, else the setting, else as many as the screen has rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.list.listing import limit_for

if TYPE_CHECKING:
    from pettui.remembered.seen_lists import SeenLists


class ChosenLimit:
    """The limit of the next list."""

    def __init__(self, seen: SeenLists, setting: int | None) -> None:
        """Begin with what an earlier session left in ``seen``; new choices are left there too."""
        self._seen = seen
        self._setting = setting
        self._chosen = seen.first_view.limit  # None where none was chosen

    def value(self, height: int) -> int:
        """Return the limit on a screen of a height."""
        return self._chosen or self.unchosen(height)

    def unchosen(self, height: int) -> int:
        """Return the limit without a choice."""
        return self._setting or limit_for(height)

    def choose(self, limit: int | None) -> None:
        """Use a limit from now on, also in later sessions; None is the one without a choice."""
        self._chosen = limit
        self._seen.remember_view(limit=limit)

    def remark(self, height: int) -> str:
        """Return which limit is used without a choice, and why."""
        is_set = self._setting is not None
        return f"limit {self.unchosen(height)}: {'the setting' if is_set else 'automatic'}"
