"""The service behind nginx, as docs/service.md says: TLS, limits and framing at the proxy."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.peers.ssh_server import wait_until
from tests.service.certificates import make_certificate
from tests.service.running_service import AUTHORIZATION, KEY, received, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.service.running_service import RunningService

ROOT = Path(__file__).parents[2]


def documented() -> str:
    """Return the configuration of nginx that the documentation shows."""
    text = (ROOT / "docs/service.md").read_text()
    [configuration] = re.findall(r"```nginx\n(.*?)```", text, re.DOTALL)
    return str(configuration)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    proxies = {"trusted_proxies": ["127.0.0.1"]}
    with running_service(tmp_path_factory.mktemp("service"), **proxies) as running:
        yield running
        assert running.stop() == 0
        assert running.stderr_text() == ""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@dataclass(frozen=True)
class Proxy:
    """A running nginx."""

    port: int
    log: Path

    def sent(self) -> list[str]:
        """Return the paths that it has sent on to the service."""
        lines = [line.rpartition(" ") for line in self.log.read_text().splitlines()]
        return [path.partition("?")[0] for path, _, status in lines if status != "-"]


@pytest.fixture(scope="module")
def proxy(
    tmp_path_factory: pytest.TempPathFactory,
    service: RunningService,
    certificate: tuple[Path, Path],
) -> Iterator[Proxy]:
    """nginx with that configuration, but other paths and ports."""
    if shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no nginx here (apt package nginx-light)")
        pytest.skip("no nginx here (apt package nginx-light)")
    directory = tmp_path_factory.mktemp("nginx")
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        number = free.getsockname()[1]
    site = documented()
    for shown, used in {
        "listen 443 ssl": f"listen 127.0.0.1:{number} ssl",
        "store.example": "localhost",
        "/etc/ssl/store.pem": str(certificate[0]),
        "/etc/ssl/private/store.key": str(certificate[1]),
        "127.0.0.1:8080": "{}:{}".format(*service.address),
        "rate=50r/s": "rate=1r/m",  # after the burst
    }.items():
        assert shown in site
        site = site.replace(shown, used)
    paths = "".join(
        f"{name}_temp_path {directory}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = directory / "nginx.conf"
    # Its temporary files are in a directory that nobody else can read.
    user = "user root;" if os.geteuid() == 0 else ""
    configuration.write_text(
        f"{user} daemon off; pid {directory}/pid; error_log {directory}/error.log;\n"
        "events {}\nhttp {\n"
        "log_format sent '$request_uri $upstream_status';\n"
        f"access_log {directory}/access.log sent;\n" + paths + site + "}\n"
    )
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program is not None
    process = subprocess.Popen([program, "-c", str(configuration), "-p", str(directory)])
    try:
        while True:
            assert process.poll() is None, (directory / "error.log").read_text()
            try:
                socket.create_connection(("127.0.0.1", number), timeout=60).close()
                break
            except ConnectionRefusedError:
                continue
        yield Proxy(number, directory / "access.log")
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.fixture
def client(proxy: Proxy, certificate: tuple[Path, Path]) -> Iterator[httpx.Client]:
    context = ssl.create_default_context(cafile=certificate[0])
    transport = httpx.HTTPTransport(verify=context, local_address="127.0.0.2")
    url = f"https://localhost:{proxy.port}/v1"
    with httpx.Client(
        base_url=url, transport=transport, headers=AUTHORIZATION, timeout=60
    ) as client:
        yield client


def test_the_operations_work_through_it(client: httpx.Client) -> None:
    added = client.post("/pets", json={"name": "Rex", "categoryId": 3})
    assert added.status_code == 201
    assert client.get(f"/pets/{added.json()['id']}").json() == added.json()
    page = client.get("/pets", params={"limit": 1})
    assert page.json()[0] == added.json()
    assert page.headers["server"] == "nginx"


def test_without_a_key_it_passes_the_services_401_on(client: httpx.Client) -> None:
    response = client.get("/pets", headers={"Authorization": "Bearer wrong"})
    assert response.status_code == 401
    assert response.json()["code"] == "unauthorized"


def test_a_link_to_the_next_page_leads_through_it(client: httpx.Client) -> None:
    for number in range(2):
        assert client.post("/pets", json={"name": f"{number}", "categoryId": 3}).status_code == 201
    first = client.get("/pets", params={"limit": 1})
    second = client.get(first.links["next"]["url"].removeprefix("/v1"))
    assert second.status_code == 200
    assert second.json()[0]["id"] == first.json()[0]["id"] - 1


def test_a_body_of_the_services_limit_passes_and_a_larger_one_ends_at_the_proxy(
    client: httpx.Client,
) -> None:
    headers = {"Content-Type": "application/json"}
    body = b'{"name": "Rex", "categoryId": 1}'
    largest = client.post("/pets", content=body.ljust(1_572_864), headers=headers)
    assert largest.status_code == 201
    assert client.post("/pets", content=body.ljust(1_700_000), headers=headers).status_code == 413


def test_the_log_has_the_clients_address_and_no_client_can_name_another(
    client: httpx.Client, service: RunningService
) -> None:
    client.get("/pets/987654", headers={"X-Forwarded-For": "203.0.113.9"})
    path = "/v1/pets/987654"
    wait_until(lambda: path in {line["path"] for line in service.lines()}, "its line")
    [line] = [line for line in service.lines() if line["path"] == path]
    assert (line["address"], line["proxy"]) == ("127.0.0.2", "127.0.0.1")


AMBIGUOUS = [
    b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
    b"Content-Length: 0\r\nContent-Length: 40\r\n\r\n",
    b"Content-Length: +0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n\r\n0;\n\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n\r\n1\nx\r\n0\r\n\r\n",
    b"X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
]


@pytest.mark.parametrize("framing", AMBIGUOUS)
def test_the_service_sees_the_requests_that_it_sends_on_and_no_other(
    proxy: Proxy, certificate: tuple[Path, Path], service: RunningService, framing: bytes
) -> None:
    host, key = b"Host: localhost\r\n", f"Authorization: Bearer {KEY}\r\n".encode()
    head = b"POST /v1/pets HTTP/1.1\r\n" + host + key + b"Content-Type: application/json\r\n"
    smuggled = b"GET /v1/pets/424242 HTTP/1.1\r\n" + host + key + b"\r\n"
    last = b"GET /v1/pets HTTP/1.1\r\n" + host + key + b"Connection: close\r\n\r\n"
    context = ssl.create_default_context(cafile=certificate[0])
    with (
        socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as below,
        context.wrap_socket(below, server_hostname="localhost") as connection,
    ):
        connection.sendall(head + framing + smuggled + last)
        received(connection)
    wait_until(lambda: len(service.lines()) >= len(proxy.sent()), "the service's lines")
    assert [line["path"] for line in service.lines()] == proxy.sent()


def test_more_requests_at_once_than_its_limit_get_429(client: httpx.Client) -> None:
    statuses = {client.get("/pets", params={"limit": 1}).status_code for _ in range(500)}
    assert 429 in statuses
