"""Keys of users, and files of authorized keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.key_files import AuthorizedKeys

if TYPE_CHECKING:
    from pathlib import Path

HERE = "192.0.2.1"


def new_key(comment: str = "anna") -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519", comment=comment)


def line(key: asyncssh.SSHKey) -> str:
    return key.export_public_key().decode().strip()


KEY = new_key("anna")
OTHER = new_key("another")


class KeyFile:
    """A file of authorized keys, and what a server reads from it."""

    def __init__(self, path: Path, *lines: str) -> None:
        self.path = path
        self.write(*lines)
        self.keys = AuthorizedKeys(path)

    def write(self, *lines: str) -> None:
        self.path.write_text("".join(f"{each}\n" for each in lines))
        self.path.chmod(0o600)

    def allows(self, key: asyncssh.SSHKey, address: str = HERE) -> bool:
        return self.keys.find(key.convert_to_public(), address) is not None
