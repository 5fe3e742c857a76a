"""Keys of users, and their lines in the file of authorized keys."""

from __future__ import annotations

import asyncssh


def new_key(comment: str = "anna") -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519", comment=comment)


def line(key: asyncssh.SSHKey) -> str:
    return key.export_public_key().decode().strip()
