"""The sockets that all processes share, and addresses that cannot be used."""

from __future__ import annotations

import socket

import pytest

from pettui.ssh import listening_sockets
from pettui.ssh.options import SshSetupError


def test_a_port_in_use_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SshSetupError, match=f"cannot listen on 127.0.0.1:{port}"):
            listening_sockets.bind("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no.such.name.invalid", "a..b"])
def test_a_host_without_an_address_is_an_error(host: str) -> None:
    with pytest.raises(SshSetupError, match=r"cannot listen on .*: .*; choose another"):
        listening_sockets.bind(host, 1)


def test_the_error_of_the_metrics_names_their_option() -> None:
    with pytest.raises(SshSetupError, match=r"choose another --metrics$"):
        listening_sockets.bind("no.such.name.invalid", 1, "--metrics")


def test_processes_share_one_port() -> None:
    shares = listening_sockets.share(listening_sockets.bind("127.0.0.1", 0), 3)
    assert len({one.getsockname() for share in shares for one in share}) == 1
    assert len(shares) == 3
    for share in shares:
        for one in share:
            one.close()
