"""What goes on as long as a process does: told of, and started again, whatever it raises."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

PAUSE: Final = 60.0  # seconds; a bug that stays is reported once a minute


async def keep_running(
    run: Callable[[], Coroutine[None, None, None]],
    tell_of_bug: Callable[[BaseException], None],
    pause: float = PAUSE,
) -> None:
    """Run what goes on until it is cancelled; after an exception of any kind start it again.

    Args:
        run: what is started.
        tell_of_bug: told of each exception.
        pause: seconds before it is started again.
    """
    while True:
        try:
            await run()
        except Exception as error:  # noqa: BLE001 - whatever it is, the sessions go on
            tell_of_bug(error)
        await asyncio.sleep(pause)
