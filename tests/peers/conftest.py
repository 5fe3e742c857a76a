"""A mark for all that is here: what installed programs do, beside other programs."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.peers.hostile_services import Services
from tests.peers.ssh_server import SSH_PROGRAM, SshServer, need_ssh
from tests.peers.ssh_shop import Chain, Shop
from tests.peers.terminal import PROGRAM, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tests.service.private_postgres import PrivatePostgres

HERE = Path(__file__).parent


class Start(Protocol):
    """Starts the installed pettui in a terminal."""

    def __call__(
        self, *words: str, program: Sequence[str] = (PROGRAM,), **environment: str
    ) -> Terminal: ...


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark each test of this directory; pytest hands over those of all."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.peers)
    yield  # pytest leaves out what was not asked for
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    # Those that kill a program again and again take minutes, mostly of waiting: if one of them is the
    # last, all others are done long before it. The others that wait are spread likewise, but for
    # those that would have each worker start a database.
    items.sort(key=lambda item: "kill" not in item.nodeid)
    if workers > 1:
        items[:] = _spread(items, workers)


def _spread(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Have each worker, which gets the next part of the tests, begin with some of those that wait."""
    waiting, others = [], []
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        does_wait = item.get_closest_marker("peers") and "postgres" not in fixtures
        (waiting if does_wait else others).append(item)
    spread: list[pytest.Item] = []
    for worker in range(workers):
        part = waiting[worker::workers]
        left = (len(items) - len(spread)) // (workers - worker) - len(part)
        spread += part + others[: max(left, 0)]
        del others[: max(left, 0)]
    return spread + others


@pytest.fixture
def start(environment: Mapping[str, str], tmp_path: Path) -> Iterator[Start]:
    """Starts pettui, or a program that runs it; animals go out at once. It is ended with the test."""
    (tmp_path / "at-once.toml").write_text("delay = 0\n")
    usual = {**environment, "PETTUI_CONFIG": str(tmp_path / "at-once.toml")}
    with ExitStack() as terminals:

        def start(*words: str, program: Sequence[str] = (PROGRAM,), **more: str) -> Terminal:
            terminal = Terminal([*program, *words], {**usual, **more})
            return terminals.enter_context(closing(terminal))

        yield start


@pytest.fixture
def services() -> Iterator[Services]:
    """Opens services that take the given steps."""
    with closing(Services()) as services:
        yield services


@pytest.fixture
def serve_ssh(home: Path, environment: Mapping[str, str]) -> Iterator[Callable[..., SshServer]]:
    """Starts ``pettui ssh``, or another program, with these words; it ends well with the test."""
    need_ssh()
    servers: list[SshServer] = []

    def serve_ssh(*words: str, program: Sequence[str] = SSH_PROGRAM, **more: str) -> SshServer:
        servers.append(SshServer(home, {**environment, **more}, *words, program=program))
        return servers[-1]

    yield serve_ssh
    for server in servers:
        assert server.stop() == 0
        assert "Traceback" not in server.log, server.log


@pytest.fixture
def shop(home: Path, environment: Mapping[str, str]) -> Iterator[Shop]:
    """A service that runs, and a profile for it."""
    need_ssh()
    with ExitStack() as running:
        yield Shop(home, environment, running)


@pytest.fixture
def chain(home: Path, environment: Mapping[str, str], postgres: PrivatePostgres) -> Iterator[Chain]:
    """A shop whose users' outboxes are in a database."""
    need_ssh()
    with ExitStack() as running:
        yield Chain(home, environment, running, postgres.new_database("chain"))
