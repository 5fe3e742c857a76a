"""What ``pettui ssh`` says of itself to a balancer, and to who is called at night."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import httpx
import psycopg
import pytest

from tests.peers.ssh_server import SshServer, need_ssh, wait_until, write_key
from tests.ports import reserved_port
from tests.service.running_service import KEY, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.service.private_postgres import PrivatePostgres
    from tests.service.running_service import RunningService


class Shop:
    """A profile that is served over SSH with metrics, and its service."""

    def __init__(self, home: Path, environment: Mapping[str, str], running: ExitStack) -> None:
        self.home = home
        configuration = str(home / "config.toml")
        self.environment = {**environment, "PETTUI_CONFIG": configuration, "SHOP_KEY": KEY}
        self._running = running
        self._port = running.enter_context(reserved_port())
        self.service: RunningService = running.enter_context(running_service(home))
        (home / "config.toml").write_text(
            f'[profiles.shop]\nbase_url = "{self.service.base_url}"\napi_key_env = "SHOP_KEY"\n'
        )
        self.key = home / "anna"
        write_key(self.key, "anna@till").write_public_key(home / "authorized_keys")

    def serve(self, **more: str) -> SshServer:
        keys = f"--authorized-keys={self.home / 'authorized_keys'}"
        words = ("--profile=shop", "--workers=2", keys, f"--metrics=127.0.0.1:{self._port}")
        server = SshServer(self.home, {**self.environment, **more}, *words)
        self._running.callback(server.stop)
        return server

    def said(self, path: str) -> httpx.Response:
        address = f"http://127.0.0.1:{self._port}{path}"
        return httpx.get(address, trust_env=False, timeout=60)

    def wait_for(self, code: int = 200, **said: Any) -> None:
        """Wait until ``/healthz`` says this."""

        def is_so() -> bool:
            response = self.said("/healthz")
            return (response.status_code, response.json()) == (code, said)

        wait_until(is_so, f"{said}")


@pytest.fixture
def shop(home: Path, environment: Mapping[str, str]) -> Iterator[Shop]:
    need_ssh()
    with ExitStack() as running:
        yield Shop(home, environment, running)


def test_a_service_that_is_away_is_said_and_keeps_nobody_from_logging_in(shop: Shop) -> None:
    server = shop.serve()
    shop.wait_for(status="ok", service="ok", state="ok")
    shop.service.stop()
    shop.wait_for(status="ok", service="unreachable", state="ok")
    text = shop.said("/metrics").text
    assert "pettui_ssh_service_up 0.0\n" in text
    assert 'pettui_ssh_service_away{reason="unreachable"} 1.0\n' in text
    assert "pettui_ssh_state_up 1.0\n" in text
    assert "pettui_ssh_animals_waiting 0.0\n" in text
    assert "pettui_ssh_healthy 1.0\n" in text
    for worker in ("0", "1"):
        assert f'pettui_ssh_worker_cpu_seconds_total{{worker="{worker}"}}' in text
    assert server.stop() == 0


def test_a_server_that_ends_is_503_while_its_clients_read_the_last_lines(shop: Shop) -> None:
    server = shop.serve()
    terminal = server.terminal(key=shop.key)
    terminal.wait_for("SHOP", "anna@till")
    terminal.kill(signal.SIGSTOP)  # it reads nothing, for which the server waits a moment
    try:
        server.process.send_signal(signal.SIGTERM)
        server.wait_for_event("stopping")
        response = shop.said("/healthz")
        assert (response.status_code, response.json()["status"]) == (503, "draining")
    finally:
        terminal.kill(signal.SIGCONT)


def test_why_the_database_of_the_outboxes_refuses_is_said_in_a_word(
    shop: Shop, postgres: PrivatePostgres
) -> None:
    address = postgres.new_database("health")
    server = shop.serve(PETTUI_STATE=address)
    shop.wait_for(status="ok", service="ok", state="ok")
    with psycopg.connect(postgres.address(), autocommit=True) as administrator:
        administrator.execute("ALTER DATABASE health SET default_transaction_read_only = on")
        administrator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'health'"
        )
        shop.wait_for(status="ok", service="ok", state="read-only")
        server.wait_for_event("state away")
        assert 'pettui_ssh_state_away{reason="read-only"} 1.0\n' in shop.said("/metrics").text
        administrator.execute("ALTER DATABASE health RESET default_transaction_read_only")
    shop.wait_for(status="ok", service="ok", state="ok")
    with postgres.away():
        shop.wait_for(status="ok", service="ok", state="unreachable")
