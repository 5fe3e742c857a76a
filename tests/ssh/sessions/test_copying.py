"""A copy goes to the clipboard of the client's terminal (OSC 52)."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pettui.ssh.session import SshSession
    from tests.ssh.conftest import Screen, Serve

COPY = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07")
TINY = '{"id":42,"name":"Tiny 🐹","categoryId":7,"status":"available"}'


def copies(screen: Screen) -> list[str]:
    """Return what came for the clipboard, in order."""
    return [base64.b64decode(copy).decode() for copy in COPY.findall(screen.written)]


async def test_an_id_and_an_animal_reach_the_clients_clipboard_exactly(serve: Serve) -> None:
    async with serve() as running, running.session() as screen:
        screen.press("#", "4", "2", "\r", "y", "Y")
        await screen.wait_for("copied animal 42 as JSON, if this terminal allows it")
        assert copies(screen) == ["42", TINY]
        assert json.loads(TINY)["name"] in screen.text


async def test_copies_do_not_accumulate_for_a_client_that_stops_reading(serve: Serve) -> None:
    async with serve() as running, await running.connect() as connection:
        screen = await running.open(connection, window=4 * 1024)
        await screen.wait_for(" shown")
        [session] = running.state.sessions.values()
        screen.channel.pause_reading()
        screen.press("#", "4", "2", "\r", *"yY" * 100)
        await running.wait_until(lambda: is_done(session))
        assert session.runner.output.backlog < 1024
        screen.channel.resume_reading()
        await screen.wait_until(lambda: copies(screen)[-1:] == [TINY])
        assert len(copies(screen)) < 200


def is_done(session: SshSession) -> bool:
    """Whether all keys were read."""
    runner = session.runner
    has_begun = runner.output.backlog > 0
    return has_begun and not runner.input._buffer and not runner.app.pending_events


async def test_an_export_is_copied_and_no_file_is_written(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with serve() as running, running.session() as screen:
        screen.press("e")
        await screen.wait_for("Copy as")
        screen.press("\x15", *"pets.jsonl", "\r")
        await screen.wait_for("rows as JSON Lines, if this terminal allows it")
        [copied] = copies(screen)
        assert TINY in copied.splitlines()
        assert names_in(tmp_path) == []


def names_in(directory: Path) -> list[str]:
    """Return the files of a directory."""
    return [path.name for path in directory.iterdir()]
