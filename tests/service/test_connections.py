"""Many connections without a key, held open in any state: the next client is still served."""

from __future__ import annotations

import asyncio
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pettui.service.errors import no_such_path
from pettui.service.server import Server
from tests.certificates import make_certificate
from tests.service.running_service import AUTHORIZATION, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.service.running_service import RunningService

FEW: dict[str, Any] = {"rlimits": {"RLIMIT_NOFILE": 64}, "connections": {"crowded_seconds": 0.1}}
SHORT: dict[str, Any] = {
    "connections": {
        "head_seconds": 0.5,
        "keep_alive_seconds": 1,
        "rest_seconds": 0.5,
        "stalled_seconds": 0.5,
        "handshake_seconds": 0.5,
        "closing_seconds": 0.5,
    }
}

HEAD = b"POST /v1/pets HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n"
NO_KEY = b"GET /v1/pets HTTP/1.1\r\nHost: store\r\n\r\n"
# name → what is sent, and what after its 401, if it has one
SENT: dict[str, tuple[bytes, bytes]] = {
    "nothing": (b"", b""),
    "half a head": (HEAD + b"X-More: ", b""),
    "half closed": (HEAD, b""),
    "a body after its response": (HEAD + b"Content-Length: 1000\r\n\r\n", b"{"),
    "chunks after their response": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"ff\r\n{"),
    "a whole body after its response": (HEAD + b"Content-Length: 2\r\n\r\n", b"{}"),
    "nothing after a response": (NO_KEY, b""),
    "a byte after a response": (NO_KEY, b"G"),
}
UNREAD = "pipelined requests, and reads no response"
STATES = (*SENT, UNREAD)
# One for each deadline that is short while there is no room.
CROWDING = ("nothing", "a body after its response", "nothing after a response", UNREAD)
# Those that can go on, a byte at a time.
SLOW = ("half a head", "chunks after their response")
HALF_A_HANDSHAKE = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 20


def hold(connection: socket.socket, state: str) -> None:
    """Leave a connection in a state."""
    if state == UNREAD:
        send_without_reading(connection)
        return
    first, then = SENT[state]
    connection.sendall(first)
    if first.endswith(b"\r\n\r\n"):
        data = connection.recv(4096)
        while b"}" not in data:
            data += connection.recv(4096)
        assert b" 401 " in data.splitlines()[0]
    connection.sendall(then)
    if state == "half closed":
        connection.shutdown(socket.SHUT_WR)


def send_without_reading(connection: socket.socket) -> None:
    """Send requests as long as the service accepts them."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
    connection.setblocking(False)
    with suppress(BlockingIOError, ssl.SSLWantWriteError):
        for _ in range(1000):
            connection.sendall(NO_KEY * 1000)
    connection.settimeout(60)


def is_closed(connection: socket.socket) -> bool:
    """Whether the other end closes, with or without more data."""
    connection.settimeout(20)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except (ConnectionError, ssl.SSLError):
        return True
    return True


def connection_to(service: RunningService) -> socket.socket:
    return socket.create_connection(service.address, timeout=60)


def get_pets(service: RunningService, certificate: Path | None = None) -> int:
    """Return the status that a client with a key gets on a new connection."""
    verify = ssl.create_default_context(cafile=certificate) if certificate else False
    with httpx.Client(verify=verify, headers=AUTHORIZATION, timeout=60) as client:
        return client.get(f"{service.base_url}/pets").status_code


@contextmanager
def well_behaved(
    directory: Path, pair: tuple[Path, Path] | None = None, **options: Any
) -> Iterator[RunningService]:
    """Run a service that logs no error, and exits with 0; over TLS with a certificate and key."""
    if pair is not None:
        options |= {"tls_certificate": str(pair[0]), "tls_key": str(pair[1])}
    with running_service(directory, **options) as service:
        yield service
        assert service.stop() == 0
        assert service.stderr_text() == ""


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with few descriptors."""
    with well_behaved(tmp_path_factory.mktemp("narrow"), **FEW) as service:
        yield service


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, socket.socket]]:
    """A connection in each state, all since the same moment, to a service with short deadlines."""
    directory = tmp_path_factory.mktemp("hasty")
    with well_behaved(directory, **SHORT) as service, ExitStack() as stack:
        connections = {state: stack.enter_context(connection_to(service)) for state in STATES}
        for state, connection in connections.items():
            hold(connection, state)
        yield connections


@pytest.mark.parametrize("state", CROWDING)
def test_more_connections_than_there_is_room_for_shut_nobody_out(
    narrow: RunningService, state: str
) -> None:
    with ExitStack() as held:
        for _ in range(70):
            hold(held.enter_context(connection_to(narrow)), state)
        assert [get_pets(narrow) for _ in range(3)] == [200, 200, 200]


@pytest.mark.parametrize("state", SLOW)
def test_slow_connections_shut_nobody_out(narrow: RunningService, state: str) -> None:
    with ExitStack() as held, ThreadPoolExecutor(1) as pool:
        connections = [held.enter_context(connection_to(narrow)) for _ in range(70)]
        for connection in connections:
            hold(connection, state)
        served = pool.submit(get_pets, narrow)
        while not wait([served], timeout=0.05).done:
            for connection in connections:
                with suppress(OSError):  # it is closed
                    connection.sendall(b"1")
        assert served.result() == 200


def test_handshakes_that_never_end_shut_nobody_out(tmp_path: Path) -> None:
    pair = make_certificate(tmp_path)
    with well_behaved(tmp_path, pair, **FEW) as service, ExitStack() as held:
        for _ in range(70):
            held.enter_context(connection_to(service)).sendall(HALF_A_HANDSHAKE)
        assert get_pets(service, pair[0]) == 200


@pytest.mark.parametrize("state", STATES)
def test_each_state_has_a_deadline(held: dict[str, socket.socket], state: str) -> None:
    assert is_closed(held[state])


def test_over_tls_each_state_has_a_deadline_too(tmp_path: Path) -> None:
    pair = make_certificate(tmp_path)
    context = ssl.create_default_context(cafile=pair[0])
    with well_behaved(tmp_path, pair, **SHORT) as service, ExitStack() as stack:
        below = [stack.enter_context(connection_to(service)) for _ in range(4)]
        below[1].sendall(HALF_A_HANDSHAKE)
        above = [context.wrap_socket(each, server_hostname="localhost") for each in below[2:]]
        for connection, state in zip(above, ["half a head", UNREAD], strict=True):
            hold(stack.enter_context(connection), state)
        assert [is_closed(each) for each in (*below[:2], *above)] == [True] * 4


def test_stopping_waits_for_none_of_them(tmp_path: Path) -> None:
    with well_behaved(tmp_path) as service, ExitStack() as held:
        for state in STATES:
            hold(held.enter_context(connection_to(service)), state)
        assert service.stop() == 0


class Checked:
    """A connection that records its check, which may raise."""

    transport = asyncio.Transport()

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.checked = asyncio.Event()

    def check(self, *_: object) -> None:
        self.checked.set()
        if self.error is not None:
            raise self.error


async def test_a_check_that_raises_does_not_prevent_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    connections = [Checked(), Checked(RuntimeError("one")), Checked(), Checked()]
    server = Server(no_such_path)
    server.connections.update(connections)
    serving = asyncio.create_task(server.serve([], lambda: None))
    async with asyncio.timeout(60):
        for connection in connections:
            await connection.checked.wait()
        server.connections.clear()
        server.stop()
        await serving
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == ["one"]
