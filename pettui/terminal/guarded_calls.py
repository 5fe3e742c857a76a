"""Calls whose errors end one session, and not its connection or the event loop's callback."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def guarded(
    call: Callable[Arguments, Result], fail: Callable[[Exception], None], *, otherwise: Result
) -> Callable[Arguments, Result]:
    """Return a call that passes its errors to ``fail``, and then returns ``otherwise``."""

    @wraps(call)
    def guard(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        try:
            return call(*arguments, **options)
        except Exception as error:  # noqa: BLE001 - any error is passed on
            fail(error)
            return otherwise

    return guard
