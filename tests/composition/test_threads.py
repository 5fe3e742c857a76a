"""Calls in threads: awaited while they are almost done, and left where they never return."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING

from pettui.composition.threads import use_loop_threads
from tests.cli.conftest import finished
from tests.peers.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_NAME_SERVER = """
import os, signal, socket, sys, threading

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it

def look_up(*_, **__):
    if "list" in sys.argv:
        os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait()

socket.getaddrinfo = look_up
from pettui.cli import main
sys.exit(main(sys.argv[1:]))
"""
ADDRESS = {"PETTUI_BASE_URL": "https://store.example/v1", "PETTUI_API_KEY": "key-of-the-tests"}


def test_the_end_does_not_wait_for_a_call_that_never_returns() -> None:
    never = threading.Event()

    async def call() -> None:
        use_loop_threads()
        asyncio.get_running_loop().run_in_executor(None, never.wait)

    asyncio.run(call())
    assert not never.is_set()
    never.set()


def test_the_app_quits_while_a_host_is_looked_up(environment: Mapping[str, str]) -> None:
    terminal = Terminal([sys.executable, "-c", NO_NAME_SERVER], {**environment, **ADDRESS})
    terminal.wait_for("loading all animals")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def test_a_one_shot_command_is_interrupted_while_a_host_is_looked_up(
    environment: Mapping[str, str],
) -> None:
    words = [sys.executable, "-c", NO_NAME_SERVER, "list"]
    ended = finished(words, {**environment, **ADDRESS})
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
