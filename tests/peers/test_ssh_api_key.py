"""The API key of a host that serves over SSH is replaced while its users work."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from contextlib import ExitStack
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest

from pettui.service.keys import add_key, replace_key
from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.peers.ssh_shop import Shop
from tests.peers.terminal import ENTER, Terminal
from tests.service.running_service import running_service

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


class Host(Shop):
    """A shop whose service has a file of keys, and its profile a file with its API key."""

    server: SshServer
    api_key = 'api_key_file = "store.key"'

    def start_service(self) -> None:
        self.keys = self.home / "service-keys"
        self.use(add_key(self.keys, "ssh"))
        service = running_service(self.home, port=self._port, key_file=str(self.keys))
        self.service = self._running.enter_context(service)

    def use(self, text: str) -> None:
        """Put another key into the file, as ``install`` does."""
        new = self.home / "new"
        new.touch(mode=0o600)
        new.write_text(f"{text}\n")
        new.rename(self.home / "store.key")

    def users_of_keys(self) -> list[tuple[str | None, int]]:
        return [(line["key"], line["status"]) for line in self.service.lines()]

    @property
    def key_of_last_add(self) -> str | None:
        """The name of the API key with which an animal was added last; lists may come after it."""
        return [key for key, status in self.users_of_keys() if status == HTTPStatus.CREATED][-1]


@pytest.fixture
def host(home: Path, environment: Mapping[str, str]) -> Iterator[Host]:
    need_ssh()
    with ExitStack() as running:
        host = Host(home, environment, running)
        host.configure(delay=0)
        host.server = host.serve(workers=2)
        yield host


def add(terminal: Terminal, name: str, *, is_added: bool = True) -> None:
    """Add an animal in the form, and leave that if it is added."""
    terminal.open_form()
    terminal.press(name, "\t", "3", ENTER)
    sign = "✔" if is_added else "◌"
    terminal.wait_until(lambda: re.search(rf"{sign}.* {name} ", terminal.text) is not None, name)
    if is_added:
        terminal.press("\x1b")
        terminal.wait_until(lambda: "Add an animal" not in terminal.text, "the list")


def test_sessions_go_on_with_another_api_key_and_later_processes_have_it(host: Host) -> None:
    anna, ben = host.server.log_in(host.key), host.server.log_in(host.key)
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
    for worker in host.server.workers:
        os.kill(worker, signal.SIGKILL)
    host.server.wait_for_event("worker ended", 2)
    wait_until(lambda: len(host.server.workers) == 2, "other processes")
    add(host.server.log_in(host.key), "Luna")
    assert host.names["Luna"] == 1
    assert key not in host.server.log


def test_a_key_that_cannot_be_used_leaves_the_one_before_and_a_reload_reads_it_at_once(
    host: Host,
) -> None:
    anna = host.server.log_in(host.key)
    host.use("two words")
    os.kill(host.server.process.pid, signal.SIGHUP)
    reason = host.server.wait_for_event("warning", 2)["reason"]
    assert reason.endswith("one word of visible ASCII characters; the API key read before stays")
    assert "two words" not in host.server.log
    add(anna, "Castor")
    key = replace_key(host.keys, "ssh", overlap=timedelta(hours=1))
    add(anna, "Pollux")
    assert host.key_of_last_add == "ssh.former"
    host.use(key)
    os.kill(host.server.process.pid, signal.SIGHUP)
    host.server.wait_for_event("API key read again", 2)
    add(anna, "Rex")
    assert host.key_of_last_add == "ssh"
