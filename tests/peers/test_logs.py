"""The documented filter for fail2ban finds who was refused, in the logs of both servers.

fail2ban replaces <ADDR> by an address, and takes the time that datepattern matches out of a line
before it looks for failregex.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.service.keys import add_key, replace_key
from tests.peers.ssh_server import write_key
from tests.service.running_service import KEY, running_service

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.peers.ssh_server import SshServer

DOCUMENT = Path(__file__).parents[2] / "docs" / "logs.md"
FILTER = DOCUMENT.with_name("deploy") / "fail2ban-filter.conf"
CLIENT = "203.0.113.9"
TIME = re.compile(r'\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00"')


def banned(log: str) -> list[str]:
    """Return the addresses that the documented filter finds, in a file and in a journal alike."""
    [rules] = re.findall(r"failregex = (.*?)\nignoreregex", FILTER.read_text(), re.DOTALL)
    address = r"(?P<address>[0-9A-Fa-f:.]+)"
    patterns = [re.compile(rule.strip().replace("<ADDR>", address)) for rule in rules.split("\n")]
    assert len(patterns) == 3
    lines = log.splitlines()
    assert all(TIME.match(line) for line in lines), lines

    def found(lines: list[str]) -> list[str]:
        matches = [
            next(filter(None, (each.search(line) for each in patterns)), None) for line in lines
        ]
        return [match["address"] for match in matches if match]

    in_file = found([TIME.sub("", line) for line in lines])
    assert found([f"shop pettui[100]: {line}" for line in lines]) == in_file  # in the journal
    return in_file


def found_by_fail2ban(log: Path, directory: Path) -> list[str]:
    """Return the addresses that fail2ban-regex itself finds, run as documented."""
    program = shutil.which("fail2ban-regex")
    if program is None:
        missing = "no fail2ban-regex here (apt package fail2ban)"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    [documented] = re.findall(r"\$ fail2ban-regex (.*)", DOCUMENT.read_text())
    filter_file = directory / "pettui.conf"
    filter_file.write_text(FILTER.read_text())
    places = {'"$PWD/pettui.log"': log, "/etc/fail2ban/filter.d/pettui.conf": filter_file}
    assert documented == " ".join(places)
    command = [program, "--out", "ip", *map(str, places.values())]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return ended.stdout.split()


def test_a_guess_is_found_by_fail2ban_and_an_expired_or_replaced_key_is_not(
    tmp_path: Path,
) -> None:
    keys = tmp_path / "keys"
    good = add_key(keys, "till-1")
    expired = add_key(keys, "till-2", expires=date(2001, 1, 31))
    stale = add_key(keys, "ssh")
    replace_key(keys, "ssh")
    clients = {
        good: "203.0.113.1", expired: "203.0.113.2", stale: "203.0.113.3", "wrong-key": CLIENT,
    }  # fmt: skip
    with running_service(tmp_path, key_file=str(keys), trusted_proxies=["127.0.0.0/8"]) as service:
        for key, address in clients.items():
            with service.client(key) as client:
                client.get("/pets", headers={"X-Forwarded-For": address})
        assert service.stop() == 0
    assert [line["status"] for line in service.lines()] == [200, 401, 401, 401]
    assert service.lines()[2]["key"] == "ssh.former"
    assert banned(service.log.read_text()) == [CLIENT]
    assert found_by_fail2ban(service.log, tmp_path) == [CLIENT]


def test_a_wrong_key_for_the_service_is_found_by_its_clients_address(tmp_path: Path) -> None:
    with running_service(tmp_path, trusted_proxies=["127.0.0.0/8"]) as service:
        for key, forwarded in ((KEY, CLIENT), ("wrong-key", f"198.51.100.1, {CLIENT}")):
            with service.client(key) as client:
                client.get("/pets", headers={"X-Forwarded-For": forwarded})
        strange = service.base_url.replace("/v1", "/%1b%5b2J%0a/")
        httpx.get(strange, trust_env=False)
        assert service.stop() == 0
    assert [line["address"] for line in service.lines()] == [CLIENT, CLIENT, "127.0.0.1"]
    assert service.lines()[2]["path"] == "other"
    assert banned(service.log.read_text()) == [CLIENT]


def test_an_unknown_key_over_ssh_is_found_by_its_clients_address(
    serve_ssh: Callable[..., SshServer], home: Path
) -> None:
    keys = home / "authorized_keys"
    write_key(home / "known").write_public_key(keys)
    write_key(home / "stranger")
    server = serve_ssh("--profile=embedded", "--workers=1", f"--authorized-keys={keys}")
    finished = server.run("-i", str(home / "stranger"), "-o", "IdentitiesOnly=yes", "-l", "röot")
    assert "Permission denied (publickey)" in finished.stderr
    assert server.wait_for_event("login refused")["user"] == "röot"
    assert server.stop() == 0
    assert banned(server.log) == ["127.0.0.1"]


def test_each_line_about_the_file_of_keys_is_json(
    serve_ssh: Callable[..., SshServer], home: Path
) -> None:
    keys = home / "authorized_keys"
    write_key(home / "known").write_public_key(keys)
    keys.write_text(f"{keys.read_text()}junk\n")
    keys.chmod(0o600)
    server = serve_ssh("--profile=embedded", "--workers=1", f"--authorized-keys={keys}")
    os.kill(server.process.pid, signal.SIGHUP)
    server.wait_for_event("read again")
    assert server.stop() == 0
    assert all(line.startswith("{") for line in server.log.splitlines()), server.log
    at_start, again = server.events("warning")
    assert at_start["reason"].startswith("line 2 of the authorized keys is ignored")
    assert again["reason"] == at_start["reason"]


def test_the_documented_jail_is_one_that_fail2ban_reads(tmp_path: Path) -> None:
    client = shutil.which("fail2ban-client")
    if client is None:
        pytest.skip("no fail2ban-client here (apt package fail2ban)")
    configuration = tmp_path / "fail2ban"
    shutil.copytree("/etc/fail2ban", configuration)
    for path in (configuration / "jail.d").iterdir():
        path.unlink()  # those of this machine
    for kind in ("filter", "jail"):
        source = FILTER.with_name(f"fail2ban-{kind}.conf")
        (configuration / f"{kind}.d" / "pettui.conf").write_text(source.read_text())
    read = subprocess.run(
        [client, "-c", configuration, "--dp"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert "['add', 'pettui', 'systemd']" in read.stdout
    assert "['set', 'pettui', 'addignoreip', '127.0.0.0/8', '::1']" in read.stdout
