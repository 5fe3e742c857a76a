"""What most tests of the screens begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import Driver, open_app

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """The list of the service's samples, where a file has no other ``driver``."""
    async with open_app() as driver:
        yield driver
