"""Several ``pettui ssh`` behind nginx's stream, as docs/ssh.md says."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.peers.ssh_server import SshServer, need_ssh, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[2]
MODULE = Path("/usr/lib/nginx/modules/ngx_stream_module.so")
USERS_ADDRESS = "127.0.0.2"
QUIT = "\x11"


def nginx() -> str:
    """Return nginx's program; skip the test where it has no stream module."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None or not MODULE.exists():
        if os.environ.get("CI") == "true":
            pytest.fail("no nginx with streams here (apt package libnginx-mod-stream)")
        pytest.skip("no nginx with streams here (apt package libnginx-mod-stream)")
    return program


@contextmanager
def proxy(directory: Path, *ports: int) -> Iterator[int]:
    """Run nginx as documented before servers on these ports; yield its own port."""
    program = nginx()
    [shown] = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs/ssh.md").read_text(), re.DOTALL)
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        number = free.getsockname()[1]
    replaced = {"listen 2222": f"listen 127.0.0.1:{number}"}
    addresses = ("10.0.0.11:2222", "10.0.0.12:2222")
    replaced |= {a: f"127.0.0.1:{port}" for a, port in zip(addresses, ports, strict=True)}
    for before, after in replaced.items():
        assert before in shown
        shown = shown.replace(before, after)
    configuration = directory / "nginx.conf"
    configuration.write_text(
        f"load_module {MODULE}; daemon off; pid {directory}/pid;\n"
        f"error_log {directory}/error.log;\nevents {{}}\n{shown}"
    )
    process = subprocess.Popen([program, "-c", str(configuration), "-p", str(directory)])

    def is_listening() -> bool:
        assert process.poll() is None, (directory / "error.log").read_text()
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", number)) == 0

    try:
        wait_until(is_listening, "nginx")
        yield number
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture
def servers(home: Path, environment: Mapping[str, str]) -> Iterator[list[SshServer]]:
    """Two servers with one host key."""
    need_ssh()
    nginx()
    options = ("--demo", "--workers=1", f"--host-key={home / 'shared-key'}")
    servers = [SshServer(home, environment, *options) for _ in range(2)]
    yield servers
    for server in servers:
        server.stop()


def test_who_logs_in_again_gets_to_another_server_when_theirs_has_stopped(
    servers: list[SshServer], tmp_path: Path
) -> None:
    def come_in(port: int, checking: str) -> SshServer:
        """Log in by nginx, and return the server that it was."""
        before = {server: len(server.events("begin")) for server in servers}
        options = ("-o", f"Port={port}", "-o", f"StrictHostKeyChecking={checking}")
        terminal = servers[0].terminal(*options, "-b", USERS_ADDRESS)
        terminal.wait_for("DEMO", "Mitzi", " shown")
        terminal.press(QUIT)
        assert terminal.wait_for_end() == 0
        [used] = [one for one in servers if len(one.events("begin")) > before[one]]
        return used

    with proxy(tmp_path, *(server.port for server in servers)) as port:
        first = come_in(port, "accept-new")
        assert come_in(port, "yes") is first
        first.stop()
        second = come_in(port, "yes")  # no client warns of its host key
        assert second is not first
    assert {event["address"] for event in second.events("begin")} == {"127.0.0.1"}  # nginx's
