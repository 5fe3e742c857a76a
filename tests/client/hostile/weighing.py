"""Run as a program: how much memory one call takes beyond a usual one, in bytes.

``python weighing.py BASE_URL`` asks twice: the first answer is a usual one, the second is not.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from pathlib import Path

from pettui.client import PetClient, PetClientError
from pettui.settings import Limits


def most_memory() -> int:
    """Give the most memory that this process has held so far, in bytes."""
    if sys.platform == "linux":  # where ru_maxrss begins with what the parent held
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def weigh(base_url: str) -> tuple[int, str]:
    """Give what the second call took, and how it ended."""
    client = PetClient(base_url, "sesame-open-4711", limits=Limits(tries=0, deadline=10))
    await client.list_pets()
    before = most_memory()
    try:
        page = await client.list_pets()
        end = f"{len(page.pets)} animals"
    except PetClientError as error:
        end = str(error)
    finally:
        await client.aclose()
    return most_memory() - before, end


if __name__ == "__main__":
    taken, end = asyncio.run(weigh(sys.argv[1]))
    sys.stdout.write(f"{taken} {end[:200]}\n")
