"""The API key of a host that serves over SSH is replaced while its users work."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pettui.service.keys import add_key, replace_key
from tests.peers.ssh_server import wait_until, write_key
from tests.peers.terminal import ENTER
from tests.service.running_service import running_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.peers.ssh_server import SshServer
    from tests.peers.terminal import Terminal
    from tests.service.running_service import RunningService


class Host:
    """A host with a profile, whose API key is in a file, and users with keys."""

    def __init__(
        self, home: Path, service: RunningService, serve_ssh: Callable[..., SshServer]
    ) -> None:
        self.home, self.keys, self.key_file = home, home / "service-keys", home / "store.key"
        self.use(add_key(self.keys, "ssh"))
        config = home / "shop.toml"
        config.write_text(
            f'delay = 0\n[profiles.shop]\nbase_url = "{service.base_url}"\napi_key_file = "store.key"\n'
        )
        write_key(home / "anna").write_public_key(home / "authorized_keys")
        self.server = serve_ssh(
            "--profile=shop",
            "--workers=2",
            f"--authorized-keys={home / 'authorized_keys'}",
            f"--config={config}",
        )
        self.service = service

    def use(self, text: str) -> None:
        """Put another key into the file, as ``install`` does."""
        new = self.key_file.with_name("new")
        new.touch(mode=0o600)
        new.write_text(f"{text}\n")
        new.rename(self.key_file)

    def log_in(self) -> Terminal:
        terminal = self.server.terminal(key=self.home / "anna")
        terminal.wait_for("SHOP")
        return terminal

    @property
    def names(self) -> Counter[str]:
        with closing(sqlite3.connect(self.home / "pets.db")) as database:
            return Counter(
                name for (name,) in database.execute("SELECT CAST(name AS TEXT) FROM pets")
            )

    def users_of_keys(self) -> list[tuple[str | None, int]]:
        return [(line["key"], line["status"]) for line in self.service.lines()]


@pytest.fixture
def host(home: Path, serve_ssh: Callable[..., SshServer]) -> Iterator[Host]:
    with running_service(home, key_file=str(home / "service-keys")) as service:
        yield Host(home, service, serve_ssh)


def add(terminal: Terminal, name: str, *, is_added: bool = True) -> None:
    """Add an animal in the form, and leave that if it is added."""
    terminal.press("a")
    terminal.wait_for("Add an animal")
    terminal.press(name, "\t", "3", ENTER)
    sign = "✔" if is_added else "◌"
    terminal.wait_until(lambda: re.search(rf"{sign}.* {name} ", terminal.text) is not None, name)
    if is_added:
        terminal.press("\x1b")
        terminal.wait_until(lambda: "Add an animal" not in terminal.text, "the list")


def test_sessions_go_on_with_another_api_key_and_send_what_waited_for_it(host: Host) -> None:
    anna, ben = host.log_in(), host.log_in()
    add(anna, "Castor")
    key = replace_key(host.keys, "ssh")
    add(ben, "Pollux", is_added=False)  # with a stale key
    wait_until(lambda: ("ssh.former", 401) in host.users_of_keys(), "that it is refused")
    host.use(key)
    host.server.wait_for_event("API key read again", 2)
    wait_until(lambda: host.names == Counter(["Castor", "Pollux"]), "what waited for the key")
    add(anna, "Rex")
    assert host.names == Counter(["Castor", "Pollux", "Rex"])
    assert host.server.status()["sessions"] == 2
    assert key not in host.server.log


def test_a_key_that_cannot_be_used_leaves_the_one_before_and_a_reload_reads_it_at_once(
    host: Host,
) -> None:
    anna = host.log_in()
    host.use("two words")
    os.kill(host.server.process.pid, signal.SIGHUP)
    reason = host.server.wait_for_event("warning", 2)["reason"]
    assert reason.endswith("one word of visible ASCII characters; the API key read before stays")
    assert "two words" not in host.server.log
    add(anna, "Castor")
    key = replace_key(host.keys, "ssh", overlap=timedelta(hours=1))
    add(anna, "Pollux")
    assert host.users_of_keys()[-1] == ("ssh.former", 201)
    host.use(key)
    os.kill(host.server.process.pid, signal.SIGHUP)
    host.server.wait_for_event("API key read again", 2)
    add(anna, "Rex")
    assert host.users_of_keys()[-1] == ("ssh", 201)


def test_a_process_that_starts_later_has_the_newest_key(host: Host) -> None:
    key = replace_key(host.keys, "ssh")
    host.use(key)
    host.server.wait_for_event("API key read again", 2)
    for worker in host.server.workers:
        os.kill(worker, signal.SIGKILL)
    host.server.wait_for_event("worker ended", 2)
    wait_until(lambda: len(host.server.workers) == 2, "other processes")
    add(host.log_in(), "Castor")
    assert host.names == Counter(["Castor"])
