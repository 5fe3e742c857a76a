"""The sockets on which all processes of the server listen: their own, or those of systemd."""

from __future__ import annotations

import socket
from itertools import chain
from typing import Any

from pettui.ssh.options import SshOptions, SshSetupError
from pettui.system.addresses import is_loopback
from pettui.system.files import reason_of
from pettui.system.listening import OPTIONS, addresses_of, bound, listen_errors
from pettui.system.systemd import inherited_sockets

BACKLOG = 1024  # connections that wait to be accepted
# Bytes in the system; what exceeds them is buffered in this process, where it is counted.
SEND_BUFFER = 32 * 1024


def bind(
    host: str, port: int, arguments: str = OPTIONS, *, is_shared: bool = False
) -> list[socket.socket]:
    """Return sockets on every address of a host, which other processes of ours may share.

    Args:
        host: a name or an address.
        port: 0 for a free one, on one address.
        arguments: that choose another address.
        is_shared: whether another program of this user may have the port already, as this one has.

    Raises:
        SshSetupError: the address is in use, not of this machine, or does not exist.
    """
    with listen_errors(host, port, SshSetupError, arguments):
        wanted = addresses_of(host, port)
        if not is_shared:  # with SO_REUSEPORT a port that another program shares would be no error
            for one in wanted:
                _bound(*one, shared=False).close()
        return [_bound(*one) for one in wanted]


def inherited(options: SshOptions) -> list[socket.socket]:
    """Return the sockets that systemd listens on for this server, if any.

    Args:
        options: of the server.

    Raises:
        SshSetupError: one of them is not for connections, or public without leave.
    """
    try:
        sockets = inherited_sockets()
    except OSError as error:
        raise SshSetupError(f"cannot listen: {reason_of(error)}") from error
    for one in sockets:
        host = one.getsockname()[0]
        refuse_public(options, host, f"the socket of systemd on {host}")
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        one.setblocking(False)
    return sockets


def refuse_public(options: SshOptions, host: str, name: str) -> None:
    """Refuse an address at which other machines reach a server that anyone may log in to.

    Args:
        options: of the server.
        host: a name or an address.
        name: of what listens there.

    Raises:
        SshSetupError: it is one, without leave.
    """
    if not options.public and not is_loopback(host):
        reason = f"would let anyone on the network in; add {options.name_of('public')} to allow it"
        raise SshSetupError(f"{name} {reason}")


def share_inherited(sockets: list[socket.socket], among: int) -> list[list[socket.socket]]:
    """Return the same sockets for each of some processes.

    What ``share`` does is only for sockets of the same user.
    """
    return [sockets, *([one.dup() for one in sockets] for _ in range(among - 1))]


def share(sockets: list[socket.socket], among: int) -> list[list[socket.socket]]:
    """Return sockets for each of some processes, which listen on the same addresses.

    The system distributes connections among them. One that comes while a process restarts waits
    in its socket, which the first process keeps.
    """
    others = range(among - 1)
    shares = [sockets, *([_bound(s.family, s.getsockname()) for s in sockets] for _ in others)]
    for one in chain(*shares):
        one.listen(BACKLOG)
    return shares


def _bound(family: int, address: Any, *, shared: bool = True) -> socket.socket:
    options = (socket.SO_REUSEPORT, int(shared)), (socket.SO_SNDBUF, SEND_BUFFER)
    listener = bound(family, address, options)
    listener.setblocking(False)
    return listener
