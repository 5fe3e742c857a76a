"""nginx as docs/service.md and docs/several-servers.md show it, before the service and before SSH servers."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.certificates import make_certificate
from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.ports import reserved_port
from tests.service.running_service import AUTHORIZATION, KEY, RunningService, running_service
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


DOCS = Path(__file__).parents[2] / "docs"
STREAMS = Path("/usr/lib/nginx/modules/ngx_stream_module.so")


@contextmanager
def nginx(directory: Path, page: str, before: str, used: Mapping[str, str]) -> Iterator[int]:
    """Run nginx with the configuration of a page of docs; yield the port that is used.

    It stands at {shown} in ``before``; ``used`` names what is used in place of what is documented.
    """
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None or not STREAMS.exists():
        missing = "no nginx here (apt packages nginx-light, libnginx-mod-stream)"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    with reserved_port() as port:
        [shown] = re.findall(r"```nginx\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
        for documented, value in used.items():
            assert documented in shown
            shown = shown.replace(documented, value.replace("{port}", str(port)))
        log = directory / "error.log"
        (directory / "nginx.conf").write_text(
            f"daemon off; pid {directory}/pid; error_log {log};\n"
            + before.replace("{shown}", shown)
        )
        process = subprocess.Popen([program, "-c", directory / "nginx.conf", "-p", directory])

        def is_listening() -> bool:
            assert process.poll() is None, log.read_text()
            with socket.socket() as connection:
                return connection.connect_ex(("127.0.0.1", port)) == 0

        try:
            wait_until(is_listening, "nginx")
            yield port
        finally:
            process.terminate()
            process.wait(PATIENCE)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    proxies = {"trusted_proxies": ["127.0.0.1"]}
    with running_service(tmp_path_factory.mktemp("service"), **proxies) as running:
        yield running
        assert running.stop() == 0
        assert running.stderr_text() == ""


@contextmanager
def store(directory: Path, service: RunningService, used: Mapping[str, str]) -> Iterator[int]:
    """Run nginx before the service, as docs/service.md shows it; yield the port."""
    certificate, key = make_certificate(directory / "tls")
    used = {
        **used,
        "listen 443 ssl": "listen 127.0.0.1:{port} ssl",
        "store.example": "localhost",
        "/etc/ssl/store.pem": str(certificate),
        "/etc/ssl/private/store.key": str(key),
        "127.0.0.1:8080": "{}:{}".format(*service.address),
    }
    # Its temporary files are in a directory that nobody else can read.
    user = "user root;" if os.geteuid() == 0 else ""
    paths = "".join(
        f"{kind}_temp_path {directory}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    before = f"{user} events {{}}\nhttp {{ access_log off;\n{paths}{{shown}}}}\n"
    with nginx(directory, "service.md", before, used) as port:
        yield port


@pytest.fixture(scope="module")
def client(
    tmp_path_factory: pytest.TempPathFactory, service: RunningService
) -> Iterator[httpx.Client]:
    directory = tmp_path_factory.mktemp("nginx")
    with store(directory, service, {}) as port:
        context = ssl.create_default_context(cafile=directory / "tls" / "cert.pem")
        transport = httpx.HTTPTransport(verify=context, local_address="127.0.0.2")
        with httpx.Client(
            base_url=f"https://localhost:{port}/v1",
            transport=transport, headers=AUTHORIZATION, timeout=60,
        ) as client:  # fmt: skip
            yield client


def test_the_operations_work_through_it(client: httpx.Client) -> None:
    for name in ("Max", "Rex"):
        added = client.post("/pets", json={"name": name, "categoryId": 3})
        assert added.status_code == 201
    assert client.get(f"/pets/{added.json()['id']}").json() == added.json()
    first = client.get("/pets", params={"limit": 1})
    assert first.json()[0] == added.json()
    assert first.headers["server"] == "nginx"
    second = client.get(first.url.join(first.links["next"]["url"]))
    assert second.json()[0]["name"] == "Max"


def test_a_body_of_the_services_limit_passes_and_a_larger_one_ends_at_the_proxy(
    client: httpx.Client,
) -> None:
    headers = {"Content-Type": "application/json"}
    body = b'{"name": "Rex", "categoryId": 1}'
    largest = client.post("/pets", content=body.ljust(1_572_864), headers=headers)
    assert largest.status_code == 201
    assert client.post("/pets", content=body.ljust(1_700_000), headers=headers).status_code == 413


def test_one_request_more_in_progress_than_its_limit_is_429_as_one_too_many_a_second(
    client: httpx.Client,
) -> None:
    """A 503 of its own could as well be the service's."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    address = "127.0.0.1", int(client.base_url.port or 0)
    head = b"POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30\r\n\r\n"

    def status() -> int:
        return client.get("/pets").status_code

    with ExitStack() as held:
        for _ in range(49):  # and the client's own
            connection = socket.create_connection(address, 60, source_address=("127.0.0.2", 0))
            held.enter_context(context.wrap_socket(connection)).sendall(head)
        assert status() == 200
        connection = socket.create_connection(address, 60, source_address=("127.0.0.2", 0))
        held.enter_context(context.wrap_socket(connection)).sendall(head)
        wait_until(lambda: status() != 200, "the limit")
        assert status() == 429
    wait_until(lambda: status() == 200, "the end of the others")


def test_at_five_requests_a_second_without_a_burst_an_import_ends_whole(
    tmp_path: Path, service: RunningService
) -> None:
    slow = {"rate=50r/s": "rate=5r/s", "zone=store burst=100 nodelay": "zone=store"}
    file, configuration = tmp_path / "animals.csv", tmp_path / "config.toml"
    names = [f"limited {number}" for number in range(12)]
    file.write_text("name,category\n" + "".join(f"{name},3\n" for name in names))
    with store(tmp_path, service, slow) as port:
        configuration.write_text(
            f'[profiles.shop]\nbase_url = "https://localhost:{port}/v1"\n'
            f'api_key_env = "KEY"\nca_file = "{tmp_path}/tls/cert.pem"\n'
        )
        words = ("import", "--config", configuration, "--profile", "shop", "--parallel", "4", file)
        environment = {**os.environ, "KEY": KEY, "XDG_STATE_HOME": str(tmp_path / "state")}
        command = [sys.executable, "-m", "pettui", *words]
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
    assert ended.returncode == 0, ended.stderr
    assert "12 lines added" in ended.stderr
    adds = [line["status"] for line in service.lines() if line["method"] == "POST"]
    assert adds[-12:] == [201] * 12


def test_the_log_has_the_clients_address_and_no_client_can_name_another(
    client: httpx.Client, service: RunningService
) -> None:
    client.get("/pets/987654", headers={"X-Forwarded-For": "203.0.113.9"})
    path = "/v1/pets/987654"
    wait_until(lambda: path in {line["path"] for line in service.lines()}, "its line")
    [line] = [line for line in service.lines() if line["path"] == path]
    assert line["address"] == "127.0.0.2"


def test_who_logs_in_again_gets_to_another_server_when_theirs_has_stopped(
    home: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    need_ssh()
    words = (
        "--demo", "--workers=1", f"--host-key={home / 'shared-key'}", "--trusted-proxies=127.0.0.1",
    )  # fmt: skip
    servers = [SshServer(home, environment, *words) for _ in range(2)]
    addresses = ("10.0.0.11:2222", "10.0.0.12:2222")
    used = {shown: f"127.0.0.1:{one.port}" for shown, one in zip(addresses, servers, strict=True)}
    used["listen 2222"] = "listen 127.0.0.1:{port}"

    def logins() -> list[int]:
        return [len(server.events("begin")) for server in servers]

    def come_in(port: int, checking: str) -> SshServer:
        """Log in by nginx, and return the server that it was."""
        before = logins()
        options = ("-o", f"Port={port}", "-o", f"StrictHostKeyChecking={checking}")
        terminal = servers[0].terminal(*options, "-b", "127.0.0.2")
        terminal.wait_for("DEMO", "Mitzi", " shown")
        terminal.quit()
        wait_until(lambda: logins() != before, "a login in the logs")
        return servers[logins()[0] == before[0]]

    with ExitStack() as stopping:
        for server in servers:
            stopping.callback(server.stop)
        before = f"load_module {STREAMS}; events {{}}\n{{shown}}"
        with nginx(tmp_path, "several-servers.md", before, used) as port:
            first = come_in(port, "accept-new")
            assert come_in(port, "yes") is first
            first.stop()
            second = come_in(port, "yes")  # no client warns of its host key
            assert second is not first
        assert {event["address"] for event in second.events("begin")} == {"127.0.0.2"}  # the user's
