"""``pettui ssh --profile``: users with keys on a service, and what they typed."""

from __future__ import annotations

import re
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.peers.ssh_server import PROGRAM, SshServer, need_ssh, wait_until
from tests.peers.terminal import ENTER, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

SERVICE_KEY = "sekrit-0123456789"
OPTIONS = ("--profile=shop", "--workers=1")


@pytest.fixture
def service(home: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """A service with some samples, in another process; its base address."""
    need_ssh()
    log = home / "service.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [PROGRAM, "serve", "--port=0", "--samples=5", f"--database={home / 'served.sqlite3'}"],
            env={**environment, "PETTUI_SERVICE_KEYS": SERVICE_KEY},
            stderr=stream,
        )
    wait_until(lambda: "serving http" in log.read_text(), "the service")
    found = re.search(r"serving (\S+)", log.read_text())
    assert found is not None
    yield found[1]
    process.terminate()
    assert process.wait(30) == 0


@pytest.fixture
def make_key(home: Path) -> Callable[[str], Path]:
    """Make a key pair with a comment, and return the private key's path."""

    def make_key(comment: str) -> Path:
        path = home / f"id_{re.sub('[^a-z]', '', comment)}"
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)]
        subprocess.run(words, check=True)
        return path

    return make_key


@pytest.fixture
def serve(
    home: Path, environment: Mapping[str, str], service: str
) -> Iterator[Callable[..., SshServer]]:
    """Serve the profile to these keys; ended with the test."""
    servers: list[SshServer] = []
    configuration = home / "config.toml"
    configuration.write_text(
        f'delay = 60\n[profiles.shop]\nbase_url = "{service}"\napi_key_env = "SHOP_KEY"\n'
    )
    configured = {**environment, "PETTUI_CONFIG": str(configuration), "SHOP_KEY": SERVICE_KEY}

    def serve(*lines: str) -> SshServer:
        keys = home / "authorized_keys"
        keys.touch(mode=0o600)
        keys.write_text("".join(f"{line}\n" for line in lines))
        servers.append(SshServer(home, configured, *OPTIONS, f"--authorized-keys={keys}"))
        return servers[-1]

    yield serve
    for server in servers:
        server.stop()
        assert SERVICE_KEY not in server.log


def public(key: Path) -> str:
    return key.with_suffix(".pub").read_text().strip()


def quit_app(terminal: Terminal) -> None:
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0


def quit_leaving_one(terminal: Terminal) -> None:
    """Quit though an animal waits; the last line on the client's terminal says so."""
    terminal.press("\x11")
    terminal.wait_for("1 animal not sent yet", "q Quit")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    assert "1 animal not sent yet; it will be sent by the server" in terminal.after_screen()


def test_no_animal_that_is_listed_is_kept_on_the_servers_disk(
    serve: Callable[..., SshServer], make_key: Callable[[str], Path], home: Path
) -> None:
    key = make_key("anna@till")
    terminal = serve(public(key)).terminal(user="anna", key=key)
    terminal.wait_for("5 shown")
    terminal.press("4")
    terminal.wait_for("sold")
    quit_app(terminal)
    assert not [*home.rglob("lists")]


def type_animal(terminal: Terminal, name: str) -> None:
    """Add an animal to the outbox, where it waits, and start typing another one."""
    terminal.wait_for("5 shown")
    terminal.press("a")
    terminal.wait_for("Add an animal")
    terminal.press(name, "\t", "3", ENTER)
    terminal.wait_until(
        lambda: re.search(rf"◌ +{name} .* waiting", terminal.text) is not None, name
    )
    terminal.press("Half typ")
    terminal.wait_for("Half typ")


def test_what_was_typed_survives_a_killed_client_and_server(
    serve: Callable[..., SshServer], make_key: Callable[[str], Path], home: Path
) -> None:
    key = make_key("anna")
    first = serve(public(key))
    terminal = first.terminal(key=key)
    type_animal(terminal, "Castor")
    terminal.kill(signal.SIGKILL)
    assert first.wait_for_event("end")["reason"] == "cut"
    first.stop(signal.SIGKILL)

    second = serve(public(key))
    again = second.terminal(key=key)
    again.wait_for("5 shown", "1 on the way")
    again.press("a")
    again.wait_for("Half typ", "Castor", "waiting")
    quit_leaving_one(again)
    assert not [path for path in home.rglob("*.json") if path.stat().st_mode & 0o077]


def test_users_do_not_see_what_others_typed(
    serve: Callable[..., SshServer], make_key: Callable[[str], Path]
) -> None:
    anna, ben = make_key("anna"), make_key("ben")
    server = serve(public(anna), public(ben))
    hers, his = server.terminal(key=anna), server.terminal(key=ben)
    type_animal(hers, "Castor")
    his.wait_for("5 shown")
    his.press("a")
    his.wait_for("Add an animal")
    assert "Castor" not in his.text
    assert "Half typ" not in his.text
    quit_leaving_one(hers)
    quit_app(his)
