"""Logging in with keys of the authorized keys file; which keys it allows: test_authorized_keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from tests.ssh.user_keys import KEY, OTHER, KeyFile, line, new_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


async def test_a_user_who_logs_in_with_a_key_has_the_name_in_its_comment(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    key = new_key("anna at the till")
    async with serve(KeyFile(tmp_path / "keys", line(key)).keys) as running:
        async with await running.connect(client_keys=[key]) as connection:
            screen = await running.open(connection)
            await screen.wait_for("DEMO", "Mitzi")
        begin = running.events("begin")[0]
        assert begin["key"] == "anna at the till"
        assert begin["fingerprint"] == key.get_fingerprint()


async def test_another_key_cannot_log_in(serve: Callable[..., Any], tmp_path: Path) -> None:
    async with serve(KeyFile(tmp_path / "keys", line(KEY)).keys) as running:
        with pytest.raises(asyncssh.PermissionDenied):
            await running.connect(client_keys=[OTHER])
        with pytest.raises(asyncssh.PermissionDenied):
            await running.connect(client_keys=[], password="x")


async def test_a_connection_can_try_only_a_few_keys(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.ssh.admission.logins.LONGEST_DELAY", 0.0)
    async with serve(KeyFile(tmp_path / "keys", line(KEY)).keys) as running:
        with pytest.raises(asyncssh.PermissionDenied, match="too many"):
            await running.connect(client_keys=[new_key() for _ in range(13)])
        assert running.events("dropped")[0]["reason"] == "too many failures"


async def test_a_key_that_is_added_again_can_log_in(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    file = KeyFile(tmp_path / "keys", line(KEY))
    async with serve(file.keys) as running:
        file.path.rename(tmp_path / "moved")
        with pytest.raises(asyncssh.PermissionDenied):
            await running.connect(client_keys=[KEY])
        (tmp_path / "moved").rename(file.path)
        async with await running.connect(client_keys=[KEY]) as connection:
            screen = await running.open(connection)
            await screen.wait_for("DEMO", "Mitzi")
