"""SeenLists: what the first page of each status showed, in this session or the one before."""

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
    """The lists that can be drawn before their answer is there, and how the list was left."""

    def __init__(
        self,
        last: LastLists | None = None,
        writer: LastListsWriter | None = None,
        *,
        takes_limit: bool = True,
    ) -> None:
        """Begin with what the session before left.

        Args:
            last: what was kept.
            writer: keeps them for the next session; None keeps them for this one alone.
            takes_limit: whether its limit counts, and none was asked for at this start.
        """
        last = last or LastLists()
        self._lists = dict(last.lists)
        self._view = last.view
        self._writer = writer
        self.first_view = last.view if takes_limit else replace(last.view, limit=None)
        self._is_unkept = False
        self._refusal: object = None  # the newest
        self._is_refused = False

    @property
    def left(self) -> LastView:
        """How the list is left, if the session ends now."""
        return self._view

    def of(self, status: str | None) -> LastList | None:
        """Return what the first page of a status showed last; None where it was not seen."""
        return self._lists.get(_known(status))

    def saw(self, status: str | None, pets: Iterable[Pet], at: datetime) -> None:
        """Remember, and keep, what a first page shows."""
        self._is_refused = False
        self._lists[_known(status)] = LastList(tuple(pets), at.timestamp())
        self._keep()

    def leave(self, **changes: Any) -> None:
        """Remember fields of ``LastView``, to be kept with the next answer or at the end."""
        changed = replace(self._view, **changes)
        self._is_unkept |= changed != self._view
        self._view = changed

    def refuse(self, error: object) -> None:
        """Forget all animals: the service refused the key (401); the same error counts once."""
        if error is self._refusal:
            return
        self._refusal = error
        self._lists.clear()
        self._is_refused = True
        if self._writer is not None:
            self._writer.forget()

    def use_key(self, api_key: ApiKey) -> None:
        """Let another key stand nowhere in what is kept."""
        if self._writer is not None:
            self._writer.use_key(api_key)

    def finish(self, seconds: float) -> None:
        """Keep how the list was left, and wait for so long at most until all is written."""
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
