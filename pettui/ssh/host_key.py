"""The server's host key: Ed25519, created at the first start, readable only by its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

import asyncssh

from pettui.files import locked_directory, make_directory, read_regular_file, replace_file
from pettui.ssh.options import SshSetupError

if TYPE_CHECKING:
    from pathlib import Path

FILE_MAXIMUM = 100_000  # bytes


def host_key(path: Path) -> asyncssh.SSHKey:
    """Return the key in a file, which is created if missing (0600, in a directory of 0700).

    Raises:
        SshSetupError: it can't be created, or as for ``read_host_key``.
    """
    try:
        _make_if_missing(path)
    except OSError as error:
        raise SshSetupError(f"host key {path} can't be used: {error.strerror}") from error
    return read_host_key(path)


def read_host_key(path: Path) -> asyncssh.SSHKey:
    """Return the key in a file.

    Raises:
        SshSetupError: it can't be read, others can read it, or it is not an Ed25519 key.
    """
    try:
        file = read_regular_file(path, FILE_MAXIMUM)
        if file.status.st_mode & 0o077:
            raise SshSetupError(f"host key {path} can be read by others; run: chmod 600 {path}")
        key = asyncssh.import_private_key(file.content)
    except OSError as error:
        raise SshSetupError(f"host key {path} can't be used: {error.strerror}") from error
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        reason = "it must be a private key in OpenSSH's format, without a passphrase"
        raise SshSetupError(f"host key {path} can't be used: {reason}") from error
    if key.get_algorithm() != "ssh-ed25519":
        raise SshSetupError(f"host key {path} must be of Ed25519; another is not offered")
    return key


def _make_if_missing(path: Path) -> None:
    if path.exists():
        return
    make_directory(path.parent)
    # Two servers that start at once use the same key, if the file system has locks.
    with locked_directory(path.parent, is_required=False):
        if not path.exists():
            key = asyncssh.generate_private_key("ssh-ed25519", comment="pettui")
            replace_file(path, key.export_private_key())
