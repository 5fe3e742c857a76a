"""What ``pettui ssh`` says of itself to a balancer, and to who is called at night."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import httpx
import psycopg
import pytest

from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.peers.ssh_shop import Shop
from tests.ports import reserved_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.service.private_postgres import PrivatePostgres


class WatchedShop(Shop):
    """A shop with metrics."""

    def __init__(self, home: Path, environment: Mapping[str, str], running: ExitStack) -> None:
        super().__init__(home, environment, running)
        self._metrics = running.enter_context(reserved_port())

    def watched(self, **environment: str) -> SshServer:
        metrics = f"--metrics=127.0.0.1:{self._metrics}"
        return self.serve(metrics, workers=2, environment=environment)

    def get(self, path: str) -> httpx.Response:
        address = f"http://127.0.0.1:{self._metrics}{path}"
        return httpx.get(address, trust_env=False, timeout=60)

    def wait_for(self, code: int = 200, **expected: Any) -> None:
        """Wait until ``/healthz`` says this."""

        def is_so() -> bool:
            response = self.get("/healthz")
            return (response.status_code, response.json()) == (code, expected)

        wait_until(is_so, f"{expected}")


@pytest.fixture
def shop(home: Path, environment: Mapping[str, str]) -> Iterator[WatchedShop]:
    need_ssh()
    with ExitStack() as running:
        yield WatchedShop(home, environment, running)


def test_a_service_that_is_away_is_said_and_keeps_nobody_from_logging_in(shop: WatchedShop) -> None:
    server = shop.watched()
    shop.wait_for(status="ok", service="ok", state="ok")
    shop.service.stop()
    shop.wait_for(status="ok", service="unreachable", state="ok")
    text = shop.get("/metrics").text
    assert "pettui_ssh_service_up 0.0\n" in text
    assert 'pettui_ssh_service_away{reason="unreachable"} 1.0\n' in text
    assert "pettui_ssh_state_up 1.0\n" in text
    assert "pettui_ssh_animals_waiting 0.0\n" in text
    assert "pettui_ssh_healthy 1.0\n" in text
    for worker in ("0", "1"):
        assert f'pettui_ssh_worker_cpu_seconds_total{{worker="{worker}"}}' in text
    assert server.stop() == 0


def test_why_the_database_of_the_outboxes_refuses_is_said_in_a_word(
    shop: WatchedShop, postgres: PrivatePostgres
) -> None:
    address = postgres.new_database("health")
    server = shop.watched(PETTUI_STATE=address)
    shop.wait_for(status="ok", service="ok", state="ok")
    with psycopg.connect(postgres.address(), autocommit=True) as administrator:
        administrator.execute("ALTER DATABASE health SET default_transaction_read_only = on")
        administrator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'health'"
        )
        shop.wait_for(status="ok", service="ok", state="read-only")
        server.wait_for_event("state away")
        assert 'pettui_ssh_state_away{reason="read-only"} 1.0\n' in shop.get("/metrics").text
        administrator.execute("ALTER DATABASE health RESET default_transaction_read_only")
    shop.wait_for(status="ok", service="ok", state="ok")
    with postgres.away():
        shop.wait_for(status="ok", service="ok", state="unreachable")
