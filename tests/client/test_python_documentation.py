"""docs/python.md: its programs run, and it names what can be set."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import sys
from pathlib import Path

from pettui.client import PetClient
from tests.client.hostile.checks import KEY
from tests.client.hostile.server import PAGE, REX, HostileServer, http
from tests.client.test_pet_client import linked

TEXT = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


def program(section: str) -> str:
    return TEXT.partition(f"## {section}\n")[2].partition("```python\n")[2].partition("```")[0]


async def run(lines: str, server: HostileServer) -> str:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", lines,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env={
            **os.environ, "PETTUI_BASE_URL": server.base_url, "PETTUI_API_KEY": KEY,
            "GATEWAY_TOKEN": "token",
        },
    )  # fmt: skip
    written, _ = await process.communicate()
    assert process.returncode == 0, written.decode()
    return written.decode()


async def test_the_first_lines_add_and_list_and_say_what_failed(server: HostileServer) -> None:
    server.turn_to(http(201, REX), linked(9, 8, then="?b"), http(403, "no"))
    lines = TEXT.partition("```python\n")[2].partition("```")[0]
    assert len(list(filter(None, lines.splitlines()))) <= 20
    first, *others, last = (await run(lines, server)).splitlines()
    assert first == "added 7"
    assert [line.split("\t")[:2] for line in others] == [["9", "Rex"], ["8", "Rex"]]
    assert last.startswith("failed: 403 from the service")
    assert server.targets[1] == "/v1/pets?limit=100&status=sold"


async def test_the_script_uses_one_client_in_several_event_loops(server: HostileServer) -> None:
    server.turn_to(http(200, PAGE))
    assert await run(program("In a script"), server) == "available 1\nsold 1\n"
    assert [request.header("x-gateway-token") for request in server.seen] == [["token"]] * 2
    assert server.connections == 2


async def test_the_test_of_the_documentation_passes(server: HostileServer) -> None:
    assert await run(program("In tests"), server) == ""
    assert server.seen == []


def test_every_parameter_of_the_client_and_its_calls_is_named() -> None:
    table = TEXT.partition("## Parameters\n")[2].partition("\n- ")[0]
    named = {
        name
        for row in table.splitlines()
        for name in re.findall(r"`(\w+)`", row[: row.find("|", 2)])
    }
    calls = [
        method for name, method in vars(PetClient).items()
        if name == "__init__" or (name[0] != "_" and inspect.isfunction(method))
    ]  # fmt: skip
    parameters = {name for call in calls for name in inspect.signature(call).parameters} - {"self"}
    assert parameters == named - {"PetClient"}
