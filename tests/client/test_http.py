"""HTTP: TLS, proxies, failures before anything was sent, and what is tried again."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl
import subprocess
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.client import ErrorBodyError, NoAnswerError, NoErrorBodyError, PendingRetry, PetClient
from pettui.client.failures import Progress, no_answer
from pettui.client.http import read_authorities
from pettui.client.retrying import wait_before_retry
from pettui.settings.settings import Limits
from tests.certificates import DAY, make_certificate, make_house, server_context
from tests.cli.conftest import needs
from tests.client.hostile.checks import KEY, TINY, failure_of
from tests.client.hostile.server import PAGE, REX, HostileServer, drop, http, raw, reset, stall

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from tests.client.conftest import Answered, ClientOf, Serve
    from tests.client.hostile.server import Step


@pytest.fixture
async def tls_server(serve: Serve, tmp_path: Path) -> HostileServer:
    certificate, key = make_certificate(tmp_path)
    return await serve(http(200, PAGE), http(201, REX), tls=server_context(certificate, key))


async def test_what_the_variables_of_ssl_name_is_trusted(
    tls_server: HostileServer, client_of: ClientOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    client = client_of(tls_server)
    assert (await client.list_pets()).pets
    assert await client.trusted() == (
        f"the system's authorities (SSL_CERT_FILE {tmp_path / 'cert.pem'}"
        + (f", SSL_CERT_DIR {name})" if (name := os.environ.get("SSL_CERT_DIR")) else ")")
    )


def hash_of(certificate: Path) -> str:
    hashing = [needs("openssl"), "x509", "-hash", "-noout", "-in", str(certificate)]
    return subprocess.run(hashing, capture_output=True, text=True, check=True).stdout.strip()


async def test_a_directory_of_certificates_is_trusted(
    tls_server: HostileServer, client_of: ClientOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted = tmp_path / "trusted"
    trusted.mkdir()
    certificate = tmp_path / "cert.pem"
    (trusted / f"{hash_of(certificate)}.0").symlink_to(certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(trusted))
    assert (await client_of(tls_server).list_pets()).pets


async def test_where_the_system_trusts_nobody_certifi_says_whom(
    client_of: ClientOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    read_authorities()
    monkeypatch.setattr("certifi.contents", lambda: "of another version")
    trusted = await client_of("https://127.0.0.1:1/v1").trusted()
    assert trusted.startswith("certifi's authorities (")


@pytest.mark.parametrize("strict", [0, ssl.VERIFY_X509_STRICT], ids=["3.11", "3.13"])
async def test_an_authority_of_a_house_is_trusted_by_each_python(
    strict: int, serve: Serve, client_of: ClientOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ca_file, certificate, key = make_house(tmp_path)
    server = await serve(http(200, PAGE), tls=server_context(certificate, key))
    create = ssl.create_default_context

    def as_it_does(**options: object) -> ssl.SSLContext:
        context = create(**options)
        context.verify_flags |= strict
        return context

    monkeypatch.setattr(ssl, "create_default_context", as_it_does)
    client = client_of(server, ca_file=ca_file)
    assert (await client.list_pets()).pets
    assert await client.trusted() == f"ca_file {ca_file}, as curl does: without VERIFY_X509_STRICT"


async def test_a_proxy_of_the_profile_carries_https_and_never_sees_the_key(
    tls_server: HostileServer, client_of: ClientOf, tmp_path: Path
) -> None:
    seen: list[bytes] = []

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            seen.append(data)
            writer.write(data)
        writer.close()

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        there, back = await asyncio.open_connection("127.0.0.1", tls_server.port)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await asyncio.gather(carry(reader, back), carry(there, writer))

    async with await asyncio.start_server(proxy, "127.0.0.1", 0) as listener:
        address = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        client = client_of(tls_server, ca_file=tmp_path / "cert.pem", proxy=address)
        assert (await client.list_pets()).pets
        assert (await client.create_pet(TINY)).pet
        await client.aclose()
    assert [data.split()[1] for data in seen if data.startswith(b"CONNECT ")] == [
        f"127.0.0.1:{tls_server.port}".encode()
    ] * 2
    assert KEY.encode() not in b"".join(seen)
    assert [request.header("authorization") for request in tls_server.seen] == [
        [f"Bearer {KEY}"]
    ] * 2


# ── failures before anything was sent: maybe_sent is False, so the entry waits on ────────────────

LIMITS = Limits(tries=0, connect=1, silence=0.3)

# What a proxy says to CONNECT.
REFUSALS: dict[str, Step] = {
    "200 and then nothing": raw(b"HTTP/1.1 200 OK\r\n\r\n"),
    "407": http(407, "", [("Proxy-Authenticate", "Basic realm=x")]),
    "503": http(503, "", [("Retry-After", "1")]),
    "no HTTP": raw(b"SSH-2.0-proxy\r\n\r\n"),
    "half an answer for ever": stall(b"HTTP/1.1 200 O"),
    "no TLS behind it": raw(b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 400 Bad\r\n\r\n"),
    "no TLS for ever": stall(b"HTTP/1.1 200 OK\r\n\r\n"),
}


@pytest.mark.parametrize(
    ("name", "scheme"), [*((each, "http") for each in REFUSALS), ("407", "https")]
)
async def test_an_add_that_no_proxy_let_through_was_not_sent(
    name: str, scheme: str, client_of: ClientOf, tmp_path: Path
) -> None:
    certificate, key = make_certificate(tmp_path)
    tls = server_context(certificate, key) if scheme == "https" else None
    async with HostileServer(REFUSALS[name], tls=tls) as proxy:
        client = client_of(
            "https://127.0.0.1:1/v1", LIMITS, proxy=proxy.origin, ca_file=certificate
        )
        error = await failure_of(client.create_pet(TINY))
        assert [request.method for request in proxy.seen] == ["CONNECT"]
    assert (error.status, error.maybe_sent) == (None, False)
    assert name != "407" or str(error).endswith(": the proxy answered 407 Whatever")


@pytest.mark.parametrize("call", ["list", "create"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_is_away_is_named_as_the_proxy(
    scheme: str, call: str, unused_tcp_port: int, client_of: ClientOf
) -> None:
    proxy = f"127.0.0.1:{unused_tcp_port}"
    client = client_of("https://store.example/v1", LIMITS, proxy=f"{scheme}://{proxy}")
    error = await failure_of(client.list_pets() if call == "list" else client.create_pet(TINY))
    assert str(error) == f"cannot connect to the proxy {proxy}: connection refused"
    assert not error.maybe_sent


async def test_a_certificate_of_an_unknown_authority_names_the_setting(
    tls_server: HostileServer, client_of: ClientOf, tmp_path: Path
) -> None:
    said = f"cannot trust 127.0.0.1:{tls_server.port}: self-signed certificate"
    error = await failure_of(client_of(tls_server).list_pets())
    assert str(error) == f"{said}; ca_file of its profile, or SSL_CERT_FILE, names whom to trust"
    (tmp_path / "house").mkdir()
    ca_file, _, _ = make_house(tmp_path / "house")
    error = await failure_of(client_of(tls_server, ca_file=ca_file).list_pets())
    assert str(error) == f"{said}; ca_file {ca_file} names whom to trust"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"begin": -2 * DAY, "end": -DAY}, "certificate has expired"),
        ({"host": "127.0.0.2"}, "ip address mismatch, certificate is not valid for"),
    ],
)
async def test_a_certificate_that_does_not_hold_is_reported(
    options: dict[str, object], said: str, tmp_path: Path, serve: Serve, client_of: ClientOf
) -> None:
    certificate, key = make_certificate(tmp_path, **options)
    server = await serve(http(201, REX), tls=server_context(certificate, key))
    error = await failure_of(client_of(server, ca_file=certificate).create_pet(TINY))
    assert str(error).startswith(f"cannot trust 127.0.0.1:{server.port}: {said}")
    assert not error.maybe_sent
    assert server.seen == []


@pytest.mark.parametrize("content", [None, b"", b"no certificate", b"\0\xff"])
async def test_a_ca_file_that_is_none_is_reported_by_its_name_and_nothing_is_sent(
    content: bytes | None, tmp_path: Path, client_of: ClientOf
) -> None:
    ca_file = tmp_path / "ca.pem"
    if content is not None:
        ca_file.write_bytes(content)
    client = client_of("https://127.0.0.1:1/v1", ca_file=ca_file)
    error = await failure_of(client.create_pet(TINY))
    assert isinstance(error, NoAnswerError)
    assert f"the CA file {ca_file}: " in error.reason
    assert not error.maybe_sent


async def test_a_log_of_connection_keys_that_cannot_be_written_is_named(
    tmp_path: Path, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "none" / "keys"
    monkeypatch.setenv("SSLKEYLOGFILE", str(path))
    error = await failure_of(client_of("https://127.0.0.1:1/v1").create_pet(TINY))
    assert isinstance(error, NoAnswerError)
    assert error.reason == f"SSLKEYLOGFILE {path}: no such file or directory"
    assert not error.maybe_sent


# ── exceptions that no test can bring about on every machine ─────────────────────────────────────


def caused(failure: Exception, *causes: BaseException) -> Exception:
    """Return an exception with causes, chained as httpx, httpcore and anyio do."""
    current: BaseException = failure
    for cause in causes:
        current.__cause__ = cause
        current = cause
    return failure


def tls(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, f"[SSL: {reason}]")
    error.reason = reason
    return error


def looked_up(number: int, reason: str = "") -> Exception:
    return caused(httpx.ConnectError(""), socket.gaierror(number, reason))


# What failed → what is said after "cannot", and whether it is tried again.
FAILURES: tuple[tuple[Exception, str, bool], ...] = (
    (httpx.ConnectTimeout(""), "connect to x:1: no connection within 5 s", False),
    (httpx.ReadTimeout(""), "connect to x:1: nothing was received for 10 s", False),
    (httpx.ReadError(""), "connect to x:1: the connection was dropped", True),
    (httpx.InvalidURL(KEY), "look up x:1: that is not an address", False),
    (
        httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'"),
        "send to x:1: the request cannot be written as HTTP",
        False,
    ),
    (
        caused(httpx.ConnectError(""), OSError("all"), OSError(errno.ECONNREFUSED, "")),
        "connect to x:1: connection refused",
        True,
    ),
    (
        ExceptionGroup("all", [OSError(errno.ENETUNREACH, ""), OSError(13, "")]),
        "connect to x:1: network is unreachable",
        True,
    ),
    (OSError(errno.EACCES, ""), "connect to x:1: permission denied", False),
    (looked_up(socket.EAI_NONAME), "look up x:1: no such host name", False),
    (looked_up(socket.EAI_AGAIN), "look up x:1: the name server does not respond", True),
    (looked_up(socket.EAI_FAMILY, "no family"), "look up x:1: no family", False),
    (
        tls("WRONG_VERSION_NUMBER"),
        "connect to x:1: the server does not use TLS; is the address http?",
        False,
    ),
)


@pytest.mark.parametrize(("failure", "said", "transient"), FAILURES)
async def test_a_failure_is_reported_in_plain_words(
    failure: Exception, said: str, transient: bool
) -> None:
    progress = Progress(is_secure=False, is_add=True)
    progress.begin()
    await progress("connection.connect_tcp.started", {})
    error = no_answer(failure, progress, "x:1", Limits())
    assert str(error) == f"cannot {said}"
    assert error.transient is transient
    assert not error.maybe_sent


# ── trying again ─────────────────────────────────────────────────────────────────────────────────

AT_ONCE = Limits(first_wait=0)
ERROR = '{"code": "later", "message": "Later", "status": 503}'


@pytest.fixture
def client(server: HostileServer, client_of: ClientOf) -> PetClient:
    """Return a client of ``server`` that tries again at once."""
    return client_of(server, AT_ONCE)


def asks_to_wait(value: str) -> Step:
    return http(503, "", [("Retry-After", value.encode().decode("latin-1"))])


CALLS: dict[str, Callable[[PetClient], Awaitable[object]]] = {
    "read": lambda client: client.list_pets(),
    "add": lambda client: client.create_pet(TINY),
    "add with a key": lambda client: client.create_pet(TINY, idempotency_key="order 8"),
    "add to a store that promised": lambda client: client.create_pet(
        TINY, idempotency_key="order 7", store_id="0" * 32
    ),
}
CUT = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[")
AWAY = {**{str(status): http(status, ERROR) for status in (429, 502, 503, 504)}, "nothing": drop(),
        "a reset": reset(), "half an answer": CUT}  # fmt: skip
NO_WAITS = ("", "soon", "-1", "1.5", "1, 1", "1767225600", "\u0663", "9" * 5000)
TOO_LONG = ("31", "999999999", "Fri, 31 Dec 2999 23:59:59 GMT")
# What is tried again: the call, what it meets, how many requests that makes, and what is said.
RETRIES: dict[str, tuple[str, list[Step], int, str]] = {
    **{f"a read that met {it}": ("read", [step] * 2, 3, "") for it, step in AWAY.items()},
    "no read the fifth time": ("read", [http(502)] * 3 + [http(503, ERROR)], 4, "503 later: Later"),
    **{
        f"no read that met {status}": ("read", [http(status, ERROR)], 1, f"{status} later: Later")
        for status in (400, 408, 500, 501)
    },
    "no read that met a page": ("read", [http(200, "<html>")], 1, "not its interface"),
    **{
        f"no add that met {status}": ("add", [http(status, ERROR)], 1, f"{status} later: Later")
        for status in (502, 503, 504)
    },
    "an add that met 429": ("add", [http(429), http(429, ERROR, [("Retry-After", "0")])], 3, ""),
    "an add that a store promised": ("add to a store that promised", [http(503, ERROR)], 2, ""),
    "no add of which nobody promised": ("add with a key", [http(503, ERROR)], 1, "503 later"),
    **{
        f"no read that is to wait for {value}": ("read", [asks_to_wait(value)], 1, "503 unavail")
        for value in TOO_LONG
    },
    **{
        f"a read that is to wait for {value[:9]!r}": ("read", [asks_to_wait(value)], 2, "")
        for value in NO_WAITS
    },
}


@pytest.mark.parametrize(("call", "steps", "requests", "said"), RETRIES.values(), ids=RETRIES)
async def test_what_is_tried_again(  # noqa: PLR0917
    call: str, steps: list[Step], requests: int, said: str, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(*steps, *[http(200, PAGE) if call == "read" else http(201, REX)] * (not said))
    if said:
        error = await failure_of(CALLS[call](client))
        assert said in str(error)
        assert error.maybe_sent is (call != "read")
        assert error.retry_after is None or error.retry_after > 30
    else:
        assert await CALLS[call](client)
    assert len(server.seen) == requests


@pytest.mark.parametrize(("number", "least"), [(1, 1.0), (2, 2.0), (3, 4.0)])
def test_after_a_429_it_waits_from_a_second_on_twice_as_long_each_time(
    number: int, least: float
) -> None:
    error = NoErrorBodyError(429, "text/html", transient=True)
    seconds = wait_before_retry(error, number, Limits(), is_add=True)
    assert seconds is not None
    assert least <= seconds <= least * 1.1


async def test_an_add_that_met_no_connection_is_tried_again(
    unused_tcp_port: int, client_of: ClientOf
) -> None:
    waits: list[PendingRetry] = []
    client = client_of(f"http://127.0.0.1:{unused_tcp_port}/v1", AT_ONCE)
    error = await failure_of(client.create_pet(TINY, on_wait=waits.append))
    assert not error.maybe_sent
    assert [(wait.attempt, wait.of, wait.seconds) for wait in waits] == [
        (attempt, 4, 0.0) for attempt in (2, 3, 4)
    ]
    refused = f"cannot connect to 127.0.0.1:{unused_tcp_port}: connection refused"
    assert waits[0].why == str(error) == refused


async def test_a_wait_is_reported_with_what_was_wrong_and_ends_when_cancelled(
    server: HostileServer, client: PetClient
) -> None:
    told: asyncio.Future[PendingRetry] = asyncio.get_running_loop().create_future()
    server.turn_to(http(503, ERROR, [("Retry-After", "30")]))
    task = asyncio.create_task(client.list_pets(on_wait=told.set_result))
    waiting = await told
    assert (waiting.attempt, waiting.of, waiting.seconds) == (2, 4, 30.0)
    assert waiting.why == "503 later: Later"
    assert isinstance(waiting.error, ErrorBodyError)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(server.seen) == 1


async def test_retry_after_is_honoured_as_a_date_of_the_services_own_clock(
    answered: Answered,
) -> None:
    date, later = "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:57 GMT"
    step = http(503, "", [("Date", date), ("Retry-After", later)])
    assert (await failure_of(answered(step).list_pets())).retry_after == 20.0
