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


SEARCH = """
import sys
from importlib.abc import MetaPathFinder

class Finder(MetaPathFinder):
    searched = []

    def find_spec(self, name, path, target=None):
        self.searched.append(name)

sys.meta_path.insert(0, Finder())
"""
COUNT = """
print(Finder.searched.count("sniffio"))
"""


def output_of(program: str) -> list[str]:
    environment = unmeasured(os.environ)
    finished = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        env=environment,
        text=True,
        timeout=60,
        check=True,
    )
    return finished.stdout.split()


def test_httpx_comes_without_its_command_line_which_can_be_imported_later_all_the_same() -> None:
    """httpx imports click where it is installed, and does without where it is not."""
    assert output_of(CALL) == ["True", "False", "False"]


def test_what_httpx_does_without_is_searched_for_once_and_not_at_each_request() -> None:
    calls = "await asyncio.gather(*(client.list_pets() for _ in range(5)))"
    program = SEARCH + CALL.replace("await client.list_pets()", calls) + COUNT
    assert output_of(program)[-1] == "1"
