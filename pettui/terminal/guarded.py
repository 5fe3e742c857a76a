"""Calls whose errors end one session, and not its connection or the event loop's callback."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable

Arguments = ParamSpec("Arguments")


def guarded(
    call: Callable[Arguments, object], fail: Callable[[Exception], None]
) -> Callable[Arguments, None]:
    """Return a call that passes its errors to ``fail``."""

    def guard(*arguments: Arguments.args, **options: Arguments.kwargs) -> None:
        try:
            call(*arguments, **options)
        except Exception as error:  # noqa: BLE001 - any error is passed on
            fail(error)

    return guard
