"""The commands of docs/, as they stand there, and what docs/deploy has for whoever runs servers."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_files import open_database
from tests.cli.conftest import PROGRAM, finished, needs
from tests.peers.ssh_server import SshServer, need_ssh, wait_until, write_key
from tests.service.running_service import KEY, running_service
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Typed = Callable[..., str]

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def block(page: str, word: str) -> list[str]:
    """Return the commands of the one block of a page that contains a word."""
    text = (DOCS / page).read_text(encoding="utf-8")
    (found,) = [each for each in BLOCK.findall(text) if word in each]
    return [line.removeprefix("$ ") for line in found.splitlines()]


@pytest.fixture
def typed(environment: dict[str, str], home: Path) -> Typed:
    """Run commands in one shell, which ends at the first that fails, and return what they print."""

    environment |= {"PATH": f"{PROGRAM.parent}:{environment['PATH']}"}

    def typed(*lines: str) -> str:
        words = ["bash", "-e", "-o", "pipefail", "-c", "\n".join(lines)]
        ended = finished(words, environment, cwd=home, timeout=len(lines) * PATIENCE)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return typed


def test_the_commands_for_scripts_run_on_the_store_that_pettui_makes(
    typed: Typed, home: Path
) -> None:
    needs("jq")
    open_database(home / ".local/share/pettui/store.sqlite3", sample_pets(), only_new=True).close()
    written = typed(*block("commands.md", "pettui get"))
    assert "Señor Orejas" in written
    assert '"Mitzi"\n' in written  # of jq
    assert len((home / "animals.csv").read_text().splitlines()) == 1 + 60 + 1


def test_the_commands_of_an_import_run(typed: Typed, home: Path) -> None:
    (home / "animals.csv").write_text("name,category\nRexona,3\n")
    typed(
        "generate-animals() { printf 'name,category\\nWaldina,3\\n'; }",
        *block("commands.md", "pettui import -"),
    )
    assert "Rexona" in (home / "animals.result.csv").read_text()
    assert "Waldina" in (home / "result.csv").read_text()


def test_the_scripts_of_completion_are_written_on_a_fresh_machine(typed: Typed, home: Path) -> None:
    typed(*block("commands.md", "pettui completion"))
    assert (home / ".local/share/bash-completion/completions/pettui").stat().st_size
    assert (home / ".zfunc/_pettui").stat().st_size
    assert (home / ".config/fish/completions/pettui.fish").stat().st_size


def test_keys_are_managed_as_documented(typed: Typed) -> None:
    assert "till-1\t" in typed(*block("service.md", "pettui key list"))


def test_the_documented_backup_is_as_private_as_the_store(typed: Typed, home: Path) -> None:
    open_database(home / ".local/share/pettui/store.sqlite3", sample_pets(5)).close()
    typed(*block("service.md", "pettui backup"))
    copy = home / "copy.tar"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert "5 animals" in typed("mkdir other; HOME=$PWD/other pettui restore copy.tar 2>&1")


def test_the_calls_of_curl_list_add_and_show_animals(
    typed: Typed, home: Path, tmp_path: Path
) -> None:
    needs("curl")
    with running_service(tmp_path, samples=60) as service:
        calls = [*block("api.md", "key.header"), *block("api.md", "openapi.yaml")]
        origin = service.base_url.removesuffix("/v1")
        here = [line.replace("http://127.0.0.1:8080", origin) for line in calls]
        # Each response on a line of its own.
        shown = typed(
            f"export PETTUI_API_KEY={KEY}", 'curl() { command curl -sS -f "$@"; echo; }', *here
        )
    listed, added, got, *description = shown.splitlines()
    assert [pet["status"] for pet in json.loads(listed)] == 3 * ["available"]
    assert json.loads(added) == json.loads(got) == {"id": 61, "name": "Rex", "categoryId": 3}
    assert description[0] == "openapi: 3.1.0"
    assert stat.S_IMODE((home / "key.header").stat().st_mode) == 0o600


# Deploying


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
