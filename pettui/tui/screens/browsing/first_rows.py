"""FirstRows: keys that act on the animals of a list wait for its first response."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final, Self

from pettui.settings import StoreKind

# Seconds from the first key that waits: a slow service holds up no others, while that of this
# process is only slow where many start at once, and it fails by itself.
_LONGEST: Final = 2.0
_LONGEST_HERE: Final = 10.0
_ON_ROWS: Final = frozenset(
    {"open", "mark", "next_mark", "copy_id", "copy_json", "move", "move_page", "top", "end"}
)


class FirstRows:
    """Whether there was a response yet, or a failure; afterwards no key waits."""

    def __init__(self, longest: float) -> None:
        """Start without rows; keys wait so many seconds at most."""
        self._longest = longest
        self._came = asyncio.Event()

    def came(self) -> None:
        """Let keys act: animals are shown, or none can be for now."""
        self._came.set()

    @classmethod
    def of(cls, kind: StoreKind) -> Self:
        """Return the first rows of a store."""
        return cls(_LONGEST if kind is StoreKind.SERVICE else _LONGEST_HERE)

    @property
    def have_come(self) -> bool:
        """Whether keys act at once."""
        return self._came.is_set()

    async def wait(self) -> None:
        """Wait for the first rows, but never for long, and only once."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._longest):
                await self._came.wait()
        self._came.set()


def is_on_rows(action: str) -> bool:
    """Whether an action with its arguments, such as ``move(1)``, does nothing without animals."""
    return action.partition("(")[0] in _ON_ROWS
