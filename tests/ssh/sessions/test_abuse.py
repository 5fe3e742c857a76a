"""What malicious clients cost the server, while other users are served."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.ssh_abuser import KINDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.ssh.conftest import Running, Serve

pytestmark = pytest.mark.exhaustive

BYTES_MAXIMUM = 20_000_000  # for four of them; the app of each is some 2 MB
KINDS_AT_ONCE = [KINDS[first : first + 4] for first in range(0, len(KINDS), 4)]


def memory() -> int:
    """Return the bytes of memory that this process shares with no other."""
    rollup = Path("/proc/self/smaps_rollup").read_text()
    found = re.search(r"^Private_Dirty:\s+(\d+)", rollup, re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


@asynccontextmanager
async def abuser(running: Running, kind: str) -> AsyncIterator[asyncio.StreamReader]:
    """Start an abusive client of a kind; yield its standard output."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.ssh_abuser", str(running.port), kind,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert await process.stdout.readline() == b"in\n"
    yield process.stdout
    process.kill()
    await process.communicate()


@pytest.mark.parametrize("kinds", KINDS_AT_ONCE, ids=", ".join)
async def test_abuse_costs_bounded_memory_and_other_users_are_served(
    serve: Serve, kinds: tuple[str, ...]
) -> None:
    async with serve() as running, running.session() as other, AsyncExitStack() as abuse:
        before = memory()
        said = [await abuse.enter_async_context(abuser(running, kind)) for kind in kinds]
        for row in (59, 58, 57):
            other.press("j")
            await other.wait_for(f"▌    {row}")
        for lines in said:
            assert await lines.readline() == b"enough\n"
        other.press("k")
        await other.wait_for("▌    58")
        assert memory() - before < BYTES_MAXIMUM
        assert not running.bugs
