"""API keys of the installed pettui: what it leaves of them on disks, on terminals and in memory."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.commands.shop_service import Shop
from tests.client.hostile.server import http
from tests.peers.terminal import ENTER

if TYPE_CHECKING:
    from tests.peers.conftest import Start
    from tests.peers.hostile_services import Services

TYPED = "Zq9-key-that-is-typed"
KEYS = {"north": "the-key-of-the-north", "south": "the-key-of-the-south"}


def test_the_key_is_asked_for_masked_and_kept_nowhere(
    start: Start, services: Services, home: Path
) -> None:
    server = services.open(http(200, '[{"id": 1, "name": "Rex", "categoryId": 3}]'))
    terminal = start("--base-url", server.base_url)
    terminal.press(TYPED)  # before the first frame
    terminal.wait_for("No API key", "PETTUI_API_KEY", "\u2022" * len(TYPED))
    assert server.seen == []
    terminal.press(ENTER)
    terminal.wait_for("Rex")
    assert server.seen[0].header("authorization") == [f"Bearer {TYPED}"]
    terminal.quit()
    frames = terminal.written.partition(b"\x1b[")[2]  # before it the terminal itself echoes
    assert TYPED.encode() not in frames
    kept = [path for path in home.rglob("*") if path.is_file()]
    assert not [path for path in kept if TYPED.encode() in path.read_bytes()]


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
def test_of_the_profile_that_another_one_took_the_place_of_nothing_is_left(
    start: Start, home: Path, services: Services
) -> None:
    """The same terminal and process; the other's header and animals; one key in memory."""
    lines = ['profile = "north"']
    shops = {name: Shop(services) for name in KEYS}
    for name, shop in shops.items():
        shop.pets.append({"id": 1, "name": f"Rex of the {name}", "categoryId": 3})
        (home / name).touch(mode=0o600)
        (home / name).write_text(KEYS[name])
        lines.append(f'[profiles.{name}]\nbase_url = "{shop.base_url}"\napi_key_file = "{name}"')
    (home / "config.toml").write_text("\n".join(lines))
    terminal = start("--config", str(home / "config.toml"))
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
    terminal.quit()


def test_what_is_typed_while_another_profile_opens_does_not_stand_in_the_terminal(
    start: Start, home: Path, services: Services
) -> None:
    shop = Shop(services)
    profiles = (
        f'[profiles.north]\nbase_url = "{shop.base_url}"\napi_key_env = "NORTH_KEY"\n'
        f'[profiles.south]\nbase_url = "{shop.base_url}"\napi_key_env = "SOUTH_KEY"\n'
    )
    (home / "config.toml").write_text(f'profile = "north"\n{profiles}')
    terminal = start("--config", str(home / "config.toml"), NORTH_KEY="the-key-of-the-north")
    terminal.wait_for("NORTH", "No animals")
    terminal.press("p")
    terminal.wait_for("SOUTH")
    terminal.press("j", "j")
    terminal.forget()
    terminal.press(ENTER)
    terminal.wait_until(lambda: b"\x1b[?1049l" in terminal.written, "the first one ends")
    terminal.press(TYPED)
    terminal.wait_for("SOUTH", "No API key")
    terminal.kill(signal.SIGHUP)
    terminal.wait_for_end()
    terminal.assert_input_restored()
    assert TYPED.encode() not in terminal.written
