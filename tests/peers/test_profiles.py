"""Another profile is opened in place of this one, by the installed program in a real terminal."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import PROGRAM
from tests.cli.one_shot.shop_service import open_shop
from tests.peers.hostile_services import Services
from tests.peers.terminal import ENTER, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEYS = {"north": "the-key-of-the-north", "south": "the-key-of-the-south"}


@pytest.fixture
def services() -> Iterator[Services]:
    opened = Services()
    yield opened
    opened.close()


def profiles(home: Path, addresses: Mapping[str, str]) -> str:
    """Write two profiles with their keys, and return the file's path."""
    lines = ['profile = "north"']
    for name, address in addresses.items():
        (home / name).write_text(KEYS[name])
        (home / name).chmod(0o600)
        lines.append(f'[profiles.{name}]\nbase_url = "{address}"\napi_key_file = "{name}"')
    path = home / "config.toml"
    path.write_text("\n".join(lines))
    return str(path)


def memory_of(pid: int) -> bytes:
    """Return what a process has in its heaps and stacks (proc(5))."""
    found = []
    with Path(f"/proc/{pid}/mem").open("rb") as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, permissions, *_ = line.split()
            if permissions.startswith("rw") and "[v" not in line:  # those of the kernel
                start, end = (int(address, 16) for address in span.split("-"))
                memory.seek(start)
                with suppress(OSError):  # it is gone meanwhile
                    found.append(memory.read(end - start))
    return b"".join(found)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no /proc here")
def test_the_other_profile_is_opened_and_nothing_of_the_first_one_is_left(
    environment: Mapping[str, str], home: Path, services: Services
) -> None:
    """The same terminal and process; the other's header, animals and outbox; one key in memory."""
    shops = {name: open_shop(services) for name in KEYS}
    for name, shop in shops.items():
        shop.pets.append({"id": 1, "name": f"Rex of the {name}", "categoryId": 3})
    config = profiles(home, {name: shop.base_url for name, shop in shops.items()})
    terminal = Terminal([PROGRAM, "--config", config], environment)
    try:
        terminal.wait_for("NORTH", "Rex of the north")
        pid = terminal.process.pid
        terminal.press("p")
        terminal.wait_for("SOUTH")
        terminal.press("j", "j", ENTER)
        terminal.wait_for("SOUTH", "Rex of the south")
        assert "north" not in terminal.text.lower()
        assert terminal.process.pid == pid
        memory = memory_of(pid)
        assert KEYS["south"].encode() in memory
        assert KEYS["north"].encode() not in memory
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        assert all(key.encode() not in command for key in KEYS.values())
        asked = shops["south"].server.seen[-1].header("authorization")
        assert asked == [f"Bearer {KEYS['south']}"]
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        terminal.assert_restored()
    finally:
        terminal.close()
    assert os.WIFEXITED(terminal.process.status)
