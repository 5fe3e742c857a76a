"""The status of a server, parsed by a program that may be of another version."""

from __future__ import annotations

import json
import os

import pytest

from pettui.ssh.load import LoadHistory
from pettui.ssh.options import SshOptions
from pettui.ssh.status import ServerIdentity, WorkerStatus, parse_status, status_text

GOOD = status_text(
    ServerIdentity("::1", 2222, 1, 0.0), SshOptions(), [WorkerStatus(2, 2, 1, LoadHistory())]
)


def without(name: str) -> bytes:
    status = json.loads(GOOD)
    del status[name]
    return json.dumps(status).encode()


def test_a_status_can_be_parsed() -> None:
    status = parse_status(GOOD)
    assert (status["host"], status["port"]) == ("::1", 2222)
    assert (status["sessions"], status["queue"]) == (2, 1)


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\xff\xfe", b"[]", b"null", b"{}", b"[" * 100_000,
        without("host"), without("port"), without("queue"), without("processes"), without("served"),
        GOOD.replace(b'"port": 2222', b'"port": "x"'), GOOD.replace(b'"pid": 1', b'"pid": "../x"'),
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_anything_else_is_an_error(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_status(text)


def test_a_server_says_itself_how_much_memory_its_processes_have() -> None:
    """Under systemd who asks is outside of its user namespace, and could not read it."""
    identity = ServerIdentity("::1", 2222, os.getpid(), 0.0)
    status = parse_status(status_text(identity, SshOptions(), []))
    assert status["processes"][0]["memory_bytes"] > 1_000_000
    assert status["memory_bytes"] == status["processes"][0]["memory_bytes"]
