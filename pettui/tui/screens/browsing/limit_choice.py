"""LimitChoice: how many animals one page is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.listing import ListQuery
from pettui.tui.page_limit import larger, limit_for, smaller

if TYPE_CHECKING:
    from pettui.tui.screens.browsing.browsed_list import BrowsedList

PAUSE = 0.15  # seconds after the last + or - before the service is asked


class LimitChoice:
    """The clerk's, or else as many as the screen has rows."""

    def __init__(self, screen: BrowsedList) -> None:
        self._screen = screen
        session = screen.session
        self.chosen = session.seen.first_view.limit or session.settings.limit  # None: nobody chose

    @property
    def limit(self) -> int:
        """What a list is asked for that is asked for anew."""
        return self.chosen or limit_for(self._screen.app.size.height)

    def step(self, by: int) -> None:
        """Go to a larger or smaller limit, and ask when the keys rest."""
        limit = self._screen.loader.query.limit
        self.choose(larger(limit) if by > 0 else smaller(limit), after=PAUSE)

    def choose(self, limit: int, *, after: float = 0) -> None:
        """Ask for so many at once from now on."""
        query = self._screen.loader.query
        self.chosen = limit
        self._screen.session.seen.leave(limit=limit)
        if limit != query.limit:
            self._screen.loader.ask_for(ListQuery(query.status, limit), after=after)
