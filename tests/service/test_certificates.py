"""Certificates that are accepted, accepted with a warning, and refused."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import ssl
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from pettui.service.certificates import CertificateError, ServerCertificate
from pettui.service.errors import no_such_path
from pettui.service.server import Server
from tests.service.running_service import running_service

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.service.running_service import RunningService

PrivateKey: TypeAlias = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


def write_pair(
    directory: Path,
    *,
    key: PrivateKey | None = None,
    begin: timedelta = -DAY,
    end: timedelta = 90 * DAY,
    password: bytes = b"",
) -> Path:
    """Write cert.pem and key.pem, and return their directory."""
    directory.mkdir(exist_ok=True)
    key = key or ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "store")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW + begin)
        .not_valid_after(NOW + end)
        .sign(key, hashes.SHA256())
    )
    encryption = (
        serialization.BestAvailableEncryption(password)
        if password
        else serialization.NoEncryption()
    )
    pem = serialization.Encoding.PEM
    (directory / "cert.pem").write_bytes(certificate.public_bytes(pem))
    private = directory / "key.pem"
    private.touch(mode=0o600)
    private.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, encryption))
    return directory


def read(directory: Path) -> ServerCertificate:
    return ServerCertificate(directory / "cert.pem", directory / "key.pem")


def problem(certificate: Path, key: Path | None) -> str:
    with pytest.raises(CertificateError) as raised:
        ServerCertificate(certificate, key)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_good_pair_is_accepted_silently(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    read(write_pair(tmp_path))
    assert caplog.messages == []


def test_a_chain_and_its_key_may_be_in_one_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_pair(tmp_path)
    both = tmp_path / "both.pem"
    both.touch(mode=0o600)
    both.write_bytes((tmp_path / "cert.pem").read_bytes() * 2 + (tmp_path / "key.pem").read_bytes())
    ServerCertificate(both, None)
    assert caplog.messages == []


@pytest.mark.parametrize("beside", ["# Zoo Köln\n".encode(), b"\xff\xfe"])
def test_text_beside_a_certificate_may_be_in_any_encoding(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, beside: bytes
) -> None:
    certificate = write_pair(tmp_path, begin=-9 * DAY, end=-2 * DAY) / "cert.pem"
    certificate.write_bytes(beside + b"\n" + certificate.read_bytes())
    read(tmp_path)
    [line] = caplog.messages
    assert "expired" in line


@pytest.mark.parametrize(
    ("begin", "end", "message"),
    [
        (-9 * DAY, -2 * DAY, f"expired on {NOW - 2 * DAY:%Y-%m-%d}; clients refuse it"),
        (2 * DAY, 9 * DAY, f"is not valid before {NOW + 2 * DAY:%Y-%m-%d}; clients refuse it"),
        (
            -9 * DAY,
            13 * DAY,
            f"expires on {NOW + 13 * DAY:%Y-%m-%d}; put a new one in its place, and send SIGHUP",
        ),
    ],
)
def test_a_certificate_that_is_not_valid_now_or_soon_is_accepted_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, begin: timedelta, end: timedelta, message: str
) -> None:
    read(write_pair(tmp_path, begin=begin, end=end))
    [line] = caplog.messages
    assert line == f"the certificate {tmp_path / 'cert.pem'} {message}"


class Clock:
    """The time, as a test sets it."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now.timestamp()


def test_of_a_certificate_that_comes_to_its_end_it_is_warned_once_a_day(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_pair(tmp_path, end=20 * DAY)
    clock = Clock()
    certificate = ServerCertificate(tmp_path / "cert.pem", tmp_path / "key.pem", clock)
    clock.now = NOW + 5 * DAY
    certificate.warn_daily()
    assert caplog.messages == []
    for hours in range(7 * 24, 10 * 24):
        clock.now = NOW + timedelta(hours=hours)
        certificate.warn_daily()
    assert len(caplog.messages) == 3
    clock.now = NOW + 21 * DAY
    certificate.warn_daily()
    assert ["expires on" in line for line in caplog.messages] == [True] * 3 + [False]
    assert "expired on" in caplog.messages[-1]


async def test_a_service_that_runs_warns_of_its_certificate(tmp_path: Path) -> None:
    write_pair(tmp_path, end=20 * DAY)
    clock, warned = Clock(), asyncio.Event()
    certificate = ServerCertificate(tmp_path / "cert.pem", tmp_path / "key.pem", clock)

    class Noticed(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            assert "expires on" in record.getMessage()
            warned.set()

    handler, logger = Noticed(), logging.getLogger("pettui.service.certificates")
    server = Server(no_such_path, certificate)
    logger.addHandler(handler)
    try:
        serving = asyncio.create_task(server.serve([], lambda: None))
        clock.now = NOW + 10 * DAY
        async with asyncio.timeout(30):
            await warned.wait()
        server.stop()
        await serving
    finally:
        logger.removeHandler(handler)


def test_a_private_key_that_others_can_read_is_accepted_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_pair(tmp_path)
    (tmp_path / "key.pem").chmod(0o604)
    read(tmp_path)
    [line] = caplog.messages
    assert f"key.pem can be read by others; run: chmod 600 {tmp_path / 'key.pem'}" in line


def test_an_encrypted_key_is_refused_as_such(tmp_path: Path) -> None:
    write_pair(tmp_path, password=b"secret")
    line = problem(tmp_path / "cert.pem", tmp_path / "key.pem")
    assert line.startswith(
        f"--tls-key {tmp_path / 'key.pem'} can't be used: its private key is enc"
    )


def test_a_weak_key_is_refused_as_such(tmp_path: Path) -> None:
    write_pair(tmp_path, key=rsa.generate_private_key(65537, 1024))
    assert "too short to be safe" in problem(tmp_path / "cert.pem", tmp_path / "key.pem")


@pytest.mark.parametrize("make", [lambda: rsa.generate_private_key(65537, 2048), lambda: None])
def test_a_pair_that_does_not_belong_together_is_refused_as_such(
    tmp_path: Path, make: Callable[[], PrivateKey | None]
) -> None:
    one, other = write_pair(tmp_path / "one"), write_pair(tmp_path / "other", key=make())
    line = problem(one / "cert.pem", other / "key.pem")
    assert f"the private key in {other / 'key.pem'} do not belong together" in line


def test_files_with_other_contents_are_refused_by_what_is_missing(tmp_path: Path) -> None:
    write_pair(tmp_path)
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    assert "contains no certificate in PEM" in problem(key, key)
    assert "contains no private key in PEM" in problem(certificate, None)
    assert "contains no private key in PEM" in problem(certificate, certificate)
    certificate.write_text("-----BEGIN CERTIFICATE-----\nrubbish\n-----END CERTIFICATE-----\n")
    assert "in PEM" in problem(certificate, key)


def test_a_fifo_a_directory_and_a_missing_file_are_refused_at_once(tmp_path: Path) -> None:
    write_pair(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    assert "not a regular file" in problem(tmp_path / "fifo", tmp_path / "key.pem")
    assert "--tls-key" in problem(tmp_path / "cert.pem", tmp_path / "fifo")
    assert "directory" in problem(tmp_path, None)
    assert "No such file" in problem(tmp_path / "none.pem", None)


def certificate_of(service: RunningService) -> bytes | None:
    """Return the certificate that a new connection gets."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(service.address, timeout=60) as below,
        context.wrap_socket(below) as connection,
    ):
        return connection.getpeercert(binary_form=True)


def der(directory: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert((directory / "cert.pem").read_text())


def test_a_hangup_reloads_the_certificate_and_a_bad_one_is_not_used(
    tmp_path: Path,
) -> None:
    files = write_pair(tmp_path / "tls")
    certificate, key = str(files / "cert.pem"), str(files / "key.pem")
    with running_service(tmp_path, tls_certificate=certificate, tls_key=key) as service:
        assert certificate_of(service) == der(files)
        write_pair(files)
        service.process.send_signal(signal.SIGHUP)
        assert "reloaded the certificate" in service.event()["reason"]
        renewed = der(files)
        assert certificate_of(service) == renewed
        (files / "key.pem").write_text("rubbish")
        service.process.send_signal(signal.SIGHUP)
        reason = service.event()["reason"]
        assert reason.startswith("--tls-key ")
        assert reason.endswith("; the previous certificate stays in use")
        assert certificate_of(service) == renewed
        assert service.stop() == 0
        assert service.stderr_text() == ""
