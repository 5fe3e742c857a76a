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

from pettui.service.app import create_app
from pettui.service.server import Server
from pettui.service.stores.sqlite import SqliteStore
from tests.certificates import make_certificate
from tests.service.running_service import AUTHORIZATION, KEY, running_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.service.running_service import RunningService

    Hold = Callable[[socket.socket], None]
    Held = dict[Hold, socket.socket]

HEAD = b"POST /v1/pets HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n"
NO_KEY = b"GET /v1/pets HTTP/1.1\r\nHost: store\r\n\r\n"


def read_response(connection: socket.socket, status: bytes) -> None:
    """Read a response with its body."""
    data = connection.recv(4096)
    while b"}" not in data:
        data += connection.recv(4096)
    assert b" %s " % status in data.splitlines()[0]


def nothing(_connection: socket.socket) -> None:
    """Send nothing."""


def half_a_head(connection: socket.socket) -> None:
    """Send incomplete headers."""
    connection.sendall(HEAD + b"X-More: ")


def a_body_after_its_response(connection: socket.socket) -> None:
    """Read the 401, then send one byte of the body."""
    connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
    read_response(connection, b"401")
    connection.sendall(b"{")


def chunks_after_their_response(connection: socket.socket) -> None:
    """Read the 401, then start a chunk."""
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    read_response(connection, b"401")
    connection.sendall(b"ff\r\n{")


def a_whole_body_after_its_response(connection: socket.socket) -> None:
    """Read the 401, then send the body, and no other request."""
    connection.sendall(HEAD + b"Content-Length: 2\r\n\r\n")
    read_response(connection, b"401")
    connection.sendall(b"{}")


def nothing_after_a_response(connection: socket.socket) -> None:
    """Read a 401, and send no other request."""
    connection.sendall(NO_KEY)
    read_response(connection, b"401")


def a_byte_after_a_response(connection: socket.socket) -> None:
    """Read a 401, then start the next request."""
    connection.sendall(NO_KEY)
    read_response(connection, b"401")
    connection.sendall(b"G")


def half_closed(connection: socket.socket) -> None:
    """Half-close in the middle of a request."""
    connection.sendall(HEAD)
    connection.shutdown(socket.SHUT_WR)


def pipelined_requests_without_reading(connection: socket.socket) -> None:
    """Send requests as long as the service accepts them, and read nothing."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
    connection.setblocking(False)
    try:
        for _ in range(1000):
            connection.sendall(NO_KEY * 1000)
    except (BlockingIOError, ssl.SSLWantWriteError):
        pass
    finally:
        connection.settimeout(60)


STATES: tuple[Hold, ...] = (
    nothing,
    half_a_head,
    a_body_after_its_response,
    chunks_after_their_response,
    a_whole_body_after_its_response,
    nothing_after_a_response,
    a_byte_after_a_response,
    half_closed,
    pipelined_requests_without_reading,
)


# One for each deadline that is short while there is no room.
CROWDING_STATES: tuple[Hold, ...] = (
    nothing,
    a_body_after_its_response,
    nothing_after_a_response,
    pipelined_requests_without_reading,
)
# Those that can go on, a byte at a time.
SLOW_STATES: tuple[Hold, ...] = (half_a_head, chunks_after_their_response)


def half_a_handshake(connection: socket.socket) -> None:
    """Send the start of a TLS ClientHello."""
    connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 20)


# Over TLS: as it is, in a handshake, and with what TLS itself still has to send.
TLS_STATES: tuple[Hold, ...] = (
    nothing,
    half_a_handshake,
    half_a_head,
    pipelined_requests_without_reading,
)


def is_closed(connection: socket.socket, seconds: float = 20.0) -> bool:
    """Whether the other end closes, with or without more data."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except (ConnectionError, ssl.SSLError):
        return True
    return True


FEW = {"RLIMIT_NOFILE": 64}
SOON = {"crowded_seconds": 0.1}
SHORT = {
    "head_seconds": 0.5,
    "keep_alive_seconds": 1,
    "rest_seconds": 0.5,
    "stalled_seconds": 0.5,
    "handshake_seconds": 0.5,
    "closing_seconds": 0.5,
}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


def tls_options(certificate: tuple[Path, Path]) -> dict[str, Any]:
    return {"tls_certificate": str(certificate[0]), "tls_key": str(certificate[1])}


def connection_to(service: RunningService) -> socket.socket:
    return socket.create_connection(service.address, timeout=60)


def get_pets(service: RunningService, certificate: tuple[Path, Path] | None = None) -> int:
    """Return the status that a client with a key gets on a new connection."""
    verify = ssl.create_default_context(cafile=certificate[0]) if certificate else False
    with httpx.Client(verify=verify, headers=AUTHORIZATION, timeout=60) as client:
        return client.get(f"{service.base_url}/pets").status_code


@contextmanager
def well_behaved(directory: Path, **options: Any) -> Iterator[RunningService]:
    """Run a service that logs no error, and exits with 0."""
    with running_service(directory, **options) as service:
        yield service
        assert service.stop() == 0
        assert service.stderr_text() == ""


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with few descriptors."""
    with well_behaved(tmp_path_factory.mktemp("narrow"), rlimits=FEW, connections=SOON) as service:
        yield service


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with short deadlines."""
    with well_behaved(tmp_path_factory.mktemp("hasty"), connections=SHORT) as service:
        yield service


@pytest.fixture(scope="module")
def held(hasty: RunningService) -> Iterator[Held]:
    """A connection in each state, all since the same moment."""
    with ExitStack() as stack:
        connections = {hold: stack.enter_context(connection_to(hasty)) for hold in STATES}
        for hold, connection in connections.items():
            hold(connection)
        yield connections


@pytest.mark.parametrize("hold", CROWDING_STATES, ids=lambda hold: hold.__name__)
def test_more_connections_than_there_is_room_for_shut_nobody_out(
    narrow: RunningService, hold: Hold
) -> None:
    with ExitStack() as held:
        for _ in range(70):
            hold(held.enter_context(connection_to(narrow)))
        assert [get_pets(narrow) for _ in range(3)] == [200, 200, 200]


@pytest.mark.parametrize("hold", SLOW_STATES, ids=lambda hold: hold.__name__)
def test_slow_connections_shut_nobody_out(narrow: RunningService, hold: Hold) -> None:
    with ExitStack() as held, ThreadPoolExecutor(1) as pool:
        connections = [held.enter_context(connection_to(narrow)) for _ in range(70)]
        for connection in connections:
            hold(connection)
        served = pool.submit(get_pets, narrow)
        while not wait([served], timeout=0.05).done:
            for connection in connections:
                with suppress(OSError):  # it is closed
                    connection.sendall(b"1")
        assert served.result() == 200


def test_handshakes_that_never_end_shut_nobody_out(
    tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    options = {**tls_options(certificate), "rlimits": FEW, "connections": SOON}
    with well_behaved(tmp_path, **options) as service, ExitStack() as held:
        for _ in range(70):
            half_a_handshake(held.enter_context(connection_to(service)))
        assert get_pets(service, certificate) == 200


@pytest.mark.parametrize("hold", STATES, ids=lambda hold: hold.__name__)
def test_each_state_has_a_deadline(held: Held, hold: Hold) -> None:
    assert is_closed(held[hold])


def test_over_tls_each_state_has_a_deadline_too(
    tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    context = ssl.create_default_context(cafile=certificate[0])
    options = {**tls_options(certificate), "connections": SHORT}
    with well_behaved(tmp_path, **options) as service, ExitStack() as stack:
        connections = []
        for hold in TLS_STATES:
            connection = stack.enter_context(connection_to(service))
            if hold not in (nothing, half_a_handshake):
                connection = context.wrap_socket(connection, server_hostname="localhost")
                stack.enter_context(connection)
            hold(connection)
            connections.append(connection)
        assert [is_closed(connection) for connection in connections] == [True] * len(TLS_STATES)


def test_stopping_waits_for_none_of_them(tmp_path: Path) -> None:
    with well_behaved(tmp_path) as service, ExitStack() as held:
        for hold in STATES:
            hold(held.enter_context(connection_to(service)))
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


async def test_a_check_that_raises_does_not_prevent_the_others() -> None:
    store = SqliteStore.open_in_memory()
    connections = [Checked(), Checked(RuntimeError("one")), Checked(), Checked()]
    server = Server(create_app(store, [KEY]))
    server.connections.update(connections)
    serving = asyncio.create_task(server.serve([], lambda: None))
    seen: list[dict[str, Any]] = []
    async with asyncio.timeout(60):
        await asyncio.sleep(0)
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: seen.append(context)
        )
        for connection in connections:
            await connection.checked.wait()
        server.connections.clear()
        server.stop()
        await serving
    await store.close()
    assert [str(context["exception"]) for context in seen] == ["one"]
