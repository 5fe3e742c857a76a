"""LazyTransport: the transport to one service, opened when it is first needed."""

from __future__ import annotations

import asyncio
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import httpx

    from pettui.client.http.transport import Transport
    from pettui.settings import Limits


class LazyTransport:
    """Opens in a thread, once for all calls that wait for it.

    Importing httpx takes as long as drawing the first screen, which responds to keys meanwhile.
    """

    def __init__(
        self,
        transport: Callable[[], httpx.AsyncBaseTransport] | httpx.AsyncBaseTransport | None,
        base_url: str,
        limits: Limits,
        proxy: str | None,
        ca_file: Path | None,
    ) -> None:
        self._parameters = transport, base_url, limits, proxy, ca_file
        self._opening: asyncio.Task[Transport] | None = None

    async def opened(self) -> Transport:
        """Return the open transport.

        Cancelling a call that waits for it does not stop the opening: it is not done twice.

        Raises:
            NoAnswerError: it cannot be opened; the next call tries again.
        """
        if self._opening is None or _has_failed(self._opening):
            self._opening = asyncio.create_task(asyncio.to_thread(self._open))
            # Retrieved even when nobody waits any more: asyncio would log the exception otherwise.
            self._opening.add_done_callback(_has_failed)
        return await asyncio.shield(self._opening)

    async def aclose(self) -> None:
        """Close what is open; a later call opens it again."""
        opening, self._opening = self._opening, None
        if opening is not None:
            await asyncio.wait([opening])
            if not _has_failed(opening):
                await opening.result().aclose()

    def _open(self) -> Transport:
        # Not at the top: the start of the program must not wait for it.
        _import_httpx()
        from pettui.client.http.opening import open_transport  # noqa: PLC0415

        return open_transport(*self._parameters)


def _import_httpx() -> None:
    """Import httpx without its command line, which imports click, pygments and more.

    Where click is installed, that takes twice the time; without it, httpx skips the command line.
    """
    _mark_missing("sniffio")
    if "httpx" in sys.modules or "click" in sys.modules:
        return
    # None makes an import fail as if the module were not installed.
    sys.modules["click"] = None  # type: ignore[assignment]
    try:
        import httpx  # noqa: F401, PLC0415
    finally:
        del sys.modules["click"]


def _mark_missing(module: str) -> None:
    """Remember that a module is not installed.

    httpcore tries to import sniffio at each lock that it takes; where that is missing, searching
    the whole path each time is a quarter of what a request costs.
    """
    if module not in sys.modules and find_spec(module) is None:
        sys.modules[module] = None  # type: ignore[assignment]


def _has_failed(task: asyncio.Task[Transport]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
