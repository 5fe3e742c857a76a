"""What holds of every failure, whatever was sent."""

from __future__ import annotations

import asyncio
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from pettui.client import PetClientError
from tests.animals import a_new_pet
from tests.client.hostile.server import HostileServer, stall

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine


KEY = "sesame-open-4711"
TINY = a_new_pet("Tiny")


async def stop(server: HostileServer, call: Coroutine[Any, Any, object]) -> None:
    """Begin a call to a service that does not respond, and cancel it once it is there."""
    server.turn_to(stall())
    calling = asyncio.create_task(call)
    await server.requested.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling


async def failure_of(call: Awaitable[object]) -> PetClientError:
    """Return the error that a call ends with, which shows the key nowhere."""
    try:
        answer = await call
    except PetClientError as error:
        check_is_reportable(error)
        return error
    raise AssertionError(f"an answer was given: {answer!r}")


def check_is_reportable(error: PetClientError) -> None:
    """Check that an error has a line to show, leads to no exception below it, and holds no key."""
    assert str(error).strip()
    assert error.__cause__ is None
    assert error.__context__ is None
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    for text in ("".join(told.format()), str(error), repr(error), repr(vars(error))):
        assert KEY not in text
