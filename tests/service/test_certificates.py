"""Certificates that are accepted, accepted with a warning, and refused."""

from __future__ import annotations

import os
import signal
import ssl
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from pettui.service.certificates import CertificateError, ServerCertificate
from tests.certificates import DAY, NOW, PrivateKey, make_certificate
from tests.clock import Clock
from tests.service.running_service import RunningService, running_service

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta
    from pathlib import Path


def problem(certificate: Path, key: Path | None) -> str:
    with pytest.raises(CertificateError) as raised:
        ServerCertificate(certificate, key)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_chain_and_its_key_may_be_in_one_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    certificate, key = make_certificate(tmp_path)
    both = tmp_path / "both.pem"
    both.touch(mode=0o600)
    both.write_bytes(certificate.read_bytes() * 2 + key.read_bytes())
    ServerCertificate(both, None)
    assert caplog.messages == []


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
    ServerCertificate(*make_certificate(tmp_path, begin=begin, end=end))
    [line] = caplog.messages
    assert line == f"the certificate {tmp_path / 'cert.pem'} {message}"


def test_of_a_certificate_that_comes_to_its_end_it_is_warned_once_a_day(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock(NOW.timestamp())
    certificate = ServerCertificate(*make_certificate(tmp_path, end=20 * DAY), clock)
    for hours in (5 * 24, *range(7 * 24, 10 * 24), 21 * 24):
        clock.now = NOW.timestamp() + hours * 3600
        certificate.warn_daily()
    assert ["expires on" in line for line in caplog.messages] == [True] * 3 + [False]
    assert "expired on" in caplog.messages[-1]


def test_a_private_key_that_others_can_read_is_accepted_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    certificate, key = make_certificate(tmp_path)
    key.chmod(0o604)
    ServerCertificate(certificate, key)
    [line] = caplog.messages
    assert f"key.pem can be read by others; run: chmod 600 {key}" in line


def test_an_encrypted_key_is_refused_as_such(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path, password=b"secret")
    line = problem(certificate, key)
    assert line.startswith(f"--tls-key {key} can't be used: its private key is enc")


def test_a_weak_key_is_refused_as_such(tmp_path: Path) -> None:
    pair = make_certificate(tmp_path, key=rsa.generate_private_key(65537, 1024))
    assert "too short to be safe" in problem(*pair)


@pytest.mark.parametrize("make", [lambda: rsa.generate_private_key(65537, 2048), lambda: None])
def test_a_pair_that_does_not_belong_together_is_refused_as_such(
    tmp_path: Path, make: Callable[[], PrivateKey | None]
) -> None:
    certificate, _ = make_certificate(tmp_path / "one")
    _, key = make_certificate(tmp_path / "other", key=make())
    assert f"the private key in {key} do not belong together" in problem(certificate, key)


def test_files_with_other_contents_are_refused_by_what_is_missing(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    assert "contains no certificate in PEM" in problem(key, key)
    assert "contains no private key in PEM" in problem(certificate, None)
    assert "contains no private key in PEM" in problem(certificate, certificate)
    certificate.write_text("-----BEGIN CERTIFICATE-----\nrubbish\n-----END CERTIFICATE-----\n")
    assert "in PEM" in problem(certificate, key)


def test_a_fifo_a_directory_and_a_missing_file_are_refused_at_once(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    assert "not a regular file" in problem(tmp_path / "fifo", key)
    assert "--tls-key" in problem(certificate, tmp_path / "fifo")
    assert "directory" in problem(tmp_path, None)
    assert "no such file" in problem(tmp_path / "none.pem", None)


def certificate_of(service: RunningService) -> str:
    """Return the certificate that a new connection gets."""
    return ssl.get_server_certificate(service.address, timeout=60)


def test_a_hangup_reloads_the_certificate_and_a_bad_one_is_not_used(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path / "tls")
    files = str(certificate), str(key)
    with running_service(tmp_path, tls_certificate=files[0], tls_key=files[1]) as service:
        assert certificate_of(service) == certificate.read_text()
        make_certificate(tmp_path / "tls")
        service.process.send_signal(signal.SIGHUP)
        assert "reloaded the certificate" in service.event()["reason"]
        assert certificate_of(service) == certificate.read_text()
        key.write_text("rubbish")
        service.process.send_signal(signal.SIGHUP)
        reason = service.event()["reason"]
        assert reason.startswith("--tls-key ")
        assert reason.endswith("; the previous certificate stays in use")
        assert certificate_of(service) == certificate.read_text()
        service.check_quiet_end()
