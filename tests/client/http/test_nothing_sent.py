"""Failures before anything of an add was sent: ``maybe_sent`` is False, so the entry waits on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError
from pettui.models import NewPet
from pettui.settings import Limits
from tests.certificates import DAY, make_certificate, server_context
from tests.client.hostile.checks import failure_of
from tests.client.hostile.server import REX, HostileServer, http, raw, stall

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.conftest import Answered, ClientOf, Serve
    from tests.client.hostile.server import Step

TINY = NewPet(name="Tiny", category_id=3)
LIMITS = Limits(tries=0, connect=1, silence=0.3)

# What a proxy says to CONNECT.
REFUSALS: dict[str, Step] = {
    "200 and then nothing": raw(b"HTTP/1.1 200 OK\r\n\r\n"),
    "407": http(407, "", [("Proxy-Authenticate", "Basic realm=x")]),
    "302": http(302, "", [("Location", "http://login.example/")]),
    "503": http(503, "", [("Retry-After", "1")]),
    "101": raw(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
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


async def test_a_proxy_that_refuses_is_reported(serve: Serve, client_of: ClientOf) -> None:
    proxy = await serve(REFUSALS["407"])
    client = client_of("https://127.0.0.1:1/v1", LIMITS, proxy=proxy.origin)
    assert str(await failure_of(client.create_pet(TINY))) == (
        "cannot go through the proxy to 127.0.0.1:1: the proxy answered 407 Whatever"
    )


@pytest.mark.parametrize(
    ("options", "with_ca_file", "said"),
    [
        ({}, False, "self-signed certificate"),
        ({"begin": -2 * DAY, "end": -DAY}, True, "certificate has expired"),
        ({"host": "127.0.0.2"}, True, "ip address mismatch, certificate is not valid for"),
    ],
)
async def test_a_certificate_that_does_not_hold_is_reported(  # noqa: PLR0917
    options: dict[str, object],
    with_ca_file: bool,
    said: str,
    tmp_path: Path,
    serve: Serve,
    client_of: ClientOf,
) -> None:
    certificate, key = make_certificate(tmp_path, **options)
    server = await serve(http(201, REX), tls=server_context(certificate, key))
    client = client_of(server, ca_file=certificate if with_ca_file else None)
    error = await failure_of(client.create_pet(TINY))
    assert str(error).startswith(f"cannot trust 127.0.0.1:{server.port}: {said}")
    assert not error.maybe_sent
    assert server.seen == []


async def test_what_never_agrees_on_tls_was_sent_nothing(
    server: HostileServer, client_of: ClientOf
) -> None:
    error = await failure_of(client_of(f"https://127.0.0.1:{server.port}/v1", LIMITS).list_pets())
    assert isinstance(error, NoAnswerError)
    assert error.step == "agree on TLS with"
    assert not error.maybe_sent


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


@pytest.mark.parametrize("step", [stall(), http(500, "")])
async def test_an_add_that_a_service_may_have_read_may_have_been_sent(
    step: Step, answered: Answered
) -> None:
    assert (await failure_of(answered(step, limits=LIMITS).create_pet(TINY))).maybe_sent
