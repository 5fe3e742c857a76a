"""``serve`` as its caller sees it: what is around the users of a process, and what it warns of."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh import test_session
from pettui.ssh.options import SshSetupError
from pettui.ssh.server import serve
from tests.ssh.conftest import Screen
from tests.ssh.counter import Counter
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import os, sys, threading, time
from contextlib import asynccontextmanager
from textual.app import App
from textual.widgets import Label
from pettui.ssh import serve

PARENT, OPENED = os.getpid(), []
threading.Thread(target=time.sleep, args=(3600,), daemon=True, name="prices").start()

@asynccontextmanager
async def lifespan():
    OPENED.append(os.getpid())
    os.write(1, b"opened\\n")
    yield
    os.write(1, b"closed\\n")

class Shop(App):
    def compose(self):
        where = "in the worker" if OPENED == [os.getpid()] != [PARENT] else "elsewhere"
        yield Label(f"opened {where}")
    def on_unmount(self):
        os.write(1, b"the last user left\\n")

METRICS = ("127.0.0.1", 0)
sys.exit(serve(Shop, port=0, directory=sys.argv[1], lifespan=lifespan, metrics=METRICS))
"""


TAKEN_BY_TESTS = {"banner", "accept_env", "authorize", "lifespan"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"banner": 7}, "banner must be a text, not 7"),
        ({"banner": "x" * 4_001}, "banner must have at most 4,000 characters"),
        ({"accept_env": "LANG"}, "accept_env must be a list of names of variables, not 'LANG'"),
        ({"authorize": 7}, "authorize must be a function of a user, not 7"),
        ({"lifespan": 1}, "lifespan must be a function, not 1"),
        ({"workers": 65}, "workers must be a whole number from 1 to 64, not 65"),
        ({"port": 99_999}, "port must be a whole number from 0 to 65535, not 99999"),
        ({"idle_timeout": -1}, "idle_timeout must be seconds from 0 to 1000000, not -1"),
        ({"host": "0.0.0.0"}, "host 0.0.0.0 would let anyone on the network in; add public=True"),
        ({"host": "0.0.0.0", "public": True, "debug": True}, "debug shows tracebacks to all users"),
        ({"host": "192.0.2.1", "public": True}, "cannot listen on .*; choose another host or port"),
        ({"authorized_keys": "~/nowhere"}, "authorized_keys /.*/nowhere can't be read"),
        ({"trusted_proxies": "10.0.0.0/33"}, "trusted_proxies must be addresses or networks"),
        ({"metrics": ("0.0.0.0", 1)}, "metrics must be on loopback"),
        ({"host": "0.0.0.0", "public": "no"}, "public must be True or False, not 'no'"),
        ({"name": "../hello"}, "name must be a text without slashes, not '../hello'"),
        ({"authorized_keys": 5}, "authorized_keys must be a path, not 5"),
        ({"host_key": "/dev/null/key"}, "host_key: there is no directory /dev/null"),
    ],
    ids=lambda value: next(iter(value), "") if isinstance(value, dict) else "",
)
def test_an_argument_that_cannot_be_used_is_refused_with_words(
    arguments: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(SshSetupError, match=words) as refused:
        serve(Counter, **{"port": 0, "directory": tmp_path, **arguments})
    assert "--" not in str(refused.value), "it is named as it is written in Python"
    if TAKEN_BY_TESTS.issuperset(arguments):
        with pytest.raises(SshSetupError, match=words), test_session(Counter, **arguments):
            pass


def test_metrics_without_their_extra_are_refused_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pettui.ssh.server.find_spec", lambda _name: None)
    with pytest.raises(SshSetupError, match="metrics need an extra: pip install"):
        serve(Counter, port=0, metrics=("127.0.0.1", 0))


def started(directory: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(directory)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


async def test_lifespan_is_around_the_users_of_a_worker_and_threads_that_are_not_there_are_named(
    tmp_path: Path,
) -> None:
    with started(tmp_path) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            said = [json.loads(server.stderr.readline())["message"] for _ in range(4)]
            assert "warning: apps run in a process of their own" in said[3]
            assert said[3].endswith("already: prices; start them in lifespan")
            metrics = json.loads(server.stderr.readline())
            assert metrics["event"] == "metrics"
            assert metrics["port"] > 0
            port = int(said[2].split()[5])
            assert server.stdout.readline() == b"opened\n"
            login = {"username": "anna", "known_hosts": None, "client_keys": [], "config": None}
            async with asyncssh.connect("127.0.0.1", port, **login) as connection:
                options = {"term_type": "xterm-256color", "term_size": (80, 24), "encoding": None}
                _, screen = await connection.create_session(lambda: Screen((80, 24)), **options)
                await screen.wait_for("opened in the worker")
                server.terminate()
                await screen.end()
            assert server.wait(PATIENCE) == 0
            assert server.stdout.read() == b"the last user left\nclosed\n"
        finally:
            server.kill()
