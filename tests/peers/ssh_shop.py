"""A shop whose animals are served over SSH: its service, its users, and what they leave."""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import psycopg

from pettui.outbox.entries import EntryState
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.outbox.on_disk import entry_counts, outbox_directory
from tests.outbox.scripted import an_entry
from tests.peers.ssh_server import SSH_PROGRAM, SshServer, write_key
from tests.peers.terminal import ENTER, Terminal
from tests.ports import reserved_port
from tests.service.running_service import KEY, running_service

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Shop:
    """A profile that is served over SSH, its service, and a user with a key."""

    api_key = 'api_key_env = "SHOP_KEY"'

    def __init__(
        self, home: Path, environment: Mapping[str, str], running: ExitStack, **more: str
    ) -> None:
        self.home = home
        configuration = str(home / "config.toml")
        self.environment = {**environment, "PETTUI_CONFIG": configuration, "SHOP_KEY": KEY, **more}
        self._running = running
        self._port = running.enter_context(reserved_port())
        self.start_service()
        self.configure(delay=1)
        self.key = home / "anna"
        self.fingerprint = self.add_user("anna")

    def start_service(self) -> None:
        self.service = self._running.enter_context(running_service(self.home, port=self._port))

    @property
    def names(self) -> Counter[str]:
        """How often each animal is in the store."""
        with closing(sqlite3.connect(self.home / "pets.db")) as database:
            rows = database.execute("SELECT CAST(name AS TEXT) FROM pets")
            return Counter(name for (name,) in rows)

    def add_user(self, name: str) -> str:
        """Let somebody in with a key of their own; return its fingerprint."""
        key = write_key(self.home / name, f"{name}@till")
        keys = self.home / "authorized_keys"
        keys.touch(mode=0o600)
        keys.write_text(keys.read_text() + key.export_public_key().decode())
        return key.get_fingerprint()

    def configure(self, *, delay: float) -> None:
        (self.home / "config.toml").write_text(
            f"delay = {delay}\n[profiles.shop]\n"
            f'base_url = "{self.service.base_url}"\n{self.api_key}\n'
        )

    def serve(
        self,
        *more: str,
        workers: int = 1,
        program: Sequence[str] = SSH_PROGRAM,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> SshServer:
        keys = f"--authorized-keys={self.home / 'authorized_keys'}"
        words = ("--profile=shop", f"--workers={workers}", keys, *more)
        server = SshServer(self.home, {**self.environment, **environment}, *words, program=program)
        self._running.callback(self._stop, server)
        return server

    def _stop(self, server: SshServer) -> None:
        server.stop()
        assert KEY not in server.log

    @property
    def state(self) -> Path:
        return self.home / ".local/state/pettui"

    @property
    def counts(self) -> Counter[str]:
        """What did not go out, of all users, by state."""
        found = (self.state / "outbox").glob("ssh*/shop-*")
        counts = sum((Counter(entry_counts(each)) for each in found), Counter())
        del counts["added"]
        return counts

    def leave(self, *names: str, fingerprint: str = "") -> Path:
        """Leave animals as a session does that was killed; return the outbox's directory."""
        owner = f"ssh {fingerprint or self.fingerprint}"
        directory = outbox_directory(self.state, owner, "shop", self.service.base_url)
        with closing(DirectoryEntryStore(directory)) as store:
            store.load()
            for name in names:
                store.add(
                    an_entry(name, EntryState.WAITING, entry_id=f"{time.time_ns():020d}-00000000")
                )
        return directory

    def holder(self) -> int | None:
        """Return the process id of the worker that sends; None while none does."""
        locks = [*self.state.glob("unattended/shop-*.lock")]
        if not locks:
            return None
        inode = locks[0].stat().st_ino
        for line in Path("/proc/locks").read_text().splitlines():
            words = line.split()
            if words[1] == "FLOCK" and words[5].endswith(f":{inode}"):
                return int(words[4])
        return None


class Chain(Shop):
    """A shop with several servers over SSH, whose users' outboxes are in one database."""

    def __init__(
        self, home: Path, environment: Mapping[str, str], running: ExitStack, address: str
    ) -> None:
        super().__init__(home, environment, running, PETTUI_STATE=address)
        self.address = address

    def do(self, statements: str) -> None:
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(statements)

    def ask(self, statement: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.address, autocommit=True) as connection:
            return connection.execute(statement).fetchall()


def add(terminal: Terminal, name: str) -> None:
    """Add an animal in the form, where it waits."""
    terminal.open_form()
    terminal.press(name, "\t", "3", ENTER)
    terminal.wait_until(
        lambda: re.search(rf"◌ +{name} .* waiting", terminal.text) is not None, name
    )
