"""LazyTransport: the way to one service, opened when it is first needed."""

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
    """Opens in a thread, once for all who ask meanwhile.

    Importing httpx takes as long as drawing the first screen, which goes on answering keys while
    that happens.
    """

    def __init__(
        self,
        way: Callable[[], httpx.AsyncBaseTransport] | httpx.AsyncBaseTransport | None,
        base_url: str,
        limits: Limits,
        proxy: str | None,
        ca_file: Path | None,
    ) -> None:
        self._way = way
        self._base_url = base_url
        self._limits = limits
        self._proxy = proxy
        self._ca_file = ca_file
        self._opening: asyncio.Task[Transport] | None = None

    async def transport(self) -> Transport:
        """Give the open way.

        Who is cancelled while waiting for it does not stop the opening: it is not done twice.

        Raises:
            NoAnswerError: it cannot be opened; the next call tries again.
        """
        if self._opening is None or _has_failed(self._opening):
            self._opening = asyncio.create_task(asyncio.to_thread(self._open))
            # Looked at even when nobody waits any more: asyncio would write a log line otherwise.
            self._opening.add_done_callback(_has_failed)
        return await asyncio.shield(self._opening)

    async def aclose(self) -> None:
        """Close what is open; a later call would open it anew."""
        opening, self._opening = self._opening, None
        if opening is not None:
            await asyncio.wait([opening])
            if not _has_failed(opening):
                await opening.result().aclose()

    def _open(self) -> Transport:
        # Here, not above: the start of the program must not wait for it.
        _import_httpx()
        from pettui.client.http.transport import open_transport  # noqa: PLC0415

        return open_transport(self._way, self._base_url, self._limits, self._proxy, self._ca_file)


def _import_httpx() -> None:
    """Import httpx without its command line, which would bring click, pygments and more along.

    It does without where click is not installed, and takes twice the time where it is.
    """
    _mark_missing("sniffio")
    if "httpx" in sys.modules or "click" in sys.modules:
        return
    # Python's own way to say that a module is not there.
    sys.modules["click"] = None  # type: ignore[assignment]
    try:
        import httpx  # noqa: F401, PLC0415
    finally:
        del sys.modules["click"]


def _mark_missing(module: str) -> None:
    """Note once that a module is not installed.

    httpcore tries to import sniffio at each lock that it takes; where that is missing, to search
    all of the path each time is a quarter of what a request costs.
    """
    if module not in sys.modules and find_spec(module) is None:
        sys.modules[module] = None  # type: ignore[assignment]


def _has_failed(task: asyncio.Task[Transport]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
