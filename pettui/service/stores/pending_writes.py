"""Writes that wait for the writing thread, and how the event loop is told what became of them."""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from pettui.service.stores.store import Row, StoreUnavailableError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence


class PendingWrite(NamedTuple):
    """An animal to be kept, and the future of its id."""

    row: Row
    kept: asyncio.Future[int]


def settle(group: list[PendingWrite], outcome: Sequence[int] | StoreUnavailableError) -> None:
    """Tell each writer its id, or why there is none, waking every event loop once."""
    outcomes: Sequence[int | StoreUnavailableError]
    outcomes = [outcome] * len(group) if isinstance(outcome, StoreUnavailableError) else outcome
    pairs = zip(group, outcomes, strict=True)
    for loop, part in groupby(pairs, key=lambda pair: pair[0].kept.get_loop()):
        with suppress(RuntimeError):  # closed: nobody waits there any more
            loop.call_soon_threadsafe(_resolve, list(part))


def _resolve(pairs: list[tuple[PendingWrite, int | StoreUnavailableError]]) -> None:
    for write, outcome in pairs:
        if write.kept.done():
            continue  # whoever waited has gone; the animal is kept all the same
        if isinstance(outcome, StoreUnavailableError):
            write.kept.set_exception(type(outcome)(str(outcome)))  # each has its own traceback
        else:
            write.kept.set_result(outcome)
