"""The server's own key: Ed25519, made at the first start, for its owner alone to read."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.errors import SshSetupError

if TYPE_CHECKING:
    from pathlib import Path


def host_key(path: Path) -> asyncssh.SSHKey:
    """Give the key of a file, made where there is none (0600, in a directory of 0700).

    Raises:
        SshSetupError: it can't be read or made, others can read it, or it is no Ed25519 key.
    """
    try:
        _make_if_missing(path)
        if path.stat().st_mode & 0o077:
            raise SshSetupError(f"host key {path} can be read by others; run: chmod 600 {path}")
        key = asyncssh.read_private_key(path)
    except OSError as error:
        raise SshSetupError(f"host key {path} can't be used: {error.strerror}") from error
    except asyncssh.KeyImportError as error:
        reason = "it must be a private key in OpenSSH's format, without a passphrase"
        raise SshSetupError(f"host key {path} can't be used: {reason}") from error
    if key.get_algorithm() != "ssh-ed25519":
        raise SshSetupError(f"host key {path} must be of Ed25519; another is not offered")
    return key


def _make_if_missing(path: Path) -> None:
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = asyncssh.generate_private_key("ssh-ed25519", comment="pettui")
    # Written whole under another name first: of two that start at once, both have the same.
    new = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key.export_private_key())
        file.flush()
        os.fsync(file.fileno())
    try:
        with suppress(FileExistsError):
            os.link(new, path)
    finally:
        new.unlink()
