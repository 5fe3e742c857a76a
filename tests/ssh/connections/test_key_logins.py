"""Logging in with keys of the authorized keys file; which keys it allows: test_authorized_keys."""

from __future__ import annotations

import asyncio
import re
from contextlib import nullcontext
from typing import TYPE_CHECKING

import asyncssh
import pytest

from pettui.ssh.asyncssh_internals import USERAUTH_REQUEST
from pettui.ssh.logins import FAILURES_MAXIMUM
from tests.ssh.user_keys import KEY, OTHER, KeyFile, line, new_key

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ssh.conftest import Serve


async def test_a_user_who_logs_in_with_a_key_has_the_name_in_its_comment(
    serve: Serve, tmp_path: Path
) -> None:
    key = new_key("anna at the till")
    async with serve(KeyFile(tmp_path / "keys", line(key)).keys) as running:
        async with await running.connect(client_keys=[key]) as connection:
            screen = await running.open(connection)
            await screen.wait_for("DEMO", "Mitzi")
        begin = running.events("begin")[0]
        assert begin["key"] == "anna at the till"
        assert begin["fingerprint"] == key.get_fingerprint()


async def test_another_key_cannot_log_in(serve: Serve, tmp_path: Path) -> None:
    async with serve(KeyFile(tmp_path / "keys", line(KEY)).keys) as running:
        with pytest.raises(asyncssh.PermissionDenied):
            await running.connect(client_keys=[OTHER])
        with pytest.raises(asyncssh.PermissionDenied):
            await running.connect(client_keys=[], password="x")
        await running.wait_until(lambda: len(running.events("login refused")) == 2)
        unknown, without = running.events("login refused")
        assert unknown["time"]
        assert (unknown["address"], unknown["user"]) == ("127.0.0.1", "demo")
        assert unknown["client"].startswith("SSH-2.0-AsyncSSH")
        assert unknown["fingerprint"] == OTHER.get_fingerprint()
        assert [unknown["reason"], without["reason"]] == ["unknown key", "no key"]


@pytest.mark.parametrize(
    ("options", "lets_in"), [('from="127.0.0.1" ', True), ('from="192.0.2.0/24" ', False)]
)
async def test_the_options_of_a_key_are_applied_to_the_clients_address(
    serve: Serve, tmp_path: Path, options: str, lets_in: bool
) -> None:
    keys = KeyFile(tmp_path / "keys", options + line(KEY), line(OTHER)).keys
    async with serve(keys) as running:
        with nullcontext() if lets_in else pytest.raises(asyncssh.PermissionDenied):
            (await running.connect(client_keys=[KEY])).abort()


class Guessing(asyncssh.SSHClient):
    """A client that tries passwords, whatever the server offers."""

    def __init__(self, user: str) -> None:
        self.user = user
        self.done = asyncio.Event()

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self.connection = conn

    def public_key_auth_requested(self) -> None:
        string = asyncssh.packet.String
        words = (self.user, "ssh-connection", "password")
        request = (*map(string, words), b"\0", string("secret-password"))
        self.connection.try_next_auth = lambda **_: None  # a refusal does not make it give up
        for _ in range(FAILURES_MAXIMUM):
            self.connection.send_packet(USERAUTH_REQUEST, *request)

    def connection_lost(self, _exc: Exception | None) -> None:
        self.done.set()


async def test_passwords_are_refused_counted_and_not_in_the_log(
    serve: Serve, tmp_path: Path
) -> None:
    user = 'r\u00f6\u00f6t","reason":"' + "x" * 900
    async with serve(KeyFile(tmp_path / "keys", line(KEY)).keys) as running:
        guessing = Guessing(user)
        with pytest.raises(asyncssh.Error):
            await running.connect(client_factory=lambda: guessing, client_keys=[])
        async with asyncio.timeout(60):
            await guessing.done.wait()
        await running.wait_until(lambda: bool(running.events("dropped")))
        refused = running.events("login refused")
        assert {event["reason"] for event in refused} == {"no such method"}
        assert {event["method"] for event in refused} == {"password"}
        assert {event["user"] for event in refused} == {user[:80]}
        assert running.events("dropped")[0]["reason"] == "too many failures"
        text = running.log.getvalue()
        assert "secret-password" not in text
        assert not re.search(r"[^ -~\n]", text)


async def test_clients_that_are_no_ssh_are_in_the_log(serve: Serve) -> None:
    async with serve() as running:
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        writer.write(b"GET / HTTP/1.1\r\n\r\n" + b"x" * 10_000)
        await reader.read()
        writer.close()
        with pytest.raises(asyncssh.Error):
            await running.connect(kex_algs=["diffie-hellman-group16-sha512"])
        await running.wait_until(lambda: len(running.events("dropped")) == 2)
        reasons = [event["reason"] for event in running.events("dropped")]
        assert reasons == ["no login: ProtocolNotSupported", "no login: KeyExchangeFailed"]
        assert {event["address"] for event in running.events("dropped")} == {"127.0.0.1"}


async def test_a_user_name_of_control_characters_ends_the_connection_and_harms_no_terminal(
    serve: Serve, tmp_path: Path
) -> None:
    async with serve(KeyFile(tmp_path / "keys", line(KEY)).keys) as running:
        guessing = Guessing("\x1b[2J\n\x7f")
        with pytest.raises(asyncssh.Error):
            await running.connect(client_factory=lambda: guessing, client_keys=[])
        await running.wait_until(lambda: bool(running.events("dropped")))
        assert running.events("dropped")[0]["reason"] == "no login: IllegalUserName"
        assert not re.search(r"[^ -~\n]", running.log.getvalue())


async def test_a_connection_can_try_only_a_few_keys(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.ssh.logins.LONGEST_DELAY", 0.0)
    async with serve(KeyFile(tmp_path / "keys", line(KEY)).keys) as running:
        with pytest.raises(asyncssh.PermissionDenied, match="too many"):
            await running.connect(client_keys=[new_key() for _ in range(13)])
        assert running.events("dropped")[0]["reason"] == "too many failures"
