"""Who added an animal, from where: docs/logs.md answers it by one command, from the log of a server."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.cli.conftest import needs
from tests.peers.ssh_shop import Shop, add
from tests.peers.terminal import ENTER

if TYPE_CHECKING:
    from tests.peers.ssh_server import SshServer

DOCUMENT = Path(__file__).parents[2] / "docs" / "logs.md"


def asked(server: SshServer, pet_id: int, directory: Path) -> list[dict[str, Any]]:
    """Return what the documented command says of an animal, in the directory of the log."""
    needs("jq")
    [command] = re.findall(r"\$ (jq -cR .*pettui-ssh\.log)", DOCUMENT.read_text())
    assert "1567" in command
    words = "Started pettui-ssh.service - Animal store over SSH.\n"  # as systemd's own lines
    (directory / "pettui-ssh.log").write_text(f"{words}{server.log}")
    command = command.replace("1567", str(pet_id))
    ended = subprocess.run(
        ["bash", "-c", command], cwd=directory, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_one_command_says_who_added_an_animal_and_from_where_whoever_sent_it(
    shop: Shop, tmp_path: Path
) -> None:
    server = shop.serve()
    terminal = server.terminal(user="anna", key=shop.key)
    terminal.wait_for("SHOP", "anna@till")
    add(terminal, "Castor")
    first = server.wait_for_event("animal added")
    shop.service.stop()
    terminal.press("Pollux", ENTER)
    terminal.wait_for("Pollux", "waiting")
    terminal.kill(signal.SIGKILL)
    server.wait_for_event("outbox waits")
    shop.start_service()
    second = server.wait_for_event("animal added", 2)
    assert [each["source"] for each in (first, second)] == ["form", "server"]
    for event in (first, second):
        [answer] = asked(server, event["id"], tmp_path)
        who = ("user", "key", "fingerprint", "address", "session", "profile")
        assert [answer[name] for name in who] == [
            "anna", "anna@till", shop.fingerprint, "127.0.0.1", 1, "shop",
        ]  # fmt: skip
        assert answer["typed"] < answer["time"]
    [begun] = server.events("begin")
    assert (begun["session"], begun["address"]) == (1, "127.0.0.1")
    assert "Castor" not in server.log
    assert "Pollux" not in server.log
