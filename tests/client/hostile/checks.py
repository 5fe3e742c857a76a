"""What holds of every failure, whatever was sent."""

from __future__ import annotations

import asyncio
import traceback
from typing import TYPE_CHECKING

from pettui.client import PetClientError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

KEY = "sesame-open-4711"


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a state, and not for ever."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - of code that tells nobody
            await asyncio.sleep(0.001)


async def failure_of(call: Awaitable[object]) -> PetClientError:
    """Give the error that a call ends with, which shows the key nowhere."""
    try:
        answer = await call
    except PetClientError as error:
        check_is_tellable(error)
        return error
    raise AssertionError(f"an answer was given: {answer!r}")


def check_is_tellable(error: PetClientError) -> None:
    """Check that an error has a line to show, leads to no exception below it, and holds no key."""
    assert str(error).strip()
    assert error.__cause__ is None
    assert error.__context__ is None
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    for text in ("".join(told.format()), str(error), repr(error), repr(vars(error))):
        assert KEY not in text
