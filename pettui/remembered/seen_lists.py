"""SeenLists: the lists that were shown, in this session and before, and which rows are new."""

from __future__ import annotations

from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.models.pets import Pet, PetStatus, ids_fall
from pettui.remembered.last_lists import LastList, LastLists, LastListsWriter, LastView, SeenRows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from pettui.settings.settings import ApiKey

SEEN_MAXIMUM: Final = 2_000  # ids of one list


class SeenBefore(NamedTuple):
    """What a list is compared with at the start: all that earlier sessions showed."""

    own: SeenRows  # of the list's own status
    lists: Mapping[str | None, SeenRows]  # by status
    added: Collection[int] = frozenset()  # ids that this outbox added in earlier sessions

    def has(self, pet: Pet) -> bool:
        """Whether an animal was seen, in the list itself, in that of all or of its status."""
        lists = (self.own, self.lists.get(None), self.lists.get(pet.status))
        return pet.id in self.added or any(each is not None and each.has(pet.id) for each in lists)

    def new_among(self, pets: Sequence[Pet], *, is_first: bool) -> frozenset[int]:
        """Return the ids that are new.

        Where ids do not tell, what follows the last seen row was only never loaded before.

        Args:
            pets: of one page.
            is_first: whether that is the first page.
        """
        is_seen = [*map(self.has, pets)]
        if self.own.highest is None and not self.own.is_whole and (any(is_seen) or not is_first):
            end = max((index for index, each in enumerate(is_seen) if each), default=0)
            pets = pets[:end]
        return frozenset(pet.id for pet, each in zip(pets, is_seen, strict=False) if not each)


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
        self._seen: dict[str | None, SeenRows] = {
            status: each.seen or _seen_rows([pet.id for pet in each.pets])
            for status, each in last.lists.items()
        }
        self._before: Mapping[str | None, SeenRows] = dict(self._seen)
        self._view = last.view
        self._writer = writer
        self.first_view = last.view if takes_limit else last.view._replace(limit=None)
        self._is_unkept = False
        self._refusal: object = None  # the newest error of a refused API key
        self._is_refused = False

    @property
    def has_sessions(self) -> bool:
        """Whether there can be earlier sessions: nothing of a demo is kept."""
        return self._writer is not None

    @property
    def last_view(self) -> LastView:
        """The view to restore in the next session, if this one ends now."""
        return self._view

    def of(self, status: str | None) -> LastList | None:
        """Return the first page of a status as last shown; None where it was not."""
        return self._lists.get(_known(status))

    def has_forgotten(self, status: str | None) -> bool:
        """Whether a list that was shown is forgotten, since the API key was refused (401)."""
        return self.of(status) is None

    def before(self, status: str | None, added: Collection[int]) -> SeenBefore | None:
        """Return what was seen before this session; None without a list of the status.

        Args:
            status: of the list.
            added: ids that this user added.
        """
        own = self._before.get(_known(status))
        return None if own is None else SeenBefore(own, self._before, added)

    def saw(self, status: str | None, pets: Iterable[Pet], at: datetime) -> None:
        """Remember the first page of a status, and keep it for the next session."""
        self._is_refused = False
        seen = self._seen.get(_known(status))
        self._lists[_known(status)] = LastList(tuple(pets), at.timestamp(), seen)
        self._keep()

    def showed(self, status: str | None, loaded: Iterable[Pet], *, is_whole: bool) -> None:
        """Remember which rows of a status stood on the screen, of all loaded pages.

        They are kept with the next first page, or at the end.
        """
        earlier = self._seen.get(_known(status))
        ids = [pet.id for pet in loaded]
        seen = _seen_rows(ids, earlier.ids if earlier is not None else (), is_whole=is_whole)
        self._is_unkept |= seen != earlier
        self._seen[_known(status)] = seen

    def remember_view(self, **changes: Any) -> None:
        """Remember fields of ``LastView``, to be kept with the next list or at the end."""
        changed = self._view._replace(**changes)
        self._is_unkept |= changed != self._view
        self._view = changed

    def refuse(self, error: object) -> None:
        """Forget all animals: the service refused the API key (401); an error counts once."""
        if error is self._refusal:
            return
        self._refusal = error
        self._lists.clear()
        self._seen.clear()
        self._before = {}
        self._is_refused = True
        if self._writer is not None:
            self._writer.forget()

    def use_api_key(self, api_key: ApiKey) -> None:
        """Have a changed API key masked in what is kept."""
        if self._writer is not None:
            self._writer.use_api_key(api_key)

    def write_rest(self, seconds: float) -> None:
        """Keep the last view, and wait at most this long until all is written."""
        if self._writer is not None:
            if self._is_unkept and not self._is_refused:
                self._keep()
            self._writer.wait_until_written(seconds)

    def _keep(self) -> None:
        self._is_unkept = False
        if self._writer is not None:
            for status, each in self._lists.items():
                self._lists[status] = each._replace(seen=self._seen.get(status, each.seen))
            self._writer.keep(LastLists(MappingProxyType(dict(self._lists)), self._view))


def _seen_rows(
    ids: Sequence[int], earlier: Iterable[int] = (), *, is_whole: bool = False
) -> SeenRows:
    """Return what was seen of a list, with ids that were seen earlier as far as there is room."""
    if ids and ids_fall(ids):
        return SeenRows(highest=ids[0])
    newest = islice(dict.fromkeys((*ids, *earlier)), SEEN_MAXIMUM)
    return SeenRows(None, frozenset(newest), is_whole and len(ids) <= SEEN_MAXIMUM)


def _known(status: str | None) -> PetStatus | None:
    return PetStatus(status) if status else None
