"""What the server offers its clients: algorithms, logins with a key, and nothing to forward."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import asyncssh
from asyncssh.kex import get_kex_algs

from pettui import __version__
from pettui.ssh.connections.connection import Connection

if TYPE_CHECKING:
    from pettui.ssh.server_state import ServerState

# The algorithms of asyncssh that ssh-audit accepts without a warning; of its key exchanges those
# that take a server a fraction of a millisecond: group18 takes 14, and its client nothing.
KEY_EXCHANGES = (
    "mlkem768x25519-sha256", "curve25519-sha256", "curve25519-sha256@libssh.org",
)  # fmt: skip
CIPHERS = ("chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com")
MACS = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com")
SIGNATURES = (
    "ssh-ed25519", "sk-ssh-ed25519@openssh.com", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521", "sk-ecdsa-sha2-nistp256@openssh.com", "rsa-sha2-256", "rsa-sha2-512",
)  # fmt: skip


def connection_options(
    state: ServerState, key: asyncssh.SSHKey
) -> asyncssh.SSHServerConnectionOptions:
    """Return what asyncssh needs for each connection.

    ML-KEM is offered where cryptography's OpenSSL has it.

    Args:
        state: of the process.
        key: the host key.
    """
    return asyncssh.SSHServerConnectionOptions(
        server_factory=partial(Connection, state),
        server_host_keys=[key],
        server_version=f"pettui_{__version__}",
        login_timeout=0,  # ``Connection`` has a deadline that includes the session
        keepalive_interval=0,  # ``watch_silent_clients`` does it for all
        kex_algs=[name for name in KEY_EXCHANGES if name.encode() in get_kex_algs()],
        encryption_algs=CIPHERS,
        mac_algs=MACS,
        signature_algs=SIGNATURES,
        compression_algs=None,
        password_auth=False,
        kbdint_auth=False,
        host_based_auth=False,
        gss_host=None,
        agent_forwarding=False,
        x11_forwarding=False,
        config=None,
    )
