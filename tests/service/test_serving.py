"""The service as a process: real sockets, signals and TLS, and errors at the start."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import pytest

from pettui.service.server import (
    ListenError,
    ServeOptions,
    Server,
    certificate_of,
    listen,
    refuse_clear_text,
)
from pettui.system.signals import ServiceSignals
from tests.service.running_service import KEY, RunningService, received, running_service


def test_at_a_signal_it_exits_with_0_and_leaves_one_file(tmp_path: Path) -> None:
    with running_service(tmp_path) as service, service.client() as client:
        response = client.post("/pets", json={"name": "Rex", "categoryId": 1})
        assert response.status_code == 201
        service.check_quiet_end()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["access.log", "pets.db"]


def test_the_log_of_malformed_http_has_the_address_and_nothing_that_was_sent(
    tmp_path: Path,
) -> None:
    with running_service(tmp_path) as service:
        for _ in range(15):
            with service.connection() as connection:
                connection.sendall(b"hello, my key is 123\r\n\r\n")
                assert received(connection).startswith(b"HTTP/1.1 400 ")
        events = [service.event() for _ in range(10)]
        fields = ["event", "level", "address", "reason"]
        assert {tuple(event[name] for name in fields) for event in events} == {
            ("malformed request", "warning", "127.0.0.1", "Invalid HTTP request received.")
        }
        assert service.stop() == 0
        [counted] = service.stderr_text().splitlines()
        assert json.loads(counted)["more"] == 5


def test_the_access_log_has_each_request_but_no_key_and_no_name(tmp_path: Path) -> None:
    with running_service(tmp_path) as service, service.client() as client:
        client.post("/pets", json={"name": "Secretname", "categoryId": 1})
        client.get(f"/pets?limit=1&api_key={KEY}")
        client.get("/pets/1")
        client.get("/pets/Secretname")
        client.get(f"/{KEY}")
        client.get("/pets", headers={"Authorization": f"Bearer wrong-{KEY}"})
        client.request("PROPFIND", "/pets")
        client.request("SECRETNAME", "/pets")  # not HTTP for this service
        assert service.stop() == 0
    text = service.log.read_text()
    assert KEY not in text
    assert "secretname" not in text.lower()
    lines = service.lines()
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("POST", "/v1/pets", 201),
        ("GET", "/v1/pets", 200),
        ("GET", "/v1/pets/1", 200),
        ("GET", "other", 404),
        ("GET", "other", 404),
        ("GET", "/v1/pets", 401),
        ("other", "/v1/pets", 405),
    ]
    assert {line["key"] for line in lines if line["status"] != 401} == {"PETTUI_SERVICE_KEYS#1"}
    assert lines[5]["key"] is None
    assert lines[0]["bytes"] == len('{"id":1,"name":"Secretname","categoryId":1}')
    assert all(line["milliseconds"] > 0 for line in lines)
    assert {line["event"] for line in lines} == {"request"}
    fields = "time event address key method path status milliseconds bytes id"
    assert list(lines[0]) == fields.split()


def test_no_response_waits_for_its_headers_to_be_acknowledged() -> None:
    [listener] = listen("127.0.0.1", 0)
    with listener:
        assert listener.proto == socket.IPPROTO_TCP  # asyncio sets TCP_NODELAY for no other


def test_a_port_that_is_in_use_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            ListenError, match=f"^cannot listen on 127.0.0.1:{port}: address.*port$"
        ):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "store..invalid", "\udcff"])
def test_an_unknown_host_is_one_clear_line(host: str) -> None:
    with pytest.raises(ListenError, match=rf"cannot listen on {re.escape(host)}:0: .*port$"):
        listen(host, 0)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "store.example", ""])
def test_plain_http_beyond_this_machine_needs_insecure(host: str) -> None:
    with pytest.raises(ListenError, match="--insecure"):
        refuse_clear_text(ServeOptions("pets.db", host=host))
    refuse_clear_text(ServeOptions("pets.db", host=host, insecure=True))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_plain_http_on_this_machine_is_fine(host: str) -> None:
    refuse_clear_text(ServeOptions("pets.db", host=host))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tls_certificate": "no.pem"}, "--tls-cert no.pem can't be used: no such file"),
        ({"database": "postgresql://u:hidden@@127.0.0.1:1/y"}, "address must look like"),
    ],
)
def test_an_error_at_the_start_is_one_line_and_exit_code_2(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with running_service(tmp_path, **options) as service:
        assert service.process.wait(timeout=60) == 2
        assert message in service.base_url  # its first line
        assert service.stderr_text() == ""
        assert "hidden" not in service.base_url


def test_a_database_that_is_not_there_yet_is_waited_for_with_503(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "postgresql://u:hidden@127.0.0.1:1/y"
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd,
        monkeypatch.context() as patched,
    ):
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(60)
        patched.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        with running_service(tmp_path, database=address) as service:
            told = [systemd.recv(4096).decode() for _ in range(2)]
            check_waiting(service)
    assert told == ["STATUS=waits for its database", "READY=1"]


def check_waiting(service: RunningService) -> None:
    with service.client() as client:
        assert client.get("/pets").status_code == 503
        assert client.post("/pets", json={"name": "Rex", "categoryId": 1}).status_code == 503
        assert client.get(service.base_url.replace("/v1", "/healthz")).status_code == 503
        event = service.event()
        assert (event["event"], event["host"]) == ("database unavailable", "127.0.0.1")
        assert event["reason"].startswith("database y on 127.0.0.1 can't be used: connection")
        assert "hidden" not in str(event)
        assert service.stop() == 0


def test_a_key_of_tls_without_its_certificate_is_refused() -> None:
    with pytest.raises(ListenError, match="--tls-key needs --tls-cert"):
        certificate_of(ServeOptions("pets.db", tls_key=Path("key.pem")))


def test_the_error_of_the_metrics_names_their_option() -> None:
    with pytest.raises(ListenError, match=r"choose another --metrics$"):
        listen("no.such.name.invalid", 1, "--metrics")


def test_once_there_is_a_server_sigterm_goes_to_it_every_time() -> None:
    server = create_autospec(Server, instance=True)
    with ServiceSignals().handled() as signals:
        signals.hand_over(server)
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
            os.kill(os.getpid(), number)
    assert [call.kwargs["at_once"] for call in server.stop.call_args_list] == [False, False, True]


def test_a_hangup_requests_a_reload_even_before_there_is_a_server() -> None:
    server = create_autospec(Server, instance=True)
    with ServiceSignals().handled() as signals:
        os.kill(os.getpid(), signal.SIGHUP)
        signals.hand_over(server)
        assert server.reload.call_count == 1
        os.kill(os.getpid(), signal.SIGHUP)
        assert server.reload.call_count == 2


def test_an_embedded_service_writes_nothing_to_the_terminal() -> None:
    program = "import logging, pettui.service; logging.getLogger('pettui.service.errors').error(1)"
    words = [sys.executable, "-c", program]
    assert subprocess.check_output(words, stderr=subprocess.STDOUT) == b""
