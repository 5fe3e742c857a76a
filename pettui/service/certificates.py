"""The service's TLS certificate and its private key."""

from __future__ import annotations

import logging
import math
import ssl
import time
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.service import SetupError
from pettui.system.files import read_regular_file, reason_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from pathlib import Path

DAY: Final = 86_400.0  # seconds
ENDING: Final = 14 * DAY  # before the end of a certificate
SIZE_MAXIMUM: Final = 1024 * 1024  # bytes of a file
NO_CHECK_TIME: Final = 0x200000  # OpenSSL's X509_V_FLAG_NO_CHECK_TIME, which ssl does not name
_TOO_SHORT: Final = "its key is too short to be safe; make one of 2048 bits or more"
_TOO_WEAK: Final = "it is signed with a hash that is no longer safe; make one with SHA-256"
_REASONS: Final[Mapping[str, str]] = MappingProxyType(  # of OpenSSL, each of two
    {"KEY_TOO_SMALL": _TOO_SHORT, "MD_TOO_WEAK": _TOO_WEAK}
)

logger = logging.getLogger(__name__)


class CertificateError(SetupError):
    """A certificate or a private key that can't be used."""


class ServerCertificate:
    """The certificate in an SSL context; ``reload`` reads the files again, for new connections."""

    def __init__(
        self, certificate: Path, key: Path | None, clock: Callable[[], float] = time.time
    ) -> None:
        """Read a certificate with its chain, and its key; None if that is in the same file.

        Raises:
            CertificateError: they can't be used; the message names the file and the reason.
        """
        self._certificate = certificate
        self._key = key or certificate
        self._clock = clock
        self.context = self._load()

    @property
    def end(self) -> float:
        """When it expires, in seconds since 1970; not a number if it does not say."""
        return math.nan if self._end is None else self._end

    def reload(self) -> None:
        """Read the files again; if they can't be used, the previous certificate stays in use."""
        try:
            self.context = self._load()
        except CertificateError as error:
            logger.error("%s; the previous certificate stays in use", error)  # noqa: TRY400
        else:
            logger.warning("reloaded the certificate %s", self._certificate)

    def warn_daily(self) -> None:
        """Warn of the certificate's dates again, if the last time is a day ago."""
        if self._clock() - self._checked >= DAY:
            self._warn_of_dates()

    def _load(self) -> ssl.SSLContext:
        certificate, _ = _read("--tls-cert", self._certificate)
        option = "--tls-cert" if self._key == self._certificate else "--tls-key"
        key, key_status = _read(option, self._key)
        if b"-----BEGIN CERTIFICATE-----" not in certificate:
            raise _unusable(
                "--tls-cert", self._certificate, "it contains no certificate in PEM format"
            )
        if b"PRIVATE KEY-----" not in key:
            raise _unusable(option, self._key, "it contains no private key in PEM format")
        if b"ENCRYPTED" in key:
            reason = "its private key is encrypted; openssl pkey writes one without a password"
            raise _unusable(option, self._key, reason)
        context = self._context()
        self._warn_if_readable(key_status)
        self._begin, self._end = _dates(context, certificate)
        self._warn_of_dates()
        return context

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            # Without a password OpenSSL would ask for one on the terminal, which may be missing.
            context.load_cert_chain(self._certificate, self._key, password=lambda: b"")
        except OSError as error:
            reason = reason_of(error)
            if isinstance(error, ssl.SSLError):
                kind = (error.reason or "").partition("_")[2]  # without EE_, CA_ or DH_
                no_pair = f"it and the private key in {self._key} do not belong together"
                reason = _REASONS.get(kind, f"{no_pair}, or are not in PEM format")
            raise _unusable("--tls-cert", self._certificate, reason) from error
        return context

    def _warn_if_readable(self, status: os.stat_result) -> None:
        # A group may read what belongs to root, as Debian's ssl-cert does.
        forbidden = 0o037 if status.st_uid == 0 else 0o077
        if status.st_mode & forbidden:
            message = "the private key %s can be read by others; run: chmod 600 %s"
            logger.warning(message, self._key, self._key)

    def _warn_of_dates(self) -> None:
        now = self._checked = self._clock()
        if self._end is not None and self._end <= now:
            message = "the certificate %s expired on %s; clients refuse it"
            logger.warning(message, self._certificate, _day(self._end))
        elif self._begin is not None and self._begin > now:
            message = "the certificate %s is not valid before %s; clients refuse it"
            logger.warning(message, self._certificate, _day(self._begin))
        elif self._end is not None and self._end - now < ENDING:
            message = (
                "the certificate %s expires on %s; put a new one in its place, and send SIGHUP"
            )
            logger.warning(message, self._certificate, _day(self._end))


def _read(option: str, path: Path) -> tuple[bytes, os.stat_result]:
    try:
        file = read_regular_file(path, SIZE_MAXIMUM)
    except OSError as error:
        raise _unusable(option, path, reason_of(error)) from error
    return file.content, file.status


def _unusable(option: str, path: Path, reason: str) -> CertificateError:
    return CertificateError(f"{option} {path} can't be used: {reason}")


def _dates(server: ssl.SSLContext, certificate: bytes) -> tuple[float | None, float | None]:
    """Return the start and the end of a certificate's validity, in seconds since 1970.

    ``ssl`` parses only a peer's certificate, so a client in memory connects to the server.
    """
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN | NO_CHECK_TIME
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    found = None
    with suppress(ssl.SSLError):  # unreadable dates must not prevent the start
        # Text beside the certificates may be in any encoding.
        client.load_verify_locations(cadata=certificate.decode("ascii", "ignore"))
        server_side = server.wrap_bio(to_server, to_client, server_side=True)
        peer = client.wrap_bio(to_client, to_server)
        for side in (peer, server_side, peer):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
        found = peer.getpeercert()
    if not found:
        return None, None
    begin, end = str(found["notBefore"]), str(found["notAfter"])
    return ssl.cert_time_to_seconds(begin), ssl.cert_time_to_seconds(end)


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
