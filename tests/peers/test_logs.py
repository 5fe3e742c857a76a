"""The documented filter for fail2ban finds who was refused, in the logs of both servers."""

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

from pettui.service.keys import add_key, replace_key
from tests.cli.conftest import needs
from tests.peers.ssh_server import SshServer, write_key
from tests.service.running_service import KEY, running_service

if TYPE_CHECKING:
    from collections.abc import Callable


DOCUMENT = Path(__file__).parents[2] / "docs" / "logs.md"
FILTER = DOCUMENT.with_name("deploy") / "fail2ban-filter.conf"
CLIENT = "203.0.113.9"


def banned(log: Path, directory: Path) -> list[str]:
    """Return the addresses that fail2ban finds, as documented; in a file and a journal alike."""
    program = needs("fail2ban-regex", "fail2ban")
    [documented] = re.findall(r"\$ fail2ban-regex (.*)", DOCUMENT.read_text())
    filter_file, journal = directory / "pettui.conf", directory / "journal"
    filter_file.write_text(FILTER.read_text())
    places = {'"$PWD/pettui.log"': log, "/etc/fail2ban/filter.d/pettui.conf": filter_file}
    assert documented == " ".join(places)
    journal.write_text(
        "".join(f"shop pettui[100]: {line}\n" for line in log.read_text().splitlines())
    )

    def found(*options: str, lines: Path) -> list[str]:
        command = [program, *options, "--out", "ip", lines, filter_file]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        return ended.stdout.split()

    in_file = found(lines=log)
    assert found("--datepattern", "{NONE}", lines=journal) == in_file
    return in_file


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
    assert banned(service.log, tmp_path) == [CLIENT]


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
    assert banned(service.log, tmp_path) == [CLIENT]


def test_an_unknown_key_over_ssh_is_found_by_its_clients_address(
    serve_ssh: Callable[..., SshServer], home: Path, tmp_path: Path
) -> None:
    keys = home / "authorized_keys"
    write_key(home / "known").write_public_key(keys)
    write_key(home / "stranger")
    server = serve_ssh("--profile=embedded", "--workers=1", f"--authorized-keys={keys}")
    finished = server.run("-i", str(home / "stranger"), "-o", "IdentitiesOnly=yes", "-l", "röot")
    assert "Permission denied (publickey)" in finished.stderr
    assert server.wait_for_event("login refused")["user"] == "röot"
    assert server.stop() == 0
    (tmp_path / "log").write_text(server.log)
    assert banned(tmp_path / "log", tmp_path) == ["127.0.0.1"]


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
    client = needs("fail2ban-client", "fail2ban")
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
