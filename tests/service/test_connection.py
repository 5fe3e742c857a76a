"""Connections: HTTP/1.1 as in RFC 9112, and none that is held open shuts out the next client."""

from __future__ import annotations

import re
import signal
import socket
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING, Any

import pytest

from tests.certificates import make_certificate
from tests.service.running_service import KEY, RunningService, received, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


CREATE = "Content-Type: application/json"
VALID = b'{"name": "Rex", "categoryId": 1}'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("service")) as running:
        yield running
        assert running.stop() == 0
        assert running.events() <= {"malformed request"}


def request(
    *headers: str, method: str = "GET", target: str = "/v1/pets", body: bytes = b""
) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: store", f"Authorization: Bearer {KEY}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def exchange(service: RunningService, data: bytes) -> bytes:
    """Send, and return all responses, once the service closes."""
    with service.connection() as connection:
        connection.sendall(data)
        return received(connection)


def statuses(service: RunningService, data: bytes) -> list[int]:
    """Send, and return the statuses of all responses, once the service closes."""
    return [int(part[:3]) for part in exchange(service, data).split(b"HTTP/1.1 ")[1:]]


GET = b"GET /v1/pets HTTP/1.1\r\n"
POST = b"POST /v1/pets HTTP/1.1\r\n"
HOST = b"Host: store\r\n"
CHUNKS = POST + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
TWO_BYTES = b"\r\n\r\nxx"
NO_CHUNK = b"\r\n\r\n0\r\n\r\n"
AMBIGUOUS = {
    "a list of lengths": POST + HOST + b"Content-Length: 2, 2" + TWO_BYTES,
    "a length twice": POST + HOST + b"Content-Length: 2\r\nContent-Length: 2" + TWO_BYTES,
    **{
        f"a coding of {coding!r}": POST + HOST + b"Transfer-Encoding:" + coding + NO_CHUNK
        for coding in (
            *(b"", b" identity", b" gzip, chunked", b" \x0bchunked"),
            b" chunked\r\nTransfer-Encoding: chunked",
            b" chunked\r\nContent-Length: 99",
        )
    },
    "chunks in HTTP/1.0": CHUNKS.replace(b"HTTP/1.1", b"HTTP/1.0") + b"0\r\n\r\n",
    "a folded header": GET + HOST + b"X: a\r\n b\r\n\r\n",
    "a blank before a colon": POST + HOST + b"Content-Length : 2\r\n\r\nxx",
    "a bare LF": GET + HOST + b"X: a\nY: b\r\n\r\n",
    "no host": GET + b"\r\n",
    "two hosts": GET + HOST + HOST + b"\r\n",
    **{
        f"the request line {line!r}": line + b"\r\n" + HOST + b"\r\n"
        for line in (
            b"GET /v1/pets",
            b"GET /v1/pets HTTP/1.2",
            b"CONNECT store:80 HTTP/1.1",
            b"GET /v1/pets#x HTTP/1.1",
        )
    },
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a chunk of a negative size": CHUNKS + b"-3\r\nabc\r\n0\r\n\r\n",
    "nothing after a chunk": CHUNKS + b"3\r\nabc0\r\n\r\n",
    "a length in a trailer": CHUNKS + b"0\r\nContent-Length: 9\r\n\r\n",
}


@pytest.mark.parametrize("data", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_what_another_server_may_read_differently_is_refused_and_nothing_after_it_is_served(
    service: RunningService, data: bytes
) -> None:
    response = exchange(service, data + request())
    assert response.count(b"HTTP/1.1") == response.count(b"HTTP/1.1 4") == 1
    assert b"connection: close" in response


def test_a_trailer_is_read_and_means_nothing(service: RunningService) -> None:
    trailer = CHUNKS + b"0\r\nAuthorization: Bearer %s\r\n\r\n" % KEY.encode()
    assert statuses(service, trailer + request("Connection: close")) == [401, 200]


@pytest.mark.parametrize("data", [request() + b"\0\0\r\n\r\n", request() * 3 + b"GET\r\n\r\n"])
def test_a_response_comes_before_the_refusal_of_what_follows_its_request(
    service: RunningService, data: bytes
) -> None:
    assert statuses(service, data)[0] == 200


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (GET + HOST + b"X: ", b"x" * 6),
        (GET + HOST, b"X: y\r\n"),
        (b"\r\n", b"\r\n" * 3),
        (CHUNKS + b"3;a=", b"x" * 6),
        (CHUNKS + b"0\r\n", b"X: y\r\n"),
    ],
    ids=["header", "headers", "empty lines", "extension", "trailers"],
)
def test_what_is_not_a_body_has_a_limit(service: RunningService, start: bytes, more: bytes) -> None:
    with service.connection() as connection:
        connection.sendall(start)
        with suppress(ConnectionError):
            for _ in range(1_000):
                connection.sendall(more * 1000)
            pytest.fail("six million bytes were read")


@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_a_wish_for_another_protocol_is_ignored(service: RunningService, version: str) -> None:
    data = request("Connection: Upgrade, close", "Upgrade: websocket")
    data = data.replace(b"HTTP/1.1", b"HTTP/%s" % version.encode())
    assert statuses(service, data * 2) == [200]


def test_the_body_of_a_request_for_another_protocol_is_no_request(service: RunningService) -> None:
    head = ("Connection: Upgrade", "Upgrade: h2c", f"Content-Length: {len(VALID)}")
    data = request(CREATE, *head, method="POST")
    with service.connection() as connection:
        connection.sendall(data)
        connection.sendall(VALID + data + VALID + request("Connection: close"))
        assert re.findall(rb"HTTP/1.1 (\d+)", received(connection)) == [b"201", b"201", b"200"]


def test_pipelined_requests_of_one_connection_do_not_hold_up_others(
    service: RunningService,
) -> None:
    with service.connection() as greedy, service.connection() as other:
        greedy.sendall(request() * 2000)
        other.sendall(request("Connection: close"))
        assert received(other).startswith(b"HTTP/1.1 200 ")
        greedy.shutdown(socket.SHUT_WR)
        assert received(greedy).count(b"HTTP/1.1 200") == 2000


@pytest.mark.parametrize("size", [64, 20_000])
def test_requests_after_a_body_in_many_small_chunks_get_responses(
    service: RunningService, size: int
) -> None:
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in VALID.ljust(size)) + b"0\r\n\r\n"
    data = request(CREATE, "Transfer-Encoding: chunked", method="POST", body=chunks)
    assert statuses(service, data * 2 + request("Connection: close")) == [201, 201, 200]


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("HTTP://store:8080/v1/pets?limit=1", 200),
        ("https://[::1]:8080/v1/pets", 200),
        ("http://store", 404),
        ("http://user:word@store/v1/pets", 400),
        ("http:///v1/pets", 400),
        ("ftp://store/v1/pets", 400),
        ("*", 400),
    ],
)
def test_the_absolute_form_of_a_target_is_served_as_the_origin_form(
    service: RunningService, target: str, status: int
) -> None:
    assert statuses(service, request("Connection: close", target=target)) == [status]


def begin_to_stop(service: RunningService) -> None:
    """Have a service end, and wait until it listens no more."""
    service.process.send_signal(signal.SIGTERM)
    with suppress(ConnectionError):
        while True:
            service.connection().close()


@pytest.mark.parametrize("begins", ["a request whose body is to come", "nothing"])
def test_what_comes_while_the_service_stops_is_answered_and_its_connection_closed(
    tmp_path: Path, begins: str
) -> None:
    """To close one that is idle would lose a request on its way, and leave an animal unknown."""
    head = request(CREATE, f"Content-Length: {len(VALID)}", method="POST")
    waiting = head.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")
    is_idle = begins == "nothing"
    with running_service(tmp_path) as service, service.connection() as connection:
        connection.sendall(request() if is_idle else waiting)
        assert connection.recv(4096).startswith(b"HTTP/1.1 200" if is_idle else b"HTTP/1.1 100")
        begin_to_stop(service)
        connection.sendall((head if is_idle else b"") + VALID)
        response = received(connection)
        assert response.startswith(b"HTTP/1.1 201 ")
        assert b"connection: close" in response
        assert service.process.wait(20) == 0
        assert service.stderr_text() == ""


def test_the_last_response_reaches_a_client_that_is_still_sending_its_body(
    service: RunningService,
) -> None:
    head = f"Content-Length: {2 * 10**6}", "Connection: close"
    data = request(CREATE, *head, method="POST").replace(KEY.encode(), b"an-unknown-key")
    with service.connection() as connection:
        connection.sendall(data)
        assert b" 401 " in connection.recv(4096).splitlines()[0]
        connection.sendall(b" " * 2 * 10**6)  # and is not reset
        assert connection.recv(1) == b""


def test_a_head_has_a_length_and_no_body_and_does_not_name_the_servers_software(
    service: RunningService,
) -> None:
    response = exchange(service, request("Connection: close", method="HEAD"))
    assert re.search(rb"\r\ncontent-length: [1-9]", response)
    assert b"\r\nserver:" not in response
    assert response.endswith(b"\r\n\r\n")


FEW: dict[str, Any] = {"rlimits": {"RLIMIT_NOFILE": 64}, "connections": {"idle_seconds": 0.5}}
SHORT: dict[str, Any] = {"connections": {"idle_seconds": 2.0}}

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
HALF_A_HANDSHAKE = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 20


def hold(connection: socket.socket, state: str) -> None:
    """Leave a connection in a state.

    Raises:
        ConnectionError: the service has closed it already.
    """
    if state == UNREAD:
        send_without_reading(connection)
        return
    first, then = SENT[state]
    connection.sendall(first)
    if first.endswith(b"\r\n\r\n"):
        data = b""
        while b"}" not in data:
            more = connection.recv(4096)
            if not more:
                raise ConnectionResetError
            data += more
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


def wait_until_closed(connection: socket.socket) -> None:
    """Receive until the other end closes, with or without more data."""
    connection.settimeout(20)
    with suppress(ConnectionError, ssl.SSLError):
        received(connection)


def get_pets(service: RunningService, certificate: Path | None = None) -> int:
    """Return the status that a client with a key gets on a new connection."""
    verify = ssl.create_default_context(cafile=certificate) if certificate else False
    with service.client(verify=verify) as client:
        return client.get("/pets").status_code


@contextmanager
def well_behaved(
    directory: Path, pair: tuple[Path, Path] | None = None, **options: Any
) -> Iterator[RunningService]:
    """Run a service that logs no error, and exits with 0; over TLS with a certificate and key."""
    if pair is not None:
        options |= {"tls_certificate": str(pair[0]), "tls_key": str(pair[1])}
    with running_service(directory, **options) as service:
        yield service
        service.check_quiet_end()


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
        connections = {}
        for state in STATES:
            connections[state] = stack.enter_context(service.connection())
            hold(connections[state], state)
        yield connections


def test_more_connections_than_there_is_room_for_shut_nobody_out(narrow: RunningService) -> None:
    with ExitStack() as held:
        for _ in range(70):
            with suppress(ConnectionError):  # it made room for others
                hold(held.enter_context(narrow.connection()), UNREAD)
        assert [get_pets(narrow) for _ in range(3)] == [200, 200, 200]


@pytest.mark.parametrize("state", ["half a head", "chunks after their response"])
def test_slow_connections_shut_nobody_out(narrow: RunningService, state: str) -> None:
    with ExitStack() as held, ThreadPoolExecutor(1) as pool:
        connections = [held.enter_context(narrow.connection()) for _ in range(70)]
        for connection in connections:
            with suppress(ConnectionError):  # it made room for others
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
            held.enter_context(service.connection()).sendall(HALF_A_HANDSHAKE)
        assert get_pets(service, pair[0]) == 200


@pytest.mark.parametrize("state", STATES)
def test_each_state_has_a_deadline(held: dict[str, socket.socket], state: str) -> None:
    wait_until_closed(held[state])


def test_over_tls_each_state_has_a_deadline_too(tmp_path: Path) -> None:
    pair = make_certificate(tmp_path)
    context = ssl.create_default_context(cafile=pair[0])
    with well_behaved(tmp_path, pair, **SHORT) as service, ExitStack() as stack:
        below = [stack.enter_context(service.connection()) for _ in range(4)]
        below[1].sendall(HALF_A_HANDSHAKE)
        above = [context.wrap_socket(each, server_hostname="localhost") for each in below[2:]]
        for connection, state in zip(above, ["half a head", UNREAD], strict=True):
            hold(stack.enter_context(connection), state)
        for each in (*below[:2], *above):
            wait_until_closed(each)


def test_a_client_that_receives_slowly_gets_the_whole_response(tmp_path: Path) -> None:
    """The system takes more at once than it sends within the deadline."""
    options: dict[str, Any] = {"connections": {"idle_seconds": 1.0}}
    with well_behaved(tmp_path, **options) as service, socket.socket() as connection:
        with service.client() as client:
            client.post("/pets", json={"name": "R" * 60_000, "categoryId": 3})
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(service.address)
        connection.sendall(request("Connection: close"))
        size = 0
        while part := connection.recv(1024):
            size += len(part)
            threading.Event().wait(0.12)  # its line is slow
        assert size > 60_000


def test_stopping_waits_for_none_of_them(tmp_path: Path) -> None:
    with well_behaved(tmp_path) as service, ExitStack() as held:
        for state in STATES:
            hold(held.enter_context(service.connection()), state)
        assert service.stop() == 0


def test_a_client_that_stalls_when_the_service_ends_receives_its_response(tmp_path: Path) -> None:
    large = b'{"name": "%s", "categoryId": 1}' % (b"x" * 1_000_000)
    head = (CREATE, f"Content-Length: {len(large)}", "Connection: close")
    with running_service(tmp_path) as service:
        assert statuses(service, request(*head, method="POST", body=large)) == [201]
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            slow.connect(service.address)
            slow.sendall(request())
            assert slow.recv(8) == b"HTTP/1.1"
            service.process.terminate()
            with pytest.raises(TimeoutExpired):
                service.process.wait(timeout=2.5)
            assert len(received(slow)) > len(large)
        assert service.stop() == 0
