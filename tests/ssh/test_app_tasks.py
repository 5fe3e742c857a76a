"""Tasks of apps: who may cancel them, and that nobody waits in vain."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any

import pytest
from textual._context import active_app
from textual.app import App

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


def context_of_an_app() -> Context:
    """Return the context of a new app."""
    context = copy_context()
    context.run(active_app.set, App())
    return context


@asynccontextmanager
async def endless(context: Context | None = None) -> AsyncIterator[asyncio.Task[Any]]:
    """A task that never ends by itself, of another app unless it is of this context."""
    never = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(asyncio.wait([never]), context=context or context_of_an_app())
    yield task
    Context().run(task.cancel)
    await asyncio.wait([task])


async def test_an_app_cancels_no_task_of_another_one() -> None:
    async with endless() as task:
        assert context_of_an_app().run(task.cancel) is False
        assert not task.cancelling()


async def test_an_app_cancels_what_it_creates_in_a_context_of_its_own() -> None:
    async def group() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(asyncio.Event().wait(), context=Context())
            tasks.create_task(fail())

    async def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup):
        await asyncio.create_task(group(), context=context_of_an_app())


@pytest.mark.parametrize("is_nobodys", [False, True])
async def test_an_app_stops_waiting_for_a_task_that_it_does_not_cancel(*, is_nobodys: bool) -> None:
    async def wait() -> None:
        async with asyncio.timeout(0):
            await task

    async with endless(Context() if is_nobodys else None) as task:
        with pytest.raises(TimeoutError):
            await asyncio.create_task(wait(), context=context_of_an_app())
        assert not task.cancelling()


async def test_an_app_gets_what_a_task_of_another_one_returns_or_raises() -> None:
    async def wait(task: asyncio.Task[int]) -> int:
        return await task

    async def divide(number: int) -> int:
        await asyncio.sleep(0)
        return 1 // number

    one, none = (
        asyncio.create_task(divide(number), context=context_of_an_app()) for number in (1, 0)
    )
    assert await asyncio.create_task(wait(one), context=context_of_an_app()) == 1
    with pytest.raises(ZeroDivisionError):
        await asyncio.create_task(wait(none), context=context_of_an_app())
