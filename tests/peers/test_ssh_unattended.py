"""What users of ``pettui ssh --profile`` left is sent by the server: once, whoever is killed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pettui.client import PetClient
from pettui.outbox import (
    DirectoryEntryStore,
    EntryState,
    Outbox,
    entry_counts,
    outbox_directory,
)
from tests.exhaustive import times
from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.peers.terminal import ENTER, PROGRAM, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEY = "sekrit-0123456789"
F8 = "\x1b[19~"
UNREACHED = 20  # so many animals left by one user take a moment to be sent
KILLS = times(30)


class Service:
    """``pettui serve`` in another process, which goes away and comes back at one address."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._home = home
        self._environment = {**environment, "PETTUI_SERVICE_KEYS": KEY}
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        log = self._home / f"service-{os.urandom(4).hex()}.log"
        with log.open("wb") as stream:
            self._process = subprocess.Popen(
                [PROGRAM, "serve", f"--port={self.port}", f"--database={self._home / 'served'}"],
                env=self._environment,
                stderr=stream,
            )
        wait_until(lambda: "serving http" in log.read_text(), "the service")
        found = re.search(r"serving http://\S+:(\d+)", log.read_text())
        assert found is not None
        self.port = int(found[1])

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            assert self._process.wait(30) == 0
        self._process = None

    @property
    def names(self) -> Counter[str]:
        """How often each animal is there."""
        with closing(sqlite3.connect(self._home / "served")) as database:
            rows = database.execute("SELECT CAST(name AS TEXT) FROM pets")
            return Counter(name for (name,) in rows)


class Shop:
    """A profile that is served over SSH, its service, and a user with a key."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self.home = home
        self.service = Service(home, environment)
        configuration = home / "config.toml"
        self.environment = {
            **environment, "PETTUI_CONFIG": str(configuration), "SHOP_KEY": KEY
        }  # fmt: skip
        self.configure(delay=1)
        self.key = self.add_user("anna")
        shown = subprocess.run(
            ["ssh-keygen", "-lf", self.key], capture_output=True, text=True, check=True
        )
        self.fingerprint = shown.stdout.split()[1]
        self.servers: list[SshServer] = []

    def add_user(self, name: str) -> Path:
        """Let somebody in with a key of their own, and return its path."""
        key = self.home / f"id_{name}"
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"{name}@till", "-f", key]
        subprocess.run(words, check=True)
        keys = self.home / "authorized_keys"
        keys.touch(mode=0o600)
        keys.write_text(keys.read_text() + key.with_suffix(".pub").read_text())
        return key

    def configure(self, *, delay: float) -> None:
        (self.home / "config.toml").write_text(
            f"delay = {delay}\n[profiles.shop]\n"
            f'base_url = "{self.service.address}"\napi_key_env = "SHOP_KEY"\n'
        )

    def serve(self, *, workers: int = 1) -> SshServer:
        keys = f"--authorized-keys={self.home / 'authorized_keys'}"
        words = ("--profile=shop", f"--workers={workers}", keys)
        self.servers.append(SshServer(self.home, self.environment, *words))
        return self.servers[-1]

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
        directory = outbox_directory(self.state, owner, "shop", self.service.address)

        async def add() -> None:
            client = PetClient(self.service.address, KEY)
            outbox = Outbox(DirectoryEntryStore(directory), client, delay=60)
            outbox.start()
            for name in names:
                await outbox.add(name, 3, None)
            await outbox.close()
            await client.aclose()

        asyncio.run(add())
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

    def status(self) -> dict[str, Any]:
        finished = subprocess.run(
            [PROGRAM, "ssh", "--status", "--json"],
            env=self.environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return json.loads(finished.stdout)


@pytest.fixture
def shop(home: Path, environment: Mapping[str, str]) -> Iterator[Shop]:
    """A service that runs, and a profile for it."""
    need_ssh()
    shop = Shop(home, environment)
    yield shop
    for server in shop.servers:
        server.stop()
        assert KEY not in server.log
    shop.service.stop()


def add(terminal: Terminal, name: str) -> None:
    """Add an animal in the form, where it waits."""
    terminal.press("a")
    terminal.wait_for("Add an animal")
    terminal.press(name, "\t", "3", ENTER)
    terminal.wait_until(
        lambda: re.search(rf"◌ +{name} .* waiting", terminal.text) is not None, name
    )


def takes_back(terminal: Terminal) -> bool:
    """Press F8, which takes back nothing that is being sent, and say whether all is back."""
    terminal.press(F8)
    terminal.read()
    return "◌" not in terminal.text


def cut(terminal: Terminal) -> None:
    """Lose the line."""
    terminal.kill(signal.SIGKILL)


def test_an_animal_whose_line_was_cut_is_added_once_and_its_user_is_told_at_the_next_login(
    shop: Shop,
) -> None:
    server = shop.serve()
    terminal = server.terminal(key=shop.key)
    terminal.wait_for("SHOP", "anna@till")
    shop.service.stop()
    add(terminal, "Castor")
    cut(terminal)
    server.wait_for_event("end")
    assert "refused" in server.wait_for_event("outbox waits")["reason"]
    shop.service.start()
    sent = server.wait_for_event("outbox sent")
    assert (sent["key"], sent["fingerprint"]) == ("anna@till", shop.fingerprint)
    assert (sent["added"], sent["refused"], sent["unknown"], sent["waiting"]) == (1, 0, 0, 0)
    assert shop.service.names == {"Castor": 1}

    again = server.terminal(key=shop.key)
    again.wait_for("Castor", "Since your last login, 1 animal that you left was added.")
    again.press("\x11")
    assert again.wait_for_end() == 0
    later = server.terminal(key=shop.key)
    later.wait_for("Castor")
    assert "Since your last login" not in later.text
    assert shop.service.names == {"Castor": 1}
    assert not [*shop.home.rglob("lists")]  # what a service lists is not kept for its users


def test_what_is_left_by_quitting_is_sent_and_the_last_line_says_so(shop: Shop) -> None:
    server = shop.serve()
    shop.service.stop()
    terminal = server.terminal(key=shop.key)
    add(terminal, "Castor")
    terminal.press("\x11")
    terminal.wait_for("1 animal not sent yet", "by the server", "q Quit")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    assert "1 animal not sent yet; it will be sent by the server" in terminal.after_screen()
    shop.service.start()
    server.wait_for_event("outbox sent")
    assert shop.service.names == {"Castor": 1}


def test_what_was_typed_survives_a_killed_client_and_server(shop: Shop) -> None:
    server = shop.serve()
    terminal = server.terminal(key=shop.key)
    terminal.wait_for("SHOP")
    shop.service.stop()
    add(terminal, "Castor")
    terminal.press("Half typ")
    terminal.wait_for("Half typ")
    cut(terminal)
    server.wait_for_event("outbox waits")
    assert server.events("end")[0]["reason"] == "cut"
    server.stop(signal.SIGKILL)
    server = shop.serve()
    again = server.terminal(key=shop.key)
    again.wait_for("1 unsent")
    again.press("a")
    again.wait_for("Half typ", "Castor", "waiting")
    assert not [path for path in shop.home.rglob("*.json") if path.stat().st_mode & 0o077]
    wait_until(lambda: takes_back(again), "Castor back in the form")
    cut(again)
    server.wait_for_event("end")
    shop.service.start()
    third = server.terminal(key=shop.key)
    third.press("a")
    third.wait_for("Castor")
    assert not shop.service.names


def test_users_do_not_see_what_others_typed(shop: Shop) -> None:
    bens_key = shop.add_user("ben")
    server = shop.serve()
    hers, his = server.terminal(key=shop.key), server.terminal(key=bens_key)
    hers.wait_for("anna@till")
    shop.service.stop()
    add(hers, "Castor")
    his.press("a")
    his.wait_for("ben@till", "Add an animal")
    assert "Castor" not in his.text


def test_what_waits_and_what_is_unknown_is_counted_by_user(shop: Shop) -> None:
    directory = shop.leave("Castor", "Pollux", "Luna")
    store = DirectoryEntryStore(directory)
    first = store.load().entries[0]
    store.change(first, first.becoming(EntryState.SENDING))  # and then it was killed
    store.close()
    (directory / "user.json").write_text(
        json.dumps({"name": "anna\x1b[2J@till", "fingerprint": shop.fingerprint})
    )
    shop.service.stop()
    server = shop.serve()
    server.wait_for_event("outbox waits")
    [user] = shop.status()["users"]
    assert user == {
        "name": "anna\x1b[2J@till", "fingerprint": shop.fingerprint, "own_key": False,
        "waiting": 2, "sending": 0, "refused": 0, "unknown": 1,
    }  # fmt: skip
    asked = subprocess.run(
        [PROGRAM, "ssh", "--status"], env=shop.environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    *_, columns, row = asked.stdout.splitlines()
    assert columns.split() == ["user", "waiting", "sending", "refused", "unknown"]
    assert row.split()[-4:] == ["2", "0", "0", "1"]
    found = subprocess.run(
        [PROGRAM, "doctor"], env=shop.environment, capture_output=True, text=True, check=False
    )
    assert re.search(r"^  anna\S+till +2 waiting, 1 unknown \(shop\)$", found.stdout, re.MULTILINE)
    assert str(shop.state / "outbox") in found.stdout
    for text in (asked.stdout, found.stdout):
        assert "\x1b" not in text


@pytest.mark.exhaustive
def test_whenever_workers_are_killed_nothing_is_lost_or_added_twice(shop: Shop) -> None:
    chance = random.Random(KILLS)
    shop.configure(delay=0)
    server = shop.serve(workers=2)
    left: list[str] = []
    for kill in range(KILLS):
        names = [f"{kill} {number}" for number in range(UNREACHED)]
        for user in range(2):
            shop.leave(*names[user::2], fingerprint=f"SHA256:user{user}")
        left += names
        wait_until(lambda: len(server.workers) == 2, "both workers")
        for worker in chance.sample(server.workers, chance.randint(1, 2)):
            os.kill(worker, signal.SIGKILL)
        wait_until(lambda: shop.holder() in server.workers, "a worker that sends")
        time.sleep(chance.uniform(0, 0.3))  # not a wait: any moment of sending may be the last
    holder = shop.holder()
    if holder is not None:
        os.kill(holder, signal.SIGKILL)
    wait_until(lambda: set(shop.counts) <= {"unknown"}, "all sent")
    names_there = shop.service.names
    unknown = {
        json.loads(path.read_text())["name"]
        for path in shop.state.glob("outbox/ssh*/shop-*/*.unknown.json")
    }
    print(f"\n{KILLS} kills, {len(left)} left, {len(names_there)} added, {len(unknown)} unknown")
    assert max(names_there.values()) == 1
    assert names_there.keys() | unknown == set(left)
