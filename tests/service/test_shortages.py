"""A log that nobody reads, no descriptors, no memory: the service recovers afterwards."""

from __future__ import annotations

import resource
import socket
import ssl
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.service.certificates import make_certificate
from tests.service.running_service import AUTHORIZATION, running_service
from tests.stuck_pipe import fill

if TYPE_CHECKING:
    from tests.service.running_service import RunningService


NEW_PET = {"name": "Rex", "categoryId": 1}


def test_with_a_log_that_nobody_reads_it_exits_with_0(tmp_path: Path) -> None:
    with running_service(tmp_path, stdout=subprocess.PIPE) as service:
        fill(service.stdout.fileno())
        fill(service.stderr.fileno())
        with httpx.Client(headers=AUTHORIZATION, timeout=60) as client:
            assert client.post(f"{service.base_url}/pets", json=NEW_PET).status_code == 201
        assert service.stop() == 0


def test_a_log_whose_reader_is_gone_costs_no_response(tmp_path: Path) -> None:
    with running_service(tmp_path, stdout=subprocess.PIPE) as service:
        service.stdout.close()
        for _ in range(3):
            response = httpx.get(f"{service.base_url}/pets", headers=AUTHORIZATION)
            assert response.status_code == 200
        assert service.stop() == 0
        assert service.stderr_text() == ""


def test_without_descriptors_one_line_is_logged_and_it_recovers(tmp_path: Path) -> None:
    with running_service(tmp_path) as service, ExitStack() as held:
        with httpx.Client(headers=AUTHORIZATION, timeout=60) as client:
            client.get(f"{service.base_url}/pets")
            _, hard = resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE)
            used = len(list(Path(f"/proc/{service.process.pid}/fd").iterdir()))
            resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (used, hard))
            for _ in range(200):
                held.enter_context(socket.create_connection(service.address, timeout=60))
            reason = service.event()["reason"]
            assert reason.startswith("no connection can be accepted: Too many open files")
            resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
        response = httpx.get(f"{service.base_url}/pets", headers=AUTHORIZATION, timeout=60)
        assert response.status_code == 200
        assert service.stop() == 0
        assert service.stderr_text() == ""  # no second line within a minute


def resident(service: RunningService) -> int:
    """Return the resident memory of a service, in kB."""
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


@pytest.mark.exhaustive
def test_aborted_handshakes_leave_no_memory_behind(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path / "tls")
    context = ssl.create_default_context(cafile=certificate)
    with running_service(tmp_path, tls_certificate=str(certificate), tls_key=str(key)) as service:

        def abort(count: int) -> None:
            with ExitStack() as held:
                for _ in range(count):
                    connection = socket.create_connection(service.address, timeout=60)
                    held.enter_context(connection).sendall(b"\x16\x03\x01\x02\x00\x01")
            with httpx.Client(verify=context, headers=AUTHORIZATION, timeout=60) as client:
                assert client.get(f"{service.base_url}/pets").status_code == 200

        abort(50)
        before = resident(service)
        for _ in range(6):
            abort(50)
        assert resident(service) - before < 25_000
        assert service.stop() == 0
        assert service.stderr_text() == ""
