"""What runs out: the log's reader, descriptors, threads. All is well when there is room again."""

from __future__ import annotations

import json
import resource
import socket
import ssl
import subprocess
from contextlib import ExitStack
from pathlib import Path

import httpx

from tests.service.certificates import make_certificate
from tests.service.running_service import AUTHORIZATION, running_service
from tests.stuck_pipe import fill

NEW_PET = {"name": "Rex", "categoryId": 1}


def test_a_log_that_nobody_reads_costs_lines_and_no_answer(tmp_path):
    with running_service(tmp_path, log=subprocess.PIPE) as service:
        filled = fill(service.process.stdout.fileno())
        fill(service.process.stderr.fileno())
        with httpx.Client(headers=AUTHORIZATION, timeout=60) as client:
            for _ in range(300):
                assert client.get(f"{service.base_url}/pets").status_code == 200
        service.process.stdout.read(filled)
        with httpx.Client(headers=AUTHORIZATION, timeout=60) as client:
            assert client.get(f"{service.base_url}/pets").status_code == 200
        lines = [json.loads(service.process.stdout.readline()) for _ in range(301)]
        assert {line["status"] for line in lines} == {200}
        assert service.stop() == 0


def test_with_a_log_that_nobody_reads_it_ends_with_0(tmp_path):
    with running_service(tmp_path, log=subprocess.PIPE) as service:
        fill(service.process.stdout.fileno())
        fill(service.process.stderr.fileno())
        with httpx.Client(headers=AUTHORIZATION, timeout=60) as client:
            assert client.post(f"{service.base_url}/pets", json=NEW_PET).status_code == 201
        assert service.stop() == 0


def test_a_log_whose_reader_is_gone_costs_no_answer(tmp_path):
    with running_service(tmp_path, log=subprocess.PIPE) as service:
        service.process.stdout.close()
        for _ in range(3):
            answer = httpx.get(f"{service.base_url}/pets", headers=AUTHORIZATION)
            assert answer.status_code == 200
        assert service.stop() == 0
        assert service.stderr_text() == ""


def test_without_descriptors_one_line_is_written_and_all_is_well_afterwards(tmp_path):
    with running_service(tmp_path) as service, ExitStack() as held:
        with httpx.Client(headers=AUTHORIZATION, timeout=60) as client:
            client.get(f"{service.base_url}/pets")
            _, hard = resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE)
            used = len(list(Path(f"/proc/{service.process.pid}/fd").iterdir()))
            resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (used, hard))
            for _ in range(200):
                held.enter_context(socket.create_connection(service.address, timeout=60))
            line = service.process.stderr.readline()
            assert line.startswith("pettui: no connection can be accepted: Too many open files")
            resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
        answer = httpx.get(f"{service.base_url}/pets", headers=AUTHORIZATION, timeout=60)
        assert answer.status_code == 200
        assert service.stop() == 0
        assert service.stderr_text() == ""  # no second line in that minute


def resident(service) -> int:
    """Return the memory that a service has, in kB."""
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def test_aborted_handshakes_leave_no_memory_behind(tmp_path):
    certificate, key = make_certificate(tmp_path / "tls")
    options = {"tls_certificate": str(certificate), "tls_key": str(key)}
    context = ssl.create_default_context(cafile=certificate)
    with running_service(tmp_path, **options) as service:

        def abort(count):
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
