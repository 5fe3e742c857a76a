"""What users of ``pettui ssh --profile`` left is sent by the server: once, whoever is killed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

from pettui.outbox.entries import EntryState
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.cli.conftest import finished
from tests.exhaustive import times
from tests.peers.ssh_server import wait_until
from tests.peers.ssh_shop import Shop, add
from tests.peers.terminal import PROGRAM

F3 = "\x1bOR"
UNREACHED = 20  # so many animals left by one user take a moment to be sent
KILLS = times(30)
MOVE = (PROGRAM, "outbox", "move", "--profile=shop", "--users", "--yes")


def test_an_animal_whose_line_was_cut_is_added_once_and_its_user_is_told_at_the_next_login(
    shop: Shop,
) -> None:
    server = shop.serve()
    terminal = server.log_in(shop.key)
    shop.service.stop()
    add(terminal, "Castor")
    terminal.kill(signal.SIGKILL)
    server.wait_for_event("end")
    assert "refused" in server.wait_for_event("outbox waits")["reason"]
    shop.start_service()
    sent = server.wait_for_event("outbox sent")
    assert (sent["key"], sent["fingerprint"]) == ("anna@till", shop.fingerprint)
    assert (sent["added"], sent["refused"], sent["unknown"], sent["waiting"]) == (1, 0, 0, 0)
    assert shop.names == {"Castor": 1}

    again = server.terminal(key=shop.key)
    again.wait_for("Castor", "Since your last login, 1 animal that you left was added.")
    again.quit()
    later = server.terminal(key=shop.key)
    later.wait_for("Castor")
    assert "Since your last login" not in later.text
    assert shop.names == {"Castor": 1}
    assert not [*shop.home.rglob("lists")]  # what a service lists is not kept for its users


def test_what_is_left_by_quitting_is_sent_and_the_last_line_says_so(shop: Shop) -> None:
    shop.configure(delay=8)  # an animal that is on its way is no reason to ask
    server = shop.serve()
    shop.service.stop()
    terminal = server.terminal(key=shop.key)
    add(terminal, "Castor")
    terminal.press("\x11")
    terminal.wait_for("1 animal not sent yet", "by the server", "q Quit")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    assert "1 animal not sent yet; it will be sent by the server" in terminal.after_screen()
    shop.start_service()
    server.wait_for_event("outbox sent")
    assert shop.names == {"Castor": 1}


def test_what_a_revoked_user_left_waiting_is_sent_unless_somebody_has_it_forgotten(
    shop: Shop,
) -> None:
    shop.add_user("ben")
    server = shop.serve()
    shop.service.stop()
    shop.leave("Pollux")
    terminal = server.terminal(key=shop.key)
    add(terminal, "Castor")
    keys = shop.home / "authorized_keys"
    keys.write_text(keys.read_text().splitlines()[1])
    assert server.administer("--end", shop.fingerprint).stdout == "1 session ended\n"
    terminal.wait_for_end()

    def outbox(*words: str) -> subprocess.CompletedProcess[str]:
        whose = ("--profile=shop", f"--user={shop.fingerprint}")
        return finished([PROGRAM, "outbox", *words, *whose], shop.environment)

    pollux, castor = map(json.loads, outbox("list", "waiting", "--json").stdout.splitlines())
    assert (pollux["name"], castor["name"]) == ("Pollux", "Castor")
    wait_until(  # it is left alone while the server tries to send it
        lambda: "1 animal forgotten" in outbox("forget", pollux["key"]).stderr,
        "an outbox that nobody has open",
    )
    shop.start_service()
    wait_until(lambda: not shop.counts, "what waited")
    assert shop.names == {"Castor": 1}


def test_what_was_typed_survives_a_killed_client_and_server(shop: Shop) -> None:
    server = shop.serve()
    terminal = server.log_in(shop.key)
    shop.service.stop()
    add(terminal, "Castor")
    terminal.press("Half typ")
    terminal.wait_for("Half typ")
    terminal.kill(signal.SIGKILL)
    server.wait_for_event("outbox waits")
    assert server.events("end")[0]["reason"] == "cut"
    server.stop(signal.SIGKILL)
    server = shop.serve()
    again = server.terminal(key=shop.key)
    again.wait_for("1 unsent")
    again.press("a")
    again.wait_for("Half typ", "Castor", "waiting")
    assert not [path for path in shop.home.rglob("*.json") if path.stat().st_mode & 0o077]


def test_users_do_not_see_what_others_typed(shop: Shop) -> None:
    shop.add_user("ben")
    server = shop.serve()
    hers, his = server.terminal(key=shop.key), server.terminal(key=shop.home / "ben")
    hers.wait_for("anna@till")
    shop.service.stop()
    add(hers, "Castor")
    his.press("a")
    his.wait_for("ben@till", "Add an animal")
    assert "Castor" not in his.text


def test_a_new_laptop_finds_what_was_typed_on_the_old_one(shop: Shop) -> None:
    shop.add_user("ben")  # her laptop, whose key has a comment of its own
    server = shop.serve()
    shop.service.stop()
    old = server.terminal(key=shop.key)
    add(old, "Castor")
    old.press("Half typ")
    old.wait_for("Half typ")
    old.kill(signal.SIGKILL)
    server.wait_for_event("end")
    keys = shop.home / "authorized_keys"
    account = 'environment="PETTUI_USER=anna" '
    keys.write_text("".join(f"{account}{each}\n" for each in keys.read_text().splitlines()))
    laptop = server.terminal(key=shop.home / "ben")
    laptop.wait_for("SHOP", "anna ", "1 unsent")
    joined = server.wait_for_event("outbox joined")
    assert (joined["account"], joined["fingerprint"]) == ("anna", shop.fingerprint)
    assert (joined["animals"], joined["drafts"], joined["left"]) == (1, 1, 0)
    laptop.press("a")
    laptop.wait_for("Castor", "Add an animal", "brings it back")
    laptop.press(F3)
    laptop.wait_for("Half typ")
    old = server.terminal(key=shop.key)  # at the same time, as a second window
    old.wait_for("SHOP", "anna ")
    old.press("o")
    old.wait_for("Castor", "waiting")
    for terminal in (old, laptop):
        terminal.kill(signal.SIGKILL)
    server.wait_for_event("end", 3)
    shop.start_service()
    server.wait_for_event("outbox sent")
    assert shop.names == {"Castor": 1}
    assert server.events("begin")[-1]["account"] == "anna"


@pytest.mark.exhaustive
def test_whenever_a_move_is_killed_each_animal_is_added_once(shop: Shop) -> None:
    names = [f"animal {number}" for number in range(12)]
    shop.leave(*names)
    configuration = shop.home / "config.toml"
    configuration.write_text(configuration.read_text().replace("127.0.0.1", "localhost"))
    shop.serve()  # it sends what is there at once, while others are still on their way
    for _ in range(KILLS):
        process = subprocess.Popen(
            MOVE, env=shop.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(random.uniform(0.25, 0.6))
        process.kill()
        process.wait()
    wait_until(lambda: finished(MOVE, shop.environment).returncode == 0, "the end of the move")
    wait_until(lambda: len(shop.names) == len(names), "all of them")
    assert shop.names == dict.fromkeys(names, 1)


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
    user = {
        "name": "anna\x1b[2J@till", "fingerprint": shop.fingerprint, "own_key": False,
        "refused": 0, "unknown": 1,
    }  # fmt: skip

    def status(*options: str) -> str:
        return server.administer("--status", *options).stdout

    def is_counted() -> bool:
        """Each attempt to reach the service is a moment in which one of them is being sent."""
        [found] = json.loads(status("--json"))["users"]
        return found.pop("waiting") + found.pop("sending") == 2 and found == user

    wait_until(is_counted, "the status as JSON")
    numbers = r" +(2 +0|1 +1) +0 +1$"
    table = re.compile(r"^user +waiting +sending +refused +unknown\n.*" + numbers, re.MULTILINE)
    wait_until(lambda: table.search(status()), "the status")
    assert "\x1b" not in status()


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
    if (holder := shop.holder()) is not None:
        os.kill(holder, signal.SIGKILL)
    wait_until(lambda: set(shop.counts) <= {"unknown"}, "all sent")
    names_there = shop.names
    unknown = {
        json.loads(path.read_text())["name"]
        for path in shop.state.glob("outbox/ssh*/shop-*/*.unknown.json")
    }
    print(f"\n{KILLS} kills, {len(left)} left, {len(names_there)} added, {len(unknown)} unknown")
    with closing(sqlite3.connect(shop.home / "pets.db")) as database:
        added = {pet_id for (pet_id,) in database.execute("SELECT id FROM pets")}
    told = {event["id"] for event in server.events("animal added")}
    assert told <= added
    assert len(added - told) <= len(unknown)  # each is there, or nobody knows that it is
    assert max(names_there.values()) == 1
    assert names_there.keys() | unknown == set(left)
