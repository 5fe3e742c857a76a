"""``pettui ssh`` with wrong settings: one line that names them, exit code 2."""

from __future__ import annotations

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import asyncssh
import pytest

from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.outbox.on_disk import outbox_directory
from tests.outbox.scripted import an_entry
from tests.peers.ssh_server import write_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.conftest import Refused, Run


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--host=0.0.0.0"], "--host '0.0.0.0': would let anyone on the network in; add --public"),
        (["--port=70000"], "--port '70000': must be a whole number from 0 to 65535"),
        (["--profile=embedded"], "--authorized-keys: is missing"),
        (["--host-key=no/such/directory/key"], "--host-key: its directory "),
        (
            ["--profile=embedded", "--authorized-keys=/dev/null", "--state=postgresql://db/state"],
            "--state: is for a service that all servers reach; this profile's animals are in a file",
        ),
        (["--profile=nowhere"], "--profile 'nowhere': unknown profile"),
        (["--idle-timeout=-1"], "--idle-timeout '-1': must be a whole number"),
        (
            ["--trusted-proxies=::1,10.0.0.0/33"],
            "--trusted-proxies '10.0.0.0/33': must be addresses",
        ),
        (["--app=x:App"], "--app 'x:App': there is no module x here or installed"),
        (["--app=textual.app:App", "--demo"], "--demo: not allowed with argument --app"),
        (["--app=textual.app:App", "--welcome=x"], "--welcome: is not for --app"),
        (["--demo", "--authorized-keys=x"], "--authorized-keys: is for --profile"),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_used_is_named_by_a_start_and_by_a_check(
    refused: Refused, run_here: Run, words: list[str], line: str
) -> None:
    assert line in refused("ssh", *words)
    assert line in run_here("ssh", "--check", *words).stderr


@pytest.fixture
def sockets(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the directory of status sockets the current one: an address is short."""
    directory = home / ".local/state/pettui/ssh-status"
    directory.mkdir(parents=True)
    monkeypatch.chdir(directory)


@contextmanager
def listening(name: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        yield server


def answer(server: socket.socket, text: bytes) -> None:
    """Send a text to the first that connects."""
    connection, _ = server.accept()
    with connection:
        connection.recv(100)
        connection.sendall(text)


def test_a_server_on_another_port_is_named_even_if_it_hangs(run_here: Run, sockets: None) -> None:
    with listening("2222-1.sock"):
        finished = run_here("ssh", "--status", "--port=2223")
    assert finished.returncode == 3
    line = "pettui: no such pettui ssh runs, but on port 2222 as process 1\n"
    assert finished.stderr == line


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("", "$"),
        ("junk\n", "pettui: line 2 of the authorized keys is ignored: "),
        ('expiry-time="20000101Z" {key}', "pettui: line 2 of the authorized keys has expired: "),
        ("{other}", "pettui: lines 1 and 2 of the authorized keys have one comment, anna, and are"),
    ],
)
def test_a_profile_that_can_be_served_says_only_which_lines_of_the_keys_are_ignored(
    run_here: Run, tmp_path: Path, more: str, said: str
) -> None:
    key, other = (asyncssh.generate_private_key("ssh-ed25519", "anna") for _ in range(2))
    public, others = (each.export_public_key().decode() for each in (key, other))
    (tmp_path / "keys").write_text(f"{public}{more.format(key=public, other=others)}")
    key.write_private_key(tmp_path / "host")
    for path in tmp_path.iterdir():
        path.chmod(0o600)
    files = (f"--authorized-keys={tmp_path}/keys", f"--host-key={tmp_path}/host")
    finished = run_here("ssh", "--check", "--profile=embedded", *files)
    assert (finished.returncode, finished.stdout) == (0, "")
    assert re.match(said, finished.stderr)


def test_a_check_says_what_waits_for_another_address(
    run_here: Run, configure: Callable[[str], Path], home: Path
) -> None:
    """It keeps nothing from serving."""
    key = write_key(home / "anna", "anna").export_public_key().decode()
    (home / "keys").write_text(key)
    config = configure(
        '[profiles.shop]\nbase_url = "https://new.example/v1"\napi_key_env = "SHOP"\n'
    )
    old = "http://old.example/v1"
    directory = outbox_directory(home / ".local/state/pettui", "ssh SHA256:ann", "shop", old)
    with closing(DirectoryEntryStore(directory)) as store:
        store.add(an_entry(service=old))
    words = ("--check", "--profile=shop", f"--authorized-keys={home / 'keys'}", "--port=0")
    finished = run_here("ssh", *words, SHOP="a-key-of-the-shop", PETTUI_CONFIG=str(config))
    assert finished.returncode == 0
    assert finished.stderr == (
        f"pettui: 1 animal of 1 user waits in {directory.parent.parent}, for {old};"
        " to move: pettui outbox move --profile shop --users\n"
    )


def test_a_server_that_answers_nonsense_is_reported_as_not_answering(
    run_here: Run, sockets: None
) -> None:
    with listening("2223-1.sock") as server, ThreadPoolExecutor(1) as thread:
        thread.submit(answer, server, b"{}")
        finished = run_here("ssh", "--status", "--port=2223")
    assert finished.returncode == 3
    assert finished.stderr == "pettui: pettui ssh on port 2223 does not answer\n"
