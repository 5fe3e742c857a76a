"""A mark for all that is here: what installed programs do, beside other programs."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.peers.hostile_services import Services
from tests.peers.ssh_server import SSH_PROGRAM, SshServer, need_ssh
from tests.peers.terminal import PROGRAM, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

HERE = Path(__file__).parent


class Start(Protocol):
    """Starts the installed pettui in a terminal."""

    def __call__(
        self, *words: str, program: Sequence[str] = (PROGRAM,), **environment: str
    ) -> Terminal: ...


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what was not asked for
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test of this directory; pytest hands over those of all."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.peers)
    # Those that kill a program again and again take minutes, mostly of waiting: if one of them is the
    # last, all others are done long before it.
    items.sort(key=lambda item: "kill" not in item.nodeid)


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
