"""Calls whose errors end one session, and not the connection or the loop's turn."""

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
    """Return a call that raises nothing: ``fail`` is told, and ``otherwise`` is its result."""

    @wraps(call)
    def guard(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        try:
            return call(*arguments, **options)
        except Exception as error:  # noqa: BLE001 - told of, whatever it is
            fail(error)
            return otherwise

    return guard
