"""The service as a process: real sockets, signals and TLS, and errors at the start."""

from __future__ import annotations

import json
import re
import signal
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pettui.service.server import ListenError, ServeOptions, listen, refuse_clear_text
from tests.exhaustive import exhaustive_rows
from tests.service.certificates import make_certificate
from tests.service.running_service import AUTHORIZATION, KEY, received, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.service.running_service import RunningService


VALID = b'{"name": "Rex", "categoryId": 1}'


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path, seconds=1) as service:
        yield service


def connection_to(service: RunningService) -> socket.socket:
    return socket.create_connection(service.address, timeout=60)


def request(
    method: str = "GET", path: str = "/v1/pets", headers: Sequence[str] = (), body: bytes = b""
) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: store", f"Authorization: Bearer {KEY}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def error_of(response: bytes) -> dict[str, object]:
    head, _, body = response.partition(b"\r\n\r\n")
    assert b"application/json" in head.lower()
    error: dict[str, object] = json.loads(body)
    return error


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_at_a_signal_it_exits_with_0_and_leaves_one_file(tmp_path: Path, number: int) -> None:
    with running_service(tmp_path) as service:
        response = httpx.post(
            f"{service.base_url}/pets", json={"name": "Rex", "categoryId": 1}, headers=AUTHORIZATION
        )
        assert response.status_code == 201
        assert service.stop(number) == 0
        assert service.stderr_text() == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["access.log", "pets.db"]


def test_a_running_request_is_finished_before_it_exits(tmp_path: Path) -> None:
    with running_service(tmp_path, seconds=20) as service, connection_to(service) as connection:
        length = f"Content-Length: {len(VALID)}"
        headers = ("Content-Type: application/json", length, "Expect: 100-continue")
        connection.sendall(request("POST", headers=headers))
        assert connection.recv(100).startswith(b"HTTP/1.1 100")  # now it waits for the body
        service.process.send_signal(signal.SIGTERM)
        connection.sendall(VALID)
        assert b" 201 " in received(connection)
        assert service.process.wait(timeout=60) == 0
        assert service.stderr_text() == ""


def test_an_incomplete_body_stores_nothing_and_logs_no_traceback(running: RunningService) -> None:
    headers = ("Content-Type: application/json", "Content-Length: 1000")
    for _ in range(5):
        with connection_to(running) as connection:
            connection.sendall(request("POST", headers=headers, body=VALID))
    pets = httpx.get(f"{running.base_url}/pets", headers=AUTHORIZATION).json()
    assert pets == []
    assert running.stop() == 0
    assert running.stderr_text() == ""


def test_a_slow_body_gets_400_and_the_connection_is_closed(running: RunningService) -> None:
    headers = ("Content-Type: application/json", "Content-Length: 1000")
    with connection_to(running) as connection:
        connection.sendall(request("POST", headers=headers, body=VALID))
        response = received(connection)
    assert response.startswith(b"HTTP/1.1 400 ")
    assert error_of(response)["code"] == "body_too_slow"
    assert httpx.get(f"{running.base_url}/pets", headers=AUTHORIZATION).json() == []
    assert running.stop() == 0
    assert running.stderr_text() == ""


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"GET /v1/pets HTTP/1.1\r\n\r\n",
        request().removesuffix(b"\r\n") + b"X-Long: " + b"x" * 40_000,
        request("POST", headers=("Content-Length: abc",)),
        request("POST", headers=("Content-Length: 1", "Content-Length: 2")),
        b"GET /v1/pets\xff HTTP/1.1\r\nHost: store\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"x" * 50 + b"\r\n\r\n",
    ],
)
def test_malformed_http_gets_400_and_is_in_the_log(running: RunningService, data: bytes) -> None:
    with connection_to(running) as connection:
        connection.sendall(data)
        response = received(connection)
    assert response.startswith(b"HTTP/1.1 400 ")
    assert running.stop() == 0
    assert running.events() == {"malformed request"}


def test_garbage_after_an_incomplete_request_logs_no_traceback(running: RunningService) -> None:
    chunked = ("Content-Type: application/json", "Transfer-Encoding: chunked")
    with connection_to(running) as connection:
        connection.sendall(request("POST", headers=chunked) + b"zzz\r\n")
        assert received(connection).startswith(b"HTTP/1.1 400 ")
    with connection_to(running) as connection:
        connection.sendall(request() + b"\0\0\0\r\n\r\n")
        assert received(connection).startswith(b"HTTP/1.1 200 ")
    assert running.stop() == 0
    assert running.events() == {"malformed request"}


def test_the_log_of_malformed_http_has_the_address_and_nothing_that_was_sent(
    running: RunningService,
) -> None:
    for _ in range(15):
        with connection_to(running) as connection:
            connection.sendall(b"hello, my key is 123\r\n\r\n")
            received(connection)
    events = [running.event() for _ in range(10)]
    fields = ["event", "level", "address", "reason"]
    assert {tuple(event[name] for name in fields) for event in events} == {
        ("malformed request", "warning", "127.0.0.1", "Invalid HTTP request received."),
    }
    assert running.stop() == 0
    [counted] = running.stderr_text().splitlines()
    assert json.loads(counted)["more"] == 5


def test_a_key_of_raw_bytes_gets_401(running: RunningService) -> None:
    with connection_to(running) as connection:
        head = b"GET /v1/pets HTTP/1.1\r\nHost: store\r\nConnection: close\r\n"
        connection.sendall(head + b"Authorization: Bearer \xff\xe9\r\n\r\n")
        assert received(connection).startswith(b"HTTP/1.1 401 ")


def test_duplicate_authorization_headers_get_401(running: RunningService) -> None:
    duplicates = (f"Authorization: Bearer {KEY}", "Connection: close")
    with connection_to(running) as connection:
        connection.sendall(request(headers=duplicates))
        assert received(connection).startswith(b"HTTP/1.1 401 ")


def test_a_body_that_is_too_large_is_refused_and_the_connection_stays_open(
    running: RunningService,
) -> None:
    with httpx.Client(headers=AUTHORIZATION) as client:
        headers = {"Content-Type": "application/json"}
        url = f"{running.base_url}/pets"
        refused = client.post(url, content=VALID.ljust(5_000_000), headers=headers)
        assert refused.status_code == 400
        assert refused.json()["code"] == "body_too_large"
        assert client.post(url, content=VALID, headers=headers).status_code == 201


def test_an_upgrade_is_handled_like_any_request(running: RunningService) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", **AUTHORIZATION}
    assert httpx.get(f"{running.base_url}/pets", headers=upgrade).status_code == 200
    assert running.stop() == 0
    assert running.stderr_text() == ""


def test_head_over_a_socket_has_a_length_and_no_body(running: RunningService) -> None:
    with connection_to(running) as connection:
        connection.sendall(request("HEAD", headers=("Connection: close",)))
        head, _, body = received(connection).partition(b"\r\n\r\n")
    assert b"content-length: 2" in head.lower()
    assert body == b""


def test_the_server_does_not_name_its_software(running: RunningService) -> None:
    response = httpx.get(f"{running.base_url}/pets", headers=AUTHORIZATION)
    assert "server" not in response.headers


def test_64_writers_at_once_get_64_ids_and_no_error(running: RunningService) -> None:
    with httpx.Client(headers=AUTHORIZATION, limits=httpx.Limits(max_connections=64)) as client:

        def add(number: int) -> httpx.Response:
            body = {"name": f"pet {number}", "categoryId": number}
            return client.post(f"{running.base_url}/pets", json=body, timeout=30)

        with ThreadPoolExecutor(64) as pool:
            responses = list(pool.map(add, range(64)))
    assert {response.status_code for response in responses} == {201}
    assert len({response.json()["id"] for response in responses}) == 64
    assert {response.json()["name"] for response in responses} == {f"pet {n}" for n in range(64)}


def test_two_services_share_one_file(tmp_path: Path) -> None:
    with running_service(tmp_path, samples=3) as one, running_service(tmp_path) as other:
        body = {"name": "Rex", "categoryId": 1}
        for service in (one, other, one):
            response = httpx.post(f"{service.base_url}/pets", json=body, headers=AUTHORIZATION)
            assert response.status_code == 201
        lists = [
            httpx.get(f"{s.base_url}/pets", headers=AUTHORIZATION).json() for s in (one, other)
        ]
    assert lists[0] == lists[1]
    assert [pet["id"] for pet in lists[0]] == [6, 5, 4, 3, 2, 1]


def test_the_access_log_has_each_request_but_no_key_and_no_name(
    running: RunningService,
) -> None:
    with httpx.Client(headers=AUTHORIZATION) as client:
        url = running.base_url
        client.post(f"{url}/pets", json={"name": "Secretname", "categoryId": 1})
        client.get(f"{url}/pets?limit=1&api_key={KEY}")
        client.get(f"{url}/pets/1")
        client.get(f"{url}/pets/Secretname")
        client.get(f"{url}/{KEY}")
        client.get(f"{url}/pets", headers={"Authorization": f"Bearer wrong-{KEY}"})
        client.request("PROPFIND", f"{url}/pets")
        client.request("SECRETNAME", f"{url}/pets")  # not HTTP for this service
    assert running.stop() == 0
    text = running.log.read_text()
    assert KEY not in text
    assert "secretname" not in text.lower()
    lines = running.lines()
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("POST", "/v1/pets", 201),
        ("GET", "/v1/pets", 200),
        ("GET", "/v1/pets/1", 200),
        ("GET", "other", 404),
        ("GET", "other", 404),
        ("GET", "/v1/pets", 401),
        ("other", "/v1/pets", 405),
    ]
    assert {line["key"] for line in lines if line["status"] != 401} == {"key#1"}
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
            ListenError, match=f"^cannot listen on 127.0.0.1:{port}: Address.*port$"
        ):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "store..invalid", "a" * 64, "\udcff"])
def test_an_unknown_host_is_one_clear_line(host: str) -> None:
    with pytest.raises(ListenError, match=rf"cannot listen on {re.escape(host)}:0: .*port$"):
        listen(host, 0)


def test_environment_variables_of_other_servers_are_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_CONCURRENCY", "auto")
    with running_service(tmp_path) as service:
        assert service.base_url.startswith("http://")
        assert service.stop() == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "store.example", ""])
def test_plain_http_beyond_this_machine_needs_insecure(host: str) -> None:
    with pytest.raises(ListenError, match="--insecure"):
        refuse_clear_text(ServeOptions("pets.db", host=host))
    refuse_clear_text(ServeOptions("pets.db", host=host, insecure=True))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_plain_http_on_this_machine_is_fine(host: str) -> None:
    refuse_clear_text(ServeOptions("pets.db", host=host))


def test_with_a_certificate_it_serves_https(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path / "tls")
    with running_service(tmp_path, tls_certificate=str(certificate), tls_key=str(key)) as service:
        assert service.base_url.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cafile=certificate)
        with httpx.Client(verify=context, headers=AUTHORIZATION) as client:
            assert client.get(f"{service.base_url}/pets").status_code == 200
        assert service.stop() == 0
        assert service.stderr_text() == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tls_certificate": "no.pem"}, "--tls-cert no.pem can't be used: No such file"),
        ({"tls_key": "key.pem"}, "--tls-key needs --tls-cert"),
        ({"host": "0.0.0.0"}, "--insecure"),
        ({"database": "/dev/null"}, "database /dev/null is not a file"),
        ({"database": "postgresql://u:hidden@127.0.0.1:1/y"}, "database y on 127.0.0.1 can't"),
        *exhaustive_rows(
            ({"tls_certificate": __file__}, "in PEM"),
            ({"database": "postgresql://user:pass word@host:x/y"}, "address must look like"),
            (
                {"database": "postgresql://u:hidden@store..x/y"},
                "on store..x can't be used: no such host",
            ),
            ({"database": "postgresql://u:hidden\udcff@127.0.0.1/y"}, "address must look like"),
        ),
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
        assert "pass word" not in service.base_url
