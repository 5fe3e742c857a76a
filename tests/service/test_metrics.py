"""What Prometheus is told of the service: on a second address, without anything from outside."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import TYPE_CHECKING

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from pettui.service.metrics import operation_of
from tests.service.running_service import running_service

if TYPE_CHECKING:
    from pathlib import Path


def values(text: str) -> dict[tuple[str, ...], float]:
    """Return each value by its name and its labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_are_counted_by_operation_and_status(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with (
        running_service(tmp_path, samples=3, metrics=["127.0.0.1", port]) as service,
        httpx.Client(base_url=service.base_url, trust_env=False) as client,
    ):
        for _ in range(2):
            client.get("/pets", headers=service.authorization)
        client.get("/pets/2", headers=service.authorization)
        client.post("/pets", headers=service.authorization, json={"name": "Rex"})
        client.get("/pets", headers={"Authorization": "Bearer somebody-elses-key"})
        client.put("/secret-path", headers=service.authorization)
        text = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
    found = values(text)
    assert found["pettui_requests_total", "listPets", "200"] == 2
    assert found["pettui_requests_total", "getPet", "200"] == 1
    assert found["pettui_requests_total", "createPet", "400"] == 1
    assert found["pettui_requests_total", "listPets", "401"] == 1
    assert found["pettui_requests_total", "other", "404"] == 1
    assert found["pettui_refused_keys_total",] == 1
    assert found["pettui_request_seconds_count", "listPets"] == 3
    assert found["pettui_store_usable",] == 1
    assert found["pettui_connections",] == 1
    assert found["process_open_fds",] > 0
    assert "secret" not in text.lower()


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    [
        ("HEAD", "/v1/pets", "listPets"),
        ("GET", "/v1/pets/some-text", "getPet"),
        ("GET", "/healthz", "health"),
        ("PUT", "/v1/pets", "other"),
        ("GET", "/v1/pets-of-mine", "other"),
    ],
)
def test_an_operation_is_one_of_few(method: str, path: str, operation: str) -> None:
    assert operation_of(method, path) == operation
