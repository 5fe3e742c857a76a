"""Logging in with keys of the authorized keys file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh.authorized_keys import AuthorizedKeys
from pettui.ssh.errors import SshSetupError
from tests.ssh.user_keys import line, new_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def authorize(tmp_path: Path) -> Callable[..., AuthorizedKeys]:
    """Return a function that writes a file of authorized keys and reads it."""

    def authorize(*lines: str) -> AuthorizedKeys:
        path = tmp_path / "authorized_keys"
        path.write_text("".join(f"{each}\n" for each in ("# a comment", "", *lines)))
        path.chmod(0o600)
        return AuthorizedKeys(path)

    return authorize


async def test_a_user_who_logs_in_with_a_key_has_the_name_in_its_comment(
    serve: Callable[..., Any], authorize: Callable[..., AuthorizedKeys]
) -> None:
    key = new_key("anna at the till")
    keys = authorize(line(key))
    async with serve(keys) as running:
        async with await running.connect(client_keys=[key]) as connection:
            screen = await running.open(connection)
            await screen.wait_for("DEMO", "Mitzi")
        begin = running.events("begin")[0]
        assert begin["name"] == "anna at the till"
        assert begin["fingerprint"] == key.get_fingerprint()


async def test_another_key_cannot_log_in(
    serve: Callable[..., Any], authorize: Callable[..., AuthorizedKeys]
) -> None:
    keys = authorize(line(new_key()))
    async with serve(keys) as running:
        with pytest.raises(asyncssh.PermissionDenied):
            await running.connect(client_keys=[new_key()])
        with pytest.raises(asyncssh.PermissionDenied):
            await running.connect(client_keys=[], password="x")


async def test_a_connection_can_try_only_a_few_keys(
    serve: Callable[..., Any],
    authorize: Callable[..., AuthorizedKeys],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pettui.ssh.admission.logins.LONGEST_DELAY", 0.0)
    keys = authorize(line(new_key()))
    async with serve(keys) as running:
        with pytest.raises(asyncssh.PermissionDenied, match="too many"):
            await running.connect(client_keys=[new_key() for _ in range(13)])
        assert running.events("dropped")[0]["reason"] == "too many failures"


@pytest.mark.parametrize("options", ['command="x" ', 'odd="x" ', "cert-authority "])
def test_a_line_with_an_unsupported_option_is_ignored(
    authorize: Callable[..., AuthorizedKeys], options: str
) -> None:
    key = new_key()
    assert (
        authorize(options + line(key), line(new_key())).find(key.convert_to_public(), "192.0.2.1")
        is None
    )


@pytest.mark.parametrize(
    ("options", "allows"),
    [
        ("", True),
        ('from="192.0.2.0/24" ', True),
        ('from="198.51.100.1" ', False),
        ('expiry-time="20990101" ', True),
        ('expiry-time="200001011200Z" ', False),
        ("no-pty ", False),
        ("restrict ", False),
        ("restrict,pty ", True),
        ('no-agent-forwarding,from="192.0.2.1" ', True),
    ],
)
def test_options_are_applied(
    authorize: Callable[..., AuthorizedKeys], options: str, allows: bool
) -> None:
    key = new_key()
    keys = authorize(options + line(key), line(new_key()))
    assert (keys.find(key.convert_to_public(), "192.0.2.1") is not None) is allows


def test_a_changed_file_is_read_again_and_without_it_nobody_can_log_in(
    authorize: Callable[..., AuthorizedKeys], tmp_path: Path
) -> None:
    key, other = new_key(), new_key()
    keys = authorize(line(key))
    path = tmp_path / "authorized_keys"
    path.write_text(line(other) + "\n# longer\n")
    assert keys.find(key.convert_to_public(), "192.0.2.1") is None
    assert keys.find(other.convert_to_public(), "192.0.2.1") is not None
    path.unlink()
    assert keys.find(other.convert_to_public(), "192.0.2.1") is None


@pytest.mark.parametrize(("content", "mode"), [(b"", 0o600), (b"\xff", 0o600), (b"x", 0o622)])
def test_an_authorized_keys_file_that_cannot_be_used_is_an_error(
    tmp_path: Path, content: bytes, mode: int
) -> None:
    path = tmp_path / "keys"
    path.write_bytes(content)
    path.chmod(mode)
    with pytest.raises(SshSetupError, match="--authorized-keys"):
        AuthorizedKeys(path)
