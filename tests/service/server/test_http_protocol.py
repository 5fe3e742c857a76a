"""HTTP/1.1 as in RFC 9112, and the names of uvicorn that the protocol uses."""

from __future__ import annotations

import ast
import inspect
import json
import signal
import socket
import textwrap
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING

import h11
import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from pettui.service.server.http_protocol import ServiceProtocol
from pettui.service.server.http_server import StoppableServer
from pettui.service.server.request_framing import RequestConnection
from pettui.service.server.uvicorn_names import UVICORN
from tests.service.running_service import KEY, received, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.service.running_service import RunningService


CREATE = "Content-Type: application/json"
VALID = b'{"name": "Rex", "categoryId": 1}'
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(VALID), VALID)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("service")) as running:
        yield running
        assert running.stop() == 0
        assert running.stderr_text() == ""


def request(
    *headers: str, method: str = "GET", target: str = "/v1/pets", body: bytes = b""
) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: store", f"Authorization: Bearer {KEY}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def exchange(
    service: RunningService, data: bytes, *, shut: bool = False
) -> tuple[int, dict[str, str], bytes]:
    """Send, and return status, headers and body of the only response, once the service closes."""
    with socket.create_connection(service.address, timeout=60) as connection:
        connection.sendall(data)
        if shut:
            connection.shutdown(socket.SHUT_WR)
        return parsed(received(connection))


def parsed(response: bytes) -> tuple[int, dict[str, str], bytes]:
    head, _, body = response.partition(b"\r\n\r\n")
    status, *headers = head.decode().split("\r\n")
    pairs = dict(line.lower().split(": ", 1) for line in headers)
    return int(status.split()[1]), pairs, body


def names_in(*classes: type) -> set[str]:
    """Return the methods of classes, and the attributes of their own that they use."""
    trees = [ast.parse(textwrap.dedent(inspect.getsource(each))) for each in classes]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    owners = {"self", "cycle", "self.cycle"}
    return {node.attr for node in attributes if ast.unparse(node.value) in owners} | {
        node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


# Documented by uvicorn, or callbacks of asyncio's and constructors.
PUBLIC = {"__init__", "config", "data_received", "eof_received"}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ServiceProtocol, (H11Protocol, RequestResponseCycle)), (StoppableServer, (uvicorn.Server,))],
    ids=["protocol", "server"],
)
def test_uvicorn_has_the_names_that_are_used_and_the_table_lists_each(
    ours: type, theirs: tuple[type, ...]
) -> None:
    known = set().union(*(UVICORN[each] for each in theirs))
    found = names_in(ours) & names_in(*theirs) - PUBLIC
    assert found == known


@pytest.mark.parametrize("length", ["0", "3", "99999999999"])
def test_content_length_beside_chunks_is_ignored_and_closes_the_connection(
    service: RunningService, length: str
) -> None:
    framing = (CREATE, f"Content-Length: {length}", "Transfer-Encoding: chunked")
    data = request(*framing, method="POST", body=CHUNKED)
    status, headers, body = exchange(service, data + request())
    assert status == 201
    assert headers["connection"] == "close"
    assert body.count(b"HTTP/1.1") == 0


def test_a_body_in_many_small_chunks_is_read_in_turns() -> None:
    connection = RequestConnection(h11.SERVER)
    headers = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    connection.receive_data(headers + b"1\r\nx\r\n" * 1000 + b"0\r\n\r\n")
    sizes = []
    while connection.their_state is not h11.DONE:
        connection.begin_turn()
        events = takewhile(lambda event: event is not h11.NEED_DATA, iter(connection.next_event, 0))
        turn = list(takewhile(lambda event: type(event) is not h11.EndOfMessage, events))
        sizes.append(sum(len(event.data) for event in turn if type(event) is h11.Data))
    assert max(sizes) <= 100
    assert sum(sizes) == 1000


def many_small_chunks(body: bytes) -> bytes:
    return b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"


@pytest.mark.parametrize("size", [63, 64, 65, 20_000])
def test_requests_after_a_body_in_many_small_chunks_get_responses(
    service: RunningService, size: int
) -> None:
    body = many_small_chunks(VALID.ljust(size))
    data = request(CREATE, "Transfer-Encoding: chunked", method="POST", body=body)
    with socket.create_connection(service.address, timeout=60) as connection:
        connection.sendall(data * 2 + request("Connection: close"))
        assert received(connection).count(b"HTTP/1.1 20") == 3


def test_chunks_without_a_length_keep_the_connection_open(service: RunningService) -> None:
    data = request(CREATE, "Transfer-Encoding: chunked", method="POST", body=CHUNKED)
    with socket.create_connection(service.address, timeout=60) as connection:
        connection.sendall(data + request("Connection: close"))
        assert received(connection).count(b"HTTP/1.1 20") == 2


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://store/v1/pets", 200),
        ("HTTP://store:8080/v1/pets?limit=1", 200),
        ("https://[::1]:8080/v1/pets", 200),
        ("http://elsewhere.example/v1/pets/999999", 404),
        ("http://store", 404),
        ("http://store?limit=1", 404),
        ("http://user:word@store/v1/pets", 400),
        ("http:///v1/pets", 400),
        ("http://store:99999/v1/pets", 400),
        ("http://a%20b]/v1/pets", 400),
        ("ftp://store/v1/pets", 400),
        ("v1/pets", 400),
        ("*", 400),
    ],
)
def test_the_absolute_form_of_a_target_is_served_as_the_origin_form(
    service: RunningService, target: str, status: int
) -> None:
    found, _, body = exchange(service, request("Connection: close", target=target))
    assert found == status
    assert status == 200 or json.loads(body)["status"] == status


def test_a_client_that_half_closes_gets_every_response(service: RunningService) -> None:
    with socket.create_connection(service.address, timeout=60) as connection:
        connection.sendall(request() * 3)
        connection.shutdown(socket.SHUT_WR)
        assert received(connection).count(b"HTTP/1.1 200") == 3


def test_a_response_while_the_service_stops_announces_that_the_connection_closes(
    tmp_path: Path,
) -> None:
    with (
        running_service(tmp_path) as service,
        socket.create_connection(service.address, timeout=60) as connection,
    ):
        expect = (CREATE, f"Content-Length: {len(VALID)}", "Expect: 100-continue")
        connection.sendall(request(*expect, method="POST"))
        assert connection.recv(100).startswith(b"HTTP/1.1 100")
        service.process.send_signal(signal.SIGTERM)
        with suppress(ConnectionError):
            while True:  # until it listens no more
                socket.create_connection(service.address, timeout=60).close()
        connection.sendall(VALID)
        status, headers, _ = parsed(received(connection))
        assert status == 201
        assert headers["connection"] == "close"
        assert service.process.wait(20) == 0
        assert service.stderr_text() == ""
