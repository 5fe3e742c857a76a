"""Two servers over SSH whose users' outboxes are in one database."""

from __future__ import annotations

import os
import re
import signal
import socket
from contextlib import closing
from typing import TYPE_CHECKING

import asyncssh
import pytest

from pettui.outbox.entries import Draft
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.cli.conftest import finished
from tests.outbox.on_disk import outbox_directory
from tests.outbox.scripted import an_entry
from tests.peers.ssh_server import SshServer, wait_until
from tests.peers.terminal import ENTER, ESCAPE, PROGRAM
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.peers.ssh_shop import Chain
    from tests.service.private_postgres import PrivatePostgres

F3 = "\x1bOR"


def kill(server: SshServer) -> None:
    """Kill all of a server at once, as a machine that fails does."""
    for pid in (server.process.pid, *server.workers):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.exhaustive
def test_who_loses_a_server_finds_draft_and_outbox_on_the_next_one(chain: Chain) -> None:
    first, second = chain.serve(), chain.serve()
    terminal = first.log_in(chain.key)
    chain.service.stop()
    terminal.open_form()
    terminal.press("Castor", "\t", "3", ENTER)
    terminal.wait_for("◌")
    terminal.open_form()
    terminal.press("Pollux")
    wait_until(
        lambda: (
            chain.ask("SELECT count(*) FROM pettui_drafts WHERE content LIKE '%Pollux%'") == [(1,)]
        ),
        "draft",
    )
    kill(first)
    again = second.terminal(key=chain.key)
    again.wait_for("SHOP", "anna@till", "Take back")
    again.press("o")
    again.wait_for("Castor", "waiting")
    again.press(ESCAPE)
    again.open_form()
    again.wait_for("F3")
    again.press(F3)
    again.wait_for("Pollux")
    assert again.text.count("Castor") == 1
    status = second.administer("--status", f"--port={second.port}").stdout
    assert re.search(r"anna@till +(1 +0|0 +1) +0 +0\n", status), status


def test_what_was_on_the_disk_before_is_said_and_moved_into_the_database(chain: Chain) -> None:
    """While nobody knows, the outbox is not called empty."""
    fingerprint = asyncssh.read_public_key(chain.home / "authorized_keys").get_fingerprint()
    state = chain.home / ".local/state/pettui"
    directory = outbox_directory(state, f"ssh {fingerprint}", "shop", chain.service.base_url)
    with closing(DirectoryEntryStore(directory)) as store:
        store.add(an_entry("Castor"))
        store.keep_draft(0, Draft("Half", "3", typed_at=1.0))
    server = chain.serve()
    assert "pettui: 1 animal and 1 draft of 1 user wait in " in server.log
    terminal = server.log_in(chain.key)
    terminal.press("o")
    terminal.wait_for("Not all that you typed is here.", "1 animal and 1 draft of yours wait in")
    words = (PROGRAM, "outbox", "move", "--profile=shop", "--users", "--yes")
    moved = finished(words, chain.environment)
    assert (moved.returncode, "1 animal and 1 draft moved" in moved.stderr) == (0, True)
    terminal.wait_for("Castor", "added")
    assert "Not all that you typed" not in terminal.text
    terminal.open_form("brings it back")
    terminal.press(F3)
    terminal.wait_for("Half")


def test_while_the_database_is_away_the_form_says_so_and_what_is_typed_stays(
    chain: Chain, postgres: PrivatePostgres
) -> None:
    server = chain.serve()
    terminal = server.log_in(chain.key)
    terminal.open_form()
    with postgres.away():
        server.wait_for_event("state away")
        terminal.wait_for("the database of the outbox is away; what is typed stays here")
        terminal.press("Castor", "\t", "3", ENTER)
        terminal.wait_for("Castor", "Not added", "Retry")
        status = server.administer("--status", f"--port={server.port}").stdout
        assert "waits for the database of the outboxes: " in status
    server.wait_for_event("state available")
    terminal.press(ENTER)
    terminal.wait_until(lambda: chain.ask("SELECT count(*) FROM pettui_entries") == [(1,)], "one")


def test_what_the_database_refuses_is_told_to_who_types_and_to_who_runs_it(chain: Chain) -> None:
    """Though it answers; and what waits goes once it takes changes again."""
    server = chain.serve()
    terminal = server.log_in(chain.key)
    terminal.open_form()
    chain.do(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION 'could not extend file \"base/1/2\": No space left on device'"
        " USING ERRCODE = '53100'; END $$;"
        " CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON pettui_entries EXECUTE FUNCTION refuse()"
    )
    terminal.press("Castor", "\t", "3", ENTER)
    terminal.wait_for("Castor", "Not added", "the server cannot keep this now; tell whoever")
    assert "base/1/2" not in terminal.text
    assert "No space left on device" in server.wait_for_event("state away")["reason"]
    status = server.administer("--status", f"--port={server.port}").stdout
    assert "waits for the database of the outboxes: could not extend file" in status
    chain.do("DROP TRIGGER refuse ON pettui_entries")
    server.wait_for_event("state available")
    terminal.press(ENTER)
    terminal.wait_for("✔")
    assert "waits for" not in server.administer("--status", f"--port={server.port}").stdout


@pytest.mark.exhaustive
def test_a_server_waits_for_its_database_and_ends_if_that_cannot_be_used(
    chain: Chain, postgres: PrivatePostgres, tmp_path: Path
) -> None:
    first = chain.serve()
    first.stop()
    chain.ask("UPDATE pettui_state SET version = 99 RETURNING 1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(PATIENCE)
        chain.environment["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        with postgres.away():
            server = chain.serve()
            messages = {systemd.recv(1000).decode() for _ in range(2)}
            assert messages == {"READY=1", "STATUS=waits for the database of the outboxes"}
            assert server.process.poll() is None
    assert server.process.wait(PATIENCE) == 2
    assert "update pettui" in server.events("state failed")[0]["reason"]
