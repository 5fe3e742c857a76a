"""Tasks of apps, which are apart: what one raises or cancels ends it alone.

``sys.exit`` and a KeyboardInterrupt would end the event loop, and so the sessions of everybody; so
would an app that cancels all tasks that asyncio knows of.

``Future._asyncio_future_blocking`` of asyncio is private, without which an app may wait for another
one's task for ever; ``tests/ssh/test_app_tasks.py`` says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, Final
from weakref import ref

from textual._context import active_app

EXITS: Final = (SystemExit, KeyboardInterrupt)
USUAL: Final = (Exception, asyncio.CancelledError)  # which end no app by themselves


class AppEndedError(Exception):
    """Whoever awaits what ended its app, and so did not end itself, gets this."""


class AppTask(asyncio.Task[Any]):
    """A task, which is cancelled by its own app or by the server: ``all_tasks`` has everybody's."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], app: Any, **options: Any) -> None:
        self.app = app  # None: the server's
        creator = active_app.get(None)  # of one that runs in a context of nobody's
        self._creator = None if creator is None else ref(creator)  # the task may outlive it
        self.is_cancelled_by_server = False
        super().__init__(coroutine if app is None else _AppCoroutine(coroutine), **options)

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel it, unless another app asks for that."""
        app = active_app.get(None)
        if not self.is_cancelled_by(app):
            return False
        if app is None:
            self.is_cancelled_by_server = True
        return super().cancel(msg)

    def is_cancelled_by(self, app: Any) -> bool:
        """Whether this app, or the server with None, may cancel it."""
        creator = None if self._creator is None else self._creator()
        return app is None or app is self.app or app is creator


def cancel(task: asyncio.Task[Any]) -> None:
    """Cancel a task for the server, also from the context of an app."""
    Context().run(task.cancel)


class _AppCoroutine(Coroutine[Any, Any, Any]):
    """A coroutine of an app's task, in which ``sys.exit`` ends the app and not the loop."""

    __slots__ = ("_coroutine",)

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._coroutine = coroutine

    def send(self, value: Any) -> Any:
        try:
            return _awaited(self._coroutine.send(value))
        except USUAL:
            raise
        except BaseException as error:
            self._end_app(error)
            raise AppEndedError from error
        finally:
            del self, value  # the traceback would keep the app

    def throw(self, *error: Any) -> Any:
        try:
            return _awaited(self._coroutine.throw(*error))
        except USUAL:
            raise
        except BaseException as raised:
            self._end_app(raised)
            raise AppEndedError from raised
        finally:
            del self, error

    def _end_app(self, error: BaseException) -> None:
        app: Any = active_app.get()
        app.end_with(error)
        app.forget_task(asyncio.current_task())

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Any:
        return self._coroutine.__await__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._coroutine, name)


def _awaited(future: Any) -> Any:
    """Let a task wait so that it can be cancelled, where what it waits for must not be.

    A task that is cancelled goes on waiting for one that refuses to be.
    """
    if not isinstance(future, AppTask) or future.is_cancelled_by(active_app.get(None)):
        return future
    future._asyncio_future_blocking = False  # noqa: SLF001 - as a task has it
    waiting = asyncio.shield(future)
    waiting._asyncio_future_blocking = True  # noqa: SLF001 - as what it awaits
    return waiting
