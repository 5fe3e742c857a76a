"""Threads of apps: each has its own, and those that outlive their session count for its address."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import textwrap
import threading
from typing import TYPE_CHECKING, Any

import pytest
from textual import work
from textual.app import App, ComposeResult
from textual.widgets import Label

from pettui.ssh import admission, fair_loop
from pettui.ssh.apps.any_app import AnyApp, served
from pettui.ssh.apps.served_app import RoutedPrints
from pettui.ssh.fair_loop import AppThreads
from pettui.system.logs import EventLog
from tests.ssh.conftest import KEY, serving
from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.ssh.apps.app_factory import User


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """What calls wait for that never return by themselves."""
    release = threading.Event()
    yield release
    release.set()


def none(_calls: int) -> None:
    """Nobody is told."""


async def test_so_many_calls_run_at_once_and_the_others_wait_in_order(
    release: threading.Event,
) -> None:
    threads, began = AppThreads(2, none), []

    def call(number: int) -> int:
        began.append(number)
        release.wait(PATIENCE)
        return number

    futures = [threads.submit(call, number) for number in range(6)]
    await until(lambda: sorted(began) == [0, 1])
    futures[3].cancel()
    release.set()
    ended = [futures[number] for number in (0, 1, 2, 4, 5)]
    assert [future.result(PATIENCE) for future in ended] == [0, 1, 2, 4, 5]
    assert began[2] == 2
    assert 3 not in began
    await until(lambda: not threads._running)


class Follower(App[None]):
    """Follows something in threads that never end."""

    def __init__(self, user: User, release: threading.Event, count: int) -> None:
        super().__init__()
        self.user = user
        self.release = release
        self.count = count

    def compose(self) -> ComposeResult:
        yield Label("-", id="said")

    def on_mount(self) -> None:
        if self.user.login == "greedy":
            for _ in range(self.count):
                self.follow()
            self.query_one("#said", Label).update("follows")
        else:
            self.look()

    @work(thread=True)
    def follow(self) -> None:
        self.release.wait(PATIENCE)

    @work
    async def look(self) -> None:
        await asyncio.to_thread(int)
        await asyncio.get_running_loop().getaddrinfo("localhost", 80)
        self.query_one("#said", Label).update("looked")


def factory(release: threading.Event, count: int = 40) -> AnyApp:
    return AnyApp(lambda user: served(Follower)(user, release, count))


GREEDY = {"username": "greedy"}


async def test_threads_of_one_app_hold_up_no_other_one_and_no_authorize(
    release: threading.Event,
) -> None:
    async def authorize(_user: User) -> bool:
        await asyncio.to_thread(int)
        return True

    keyed: dict[str, Any] = {"client_keys": [KEY]}
    async with (
        serving(factory(release), authorize=authorize) as running,
        running.opened({**GREEDY, **keyed}) as greedy,
    ):
        await greedy.wait_for("follows")
        async with running.opened({"username": "anna", **keyed}) as screen:
            await screen.wait_for("looked")
    assert running.bugs == []


async def test_calls_that_wait_for_long_are_in_the_log_with_their_user_and_session(
    release: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_loop, "LONG_WAIT", 0.05)
    async with serving(factory(release, 5), threads=3) as running, running.opened(GREEDY):
        await until(lambda: running.events("threads busy"))
        event, *_ = running.events("threads busy")
        shown = [event[name] for name in ("user", "session", "threads", "waiting")]
        assert shown == ["greedy", 1, 3, 2]


async def test_threads_that_outlive_their_sessions_keep_their_address_out(
    release: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "THREADS_MAXIMUM", 6)
    async with serving(factory(release, 3)) as running:
        for _ in range(2):
            async with running.opened(GREEDY) as greedy:
                await greedy.wait_for("follows")
        await until(lambda: running.link.admission.counts() == (0, 0))
        async with running.opened() as screen:
            assert await screen.end() == 1
            assert b"6 threads of ended sessions from your address still run" in screen.errors
        release.set()
        await until(lambda: not any(running.link.admission._threads.values()))
        async with running.opened() as screen:
            await screen.wait_for("looked")


def test_no_call_keeps_a_process_from_ending() -> None:
    script = """
        import asyncio, threading
        from textual._context import active_app
        from textual.app import App
        from pettui.ssh.fair_loop import FairEventLoop
        async def main():
            loop = asyncio.get_running_loop()
            loop.run_in_executor(None, threading.Event().wait)
            active_app.set(App())
            loop.run_in_executor(None, threading.Event().wait)
            print("ends")
        with asyncio.Runner(loop_factory=FairEventLoop) as runner:
            runner.run(main())
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    ended = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True)
    assert ended.stdout == b"ends\n"


async def test_what_threads_print_is_discarded_as_what_apps_print(
    capfd: pytest.CaptureFixture[str],
) -> None:
    log = io.StringIO()
    prints = RoutedPrints(EventLog(log), None)
    printing = threading.Thread(target=lambda: print("of a thread", file=prints))
    printing.start()
    await asyncio.to_thread(printing.join)
    assert log.getvalue() == ""
    print("of the server", file=prints)
    assert "of the server" in log.getvalue()
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""
