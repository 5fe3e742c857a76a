"""The logs of ``pettui serve`` and ``pettui ssh`` as a service manager captures them.

The filter for fail2ban is the one of docs/logs.md; fail2ban replaces <ADDR> by an address, and
takes the time that datepattern matches out of a line before it looks for failregex.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.peers.ssh_server import PROGRAM, SshServer, need_ssh, wait_until
from tests.peers.terminal import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DOCUMENT = Path(__file__).parents[2] / "docs" / "logs.md"
KEY = "till-9-0123456789"
CLIENT = "203.0.113.9"
TIME = re.compile(r'\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00"')


def events_of(log: str) -> list[dict[str, Any]]:
    """Return the events of a log, of which every line is JSON with a time."""
    if shutil.which("jq"):
        subprocess.run(["jq", "-e", ".time"], input=log, text=True, check=True, capture_output=True)
    lines = log.splitlines()
    assert all(TIME.match(line) for line in lines), lines
    return [json.loads(line) for line in lines]


def banned(log: str) -> list[str]:
    """Return the addresses that the documented filter for fail2ban finds."""
    [rules] = re.findall(r"failregex = (.*?)\nignoreregex", DOCUMENT.read_text(), re.DOTALL)
    address = r"(?P<address>[0-9A-Fa-f:.]+)"
    patterns = [re.compile(rule.strip().replace("<ADDR>", address)) for rule in rules.split("\n")]
    assert len(patterns) == 3
    undated = [TIME.sub("", line) for line in log.splitlines()]
    found = [next(filter(None, (each.search(line) for each in patterns)), None) for line in undated]
    return [match["address"] for match in found if match]


@contextmanager
def serving(home: Path, environment: Mapping[str, str], *words: str) -> Iterator[tuple[Path, str]]:
    """Run ``pettui serve``, with both streams into one file, until the end of the block."""
    path = home / "serve.log"
    with path.open("wb") as log:
        process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", *words],
            env={**environment, "PETTUI_SERVICE_KEYS": KEY},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        wait_until(lambda: "serving http" in path.read_text(), "the service")
        found = re.search(r"serving (\S+)", path.read_text())
        assert found is not None
        yield path, found[1]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()


def test_the_log_of_the_service_says_who_added_what_and_whom_to_ban(
    home: Path, environment: Mapping[str, str]
) -> None:
    added = subprocess.run(
        [PROGRAM, "key", "add", "till-1"],
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    key = added.stdout.strip()

    def headers(bearer: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {bearer}", "X-Forwarded-For": f"198.51.100.1, {CLIENT}"}

    with (
        serving(home, environment, "--trusted-proxies", "127.0.0.0/8") as (path, address),
        httpx.Client(trust_env=False, timeout=60) as client,
    ):
        pet = client.post(
            f"{address}/pets", json={"name": "Rex", "categoryId": 1}, headers=headers(key)
        ).json()
        client.get(f"{address}/pets", headers=headers(KEY))
        client.get(f"{address}/pets", headers=headers("wrong-key"))
        outside = address.removesuffix("/v1")
        client.get(
            f"{outside}/%1b%5b2J%0a/{key}?api_key={key}", headers={"X-Forwarded-For": "no address"}
        )
    log = path.read_text()
    assert not {key, KEY, "wrong-key", "\x1b", "\x7f"} & {*re.findall(r"[\w-]+|.", log)}
    start, *others = events_of(log)
    assert start["message"] == f"serving {address} until ctrl+c"
    post, listed, refused, strange = [each for each in others if each["event"] == "request"]
    what = ("address", "proxy", "key", "method", "path", "status", "id")
    assert [post[each] for each in what] == [
        CLIENT, "127.0.0.1", "till-1", "POST", "/v1/pets", 201, pet["id"],
    ]  # fmt: skip
    assert (listed["key"], listed["status"]) == ("PETTUI_SERVICE_KEYS#1", 200)
    assert (refused["key"], refused["status"]) == (None, 401)
    assert (strange["address"], strange["path"]) == ("127.0.0.1", "/\x1b[2J\n/***")
    assert banned(log) == [CLIENT]


def test_a_log_on_a_full_disk_costs_the_service_no_response(
    home: Path, environment: Mapping[str, str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [PROGRAM, "serve", "--port", str(port)]
    keys = {**environment, "PETTUI_SERVICE_KEYS": KEY}
    full = Path("/dev/full").open("wb")  # noqa: SIM115 - closed by the next line
    with full, subprocess.Popen(words, env=keys, stdout=full, stderr=full) as service:

        def is_up() -> bool:
            with socket.socket() as client:
                return client.connect_ex(("127.0.0.1", port)) == 0

        try:
            wait_until(is_up, "the service")
            for _ in range(100):
                url, headers = (
                    f"http://127.0.0.1:{port}/v1/pets",
                    {"Authorization": f"Bearer {KEY}"},
                )
                assert (
                    httpx.get(url, headers=headers, trust_env=False, timeout=60).status_code == 200
                )
            service.send_signal(signal.SIGTERM)
            assert service.wait(PATIENCE) == 0
        finally:
            service.kill()


@pytest.fixture
def shop(home: Path, environment: Mapping[str, str]) -> Iterator[SshServer]:
    """``pettui ssh`` for a profile into which nobody of these tests can log in."""
    need_ssh()
    configuration = home / "config.toml"
    configuration.write_text(
        '[profiles.shop]\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "SHOP_KEY"\n'
    )
    known = keygen(home, "known")
    keys = home / "authorized_keys"
    keys.touch(mode=0o600)
    keys.write_text(known.with_suffix(".pub").read_text())
    configured = {**environment, "PETTUI_CONFIG": str(configuration), "SHOP_KEY": KEY}
    words = ("--profile=shop", "--workers=1", f"--authorized-keys={keys}")
    server = SshServer(home, configured, *words)
    yield server
    server.stop()


def keygen(home: Path, name: str) -> Path:
    path = home / f"id_{name}"
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(path)]
    subprocess.run(words, check=True)
    return path


def test_the_log_of_ssh_says_who_was_refused_and_why(shop: SshServer, home: Path) -> None:
    stranger = keygen(home, "stranger")
    finished = shop.run("-i", str(stranger), "-o", "IdentitiesOnly=yes", "-l", "röot")
    assert "Permission denied (publickey)" in finished.stderr
    refused = shop.wait_for_event("login refused")
    assert shop.stop() == 0
    events = events_of(shop.log)
    assert events[0]["event"] == "start"
    assert events[0]["message"].startswith("serving SHOP over SSH")
    shown = subprocess.run(
        ["ssh-keygen", "-lf", str(stranger)], capture_output=True, text=True, check=True
    )
    assert refused["fingerprint"] in shown.stdout
    assert (refused["address"], refused["user"]) == ("127.0.0.1", "röot")
    assert refused["client"].startswith("SSH-2.0-OpenSSH")
    assert refused["reason"] == "unknown key"
    assert banned(shop.log) == ["127.0.0.1"]
    assert KEY not in shop.log
