"""Makes entries of what is typed: their keys, and what is known at that moment."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import Entry, EntryState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_LAST: Final = 10**20 - 1  # nanoseconds, in the year 5138
_TOKENS: Final = 16**8


class NewEntries:
    """Gives entries keys that sort in the order of typing, whatever the clock does."""

    def __init__(self, clock: Callable[[], float], delay: float) -> None:
        self._clock = clock
        self._delay = delay
        self._newest_key = ""
        self._newest_id: int | None = None

    def saw(self, pet_ids: Iterable[int]) -> None:
        """Note animals that exist: no entry made from now on can become one of them."""
        newest = max(pet_ids, default=None)
        if newest is not None and (self._newest_id is None or newest > self._newest_id):
            self._newest_id = newest

    def make(self, name: str, category_id: int, status: str | None, after: str) -> Entry:
        """Return a waiting entry whose key sorts after the key ``after``, which may be ""."""
        now = self._clock()
        self._newest_key = _next_key(now, max(self._newest_key, after))
        return Entry(
            self._newest_key,
            name,
            category_id,
            status,
            EntryState.WAITING,
            due=now + self._delay,
            after_id=self._newest_id,
        )


def _next_key(clock: float, newest: str) -> str:
    """Return a key after the newest; past the last nanosecond, the rest of the key counts up."""
    now = int(min(max(clock, 0.0), 1e10) * 1e9)
    before, _, token = newest.partition("-")
    nanoseconds = max(now, int(before) + 1 if newest else 0)
    if nanoseconds <= _LAST:
        return f"{nanoseconds:020d}-{secrets.token_hex(4)}"
    if (following := int(token, 16) + 1) < _TOKENS:
        return f"{_LAST:020d}-{following:08x}"
    return f"{now:020d}-{secrets.token_hex(4)}"  # no key is left after that one
