"""The way to a service is opened at the first call, and brings along no more than it needs."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import unmeasured

CALL = """
import asyncio, sys
from pettui.client import PetClient, PetClientError

async def call():
    client = PetClient("http://127.0.0.1:9/v1", "key-of-the-tests")
    try:
        await client.list_pets()
    except PetClientError:
        pass
    await client.aclose()

asyncio.run(call())
print("httpx" in sys.modules, "click" in sys.modules, "pygments" in sys.modules)
import click
"""


def test_httpx_comes_without_its_command_line_which_can_be_imported_later_all_the_same() -> None:
    """httpx imports click where it is installed, and does without where it is not."""
    environment = unmeasured(os.environ)
    finished = subprocess.run(
        [sys.executable, "-c", CALL],
        capture_output=True,
        env=environment,
        text=True,
        timeout=60,
        check=True,
    )
    assert finished.stdout.split() == ["True", "False", "False"]
