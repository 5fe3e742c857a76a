"""Writes that wait for the writing thread, and how their results reach the event loop."""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from pettui.service.stores.store import Row, StoreUnavailableError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence


class PendingWrite(NamedTuple):
    """An animal to be stored, and the future of its id."""

    row: Row
    stored: asyncio.Future[int]


def settle(group: list[PendingWrite], outcome: Sequence[int] | StoreUnavailableError) -> None:
    """Resolve the futures of a group, with ids or an error, waking every event loop once."""
    outcomes: Sequence[int | StoreUnavailableError]
    outcomes = [outcome] * len(group) if isinstance(outcome, StoreUnavailableError) else outcome
    pairs = zip(group, outcomes, strict=True)
    for loop, part in groupby(pairs, key=lambda pair: pair[0].stored.get_loop()):
        with suppress(RuntimeError):  # the loop is closed, so nobody waits
            loop.call_soon_threadsafe(_resolve, list(part))


def _resolve(pairs: list[tuple[PendingWrite, int | StoreUnavailableError]]) -> None:
    for write, outcome in pairs:
        if write.stored.done():
            continue  # the request was cancelled; the animal is stored all the same
        if isinstance(outcome, StoreUnavailableError):
            write.stored.set_exception(type(outcome)(str(outcome)))  # each has its own traceback
        else:
            write.stored.set_result(outcome)
