"""SeenLists: the first page of each status as it was last shown, kept between sessions."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from pettui.models import PetStatus
from pettui.transfer.last_lists import LastList, LastLists

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from pettui.api_key import ApiKey
    from pettui.models import Pet
    from pettui.transfer.last_lists import LastView
    from pettui.transfer.last_lists_writer import LastListsWriter


class SeenLists:
    """The lists that can be drawn before a response comes, and how the user left the list."""

    def __init__(
        self,
        last: LastLists | None = None,
        writer: LastListsWriter | None = None,
        *,
        takes_limit: bool = True,
    ) -> None:
        """Start with the lists of the last session.

        Args:
            last: what was kept.
            writer: keeps the lists for the next session; None keeps them for this one only.
            takes_limit: whether to use the last session's limit; False where one is configured.
        """
        last = last or LastLists()
        self._lists = dict(last.lists)
        self._view = last.view
        self._writer = writer
        self.first_view = last.view if takes_limit else replace(last.view, limit=None)
        self._is_unkept = False
        self._refusal: object = None  # the newest error of a refused API key
        self._is_refused = False

    @property
    def left(self) -> LastView:
        """The view to restore in the next session, if this one ends now."""
        return self._view

    def of(self, status: str | None) -> LastList | None:
        """Return the first page of a status as last shown; None where it was not."""
        return self._lists.get(_known(status))

    def saw(self, status: str | None, pets: Iterable[Pet], at: datetime) -> None:
        """Remember the first page of a status, and keep it for the next session."""
        self._is_refused = False
        self._lists[_known(status)] = LastList(tuple(pets), at.timestamp())
        self._keep()

    def leave(self, **changes: Any) -> None:
        """Remember fields of ``LastView``, to be kept with the next list or at the end."""
        changed = replace(self._view, **changes)
        self._is_unkept |= changed != self._view
        self._view = changed

    def refuse(self, error: object) -> None:
        """Forget all animals: the service refused the API key (401); an error counts once."""
        if error is self._refusal:
            return
        self._refusal = error
        self._lists.clear()
        self._is_refused = True
        if self._writer is not None:
            self._writer.forget()

    def use_key(self, api_key: ApiKey) -> None:
        """Have a changed API key masked in what is kept."""
        if self._writer is not None:
            self._writer.use_key(api_key)

    def finish(self, seconds: float) -> None:
        """Keep the last view, and wait at most this long until all is written."""
        if self._writer is not None:
            if self._is_unkept and not self._is_refused:
                self._keep()
            self._writer.finish(seconds)

    def _keep(self) -> None:
        self._is_unkept = False
        if self._writer is not None:
            self._writer.keep(LastLists(MappingProxyType(dict(self._lists)), self._view))


def _known(status: str | None) -> PetStatus | None:
    return PetStatus(status) if status else None
