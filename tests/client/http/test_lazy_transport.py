"""What a client imports: nothing until the first call, and then no more than that needs."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import unmeasured

MAKE = """
import sys
import pettui.client, pettui.client.errors, pettui.client.messages
pettui.client.PetClient("http://127.0.0.1:9/v1", "key-of-the-tests", transport=lambda: None)
heavy = {"httpx", "httpcore", "h11", "pydantic", "starlette", "json", "email"}
print(heavy & set(sys.modules))
"""
CALL = """
import asyncio, sys
from importlib.abc import MetaPathFinder
from pettui.client import PetClient, PetClientError

class Finder(MetaPathFinder):
    searched = []

    def find_spec(self, name, path, target=None):
        self.searched.append(name)

sys.meta_path.insert(0, Finder())

async def call():
    client = PetClient("http://127.0.0.1:9/v1", "key-of-the-tests")
    await asyncio.gather(*(client.list_pets() for _ in range(5)), return_exceptions=True)
    await client.aclose()

asyncio.run(call())
print("httpx" in sys.modules, "click" in sys.modules, "pygments" in sys.modules)
print(Finder.searched.count("sniffio"))
import click
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


def test_making_a_client_imports_neither_httpx_nor_pydantic() -> None:
    assert output_of(MAKE) == ["set()"]


def test_httpx_comes_without_its_command_line_and_what_is_missing_is_searched_for_once() -> None:
    """Otherwise httpx imports click, and httpcore searches for sniffio at each request."""
    assert output_of(CALL) == ["True", "False", "False", "1"]
