"""Self-signed certificates of this machine; each can be named as its own CA file."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from pathlib import Path

PrivateKey: TypeAlias = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


def make_certificate(
    directory: Path,
    *,
    host: str = "127.0.0.1",
    key: PrivateKey | None = None,
    begin: timedelta = -DAY,
    end: timedelta = 90 * DAY,
    password: bytes = b"",
) -> tuple[Path, Path]:
    """Write cert.pem and key.pem, and return their paths."""
    directory.mkdir(parents=True, exist_ok=True)
    certificate_file, key_file = directory / "cert.pem", directory / "key.pem"
    key = key or ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "store")])
    hosts = [x509.IPAddress(ipaddress.ip_address(host)), x509.DNSName("localhost")]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW + begin)
        .not_valid_after(NOW + end)
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        .sign(key, hashes.SHA256())
    )
    locked = serialization.BestAvailableEncryption(password) if password else None
    pem = serialization.Encoding.PEM
    pkcs8 = serialization.PrivateFormat.PKCS8
    certificate_file.write_bytes(certificate.public_bytes(pem))
    key_file.touch(mode=0o600)
    key_file.write_bytes(key.private_bytes(pem, pkcs8, locked or serialization.NoEncryption()))
    return certificate_file, key_file


def make_house(directory: Path) -> tuple[Path, Path, Path]:
    """Write ca.pem, cert.pem and key.pem as a house makes them, and return their paths.

    Neither has the identifiers and the usage of keys that strict rules ask for.
    """
    ca_key = ec.generate_private_key(ec.SECP256R1())
    key = ec.generate_private_key(ec.SECP256R1())
    house = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "house")])
    store = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "store")])

    def begun(subject: x509.Name, public_key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder(house, subject, public_key, x509.random_serial_number())
            .not_valid_before(NOW - DAY)
            .not_valid_after(NOW + 90 * DAY)
        )

    is_authority = x509.BasicConstraints(ca=True, path_length=None)
    hosts = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    authority = begun(house, ca_key.public_key()).add_extension(is_authority, critical=False)
    certificate = begun(store, key.public_key()).add_extension(hosts, critical=False)
    paths = directory / "ca.pem", directory / "cert.pem", directory / "key.pem"
    pem = serialization.Encoding.PEM
    paths[0].write_bytes(authority.sign(ca_key, hashes.SHA256()).public_bytes(pem))
    paths[1].write_bytes(certificate.sign(ca_key, hashes.SHA256()).public_bytes(pem))
    pkcs8, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    paths[2].write_bytes(key.private_bytes(pem, pkcs8, plain))
    return paths


def server_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return what a server with this certificate speaks TLS with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
