"""What docs/deploying.md and docs/deploy have for whoever runs servers: the commands do what they say."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import PROGRAM, needs
from tests.peers.ssh_server import SshServer, need_ssh, wait_until, write_key
from tests.service.running_service import running_service

if TYPE_CHECKING:
    from collections.abc import Mapping

DOCS = Path(__file__).parents[2] / "docs"


def programs(directory: Path, **scripts: str) -> str:
    """Make programs of this machine's hosts, and return the PATH with them."""
    directory.mkdir()
    for name, script in scripts.items():
        (directory / name).write_text(f"#!/bin/sh\n{script}\n")
        (directory / name).chmod(0o700)
    (directory / "pettui").symlink_to(PROGRAM)
    return f"{directory}{os.pathsep}{os.environ['PATH']}"


def test_a_key_is_taken_back_on_each_host_and_its_sessions_end(
    environment: Mapping[str, str], home: Path, tmp_path: Path
) -> None:
    need_ssh()
    needs("ssh-keygen", "openssh-client")
    [script] = re.findall(
        r"```sh\n(# revoke .*?)```", (DOCS / "deploying.md").read_text(), re.DOTALL
    )
    paths = [home / "anna", home / "ben"]
    keys = home / "authorized_keys"
    keys.write_text("".join(write_key(path).export_public_key().decode() for path in paths))
    anna = keys.read_text().splitlines()[0]
    server = SshServer(
        home, environment, "--profile=embedded", "--workers=2", f"--authorized-keys={keys}"
    )
    try:
        sessions = [server.terminal(key=path) for path in paths]
        wait_until(lambda: server.status()["sessions"] == 2, "two sessions")
        # ssh -n root@host COMMAND, and su -s /bin/sh -c COMMAND pettui-ssh, on this machine.
        path = programs(tmp_path / "bin", ssh='exec sh -c "$3"', su='exec sh -c "$4"')
        revoked = subprocess.run(
            ["sh", "-c", script.replace("/etc/pettui/authorized_keys", str(keys)), "revoke", "ssh1"],
            input=f"{anna}\n", env={**environment, "PATH": path},
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        assert (revoked.stdout, revoked.stderr) == ("1 session ended\n", "")
        sessions[0].wait_for("an administrator has ended this session")
        assert anna not in keys.read_text()
        assert server.status()["sessions"] == 1
        assert "Permission denied" in server.run("-i", str(paths[0])).stderr
        sessions[1].press("?")
        sessions[1].wait_for("Help")
    finally:
        assert server.stop() == 0


@pytest.fixture
def health_check() -> str:
    text = (DOCS / "deploy" / "Containerfile").read_text().replace("\\\n", " ")
    [command] = re.findall(r"^HEALTHCHECK .*? CMD (.*)$", text, re.MULTILINE)
    return command


def test_a_container_is_healthy_while_its_server_responds(
    health_check: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    python = shutil.which("python3")
    path = programs(tmp_path / "bin", python=f'exec {shlex.quote(str(python))} "$@"')

    def code(port: int) -> int:
        command = health_check.replace(":8080/", f":{port}/")
        environment_of_it = {**environment, "PATH": path}
        return subprocess.run(
            ["sh", "-c", command], env=environment_of_it, check=False, timeout=60
        ).returncode

    with running_service(tmp_path) as service:
        port = service.address[1]
        assert code(port) == 0
        (tmp_path / "pets.db").unlink()
        wait_until(lambda: code(port) != 0, "a store that cannot be read")
        assert service.stop() == 0
    server = SshServer(Path(environment["HOME"]), environment, "--demo", "--workers=1")
    assert code(port) == 0
    assert server.stop() == 0
    assert code(port) != 0
