"""Whom the client trusts over TLS: a CA file, else the system's authorities, else certifi's.

What the system trusts goes by ``ssl``'s defaults, so that ``SSL_CERT_FILE`` and ``SSL_CERT_DIR``
say it here as they do to curl. certifi's list is for systems that have none.
"""

from __future__ import annotations

import os
import re
import ssl
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.client.failures import system_reason
from pettui.system.files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

CERTIFICATES_MAXIMUM: Final = 4_000_000  # bytes
NO_CERTIFICATE: Final = "it holds no certificate (PEM)"
_KEY_LOG: Final = "SSLKEYLOGFILE"
_HASHED: Final = re.compile(r"[0-9a-f]{8}\.[0-9]+")  # what OpenSSL looks for in a directory


class Trust(NamedTuple):
    """Who is trusted."""

    context: ssl.SSLContext
    source: str  # in words; "" over plain http
    remedy: str  # in words, behind what is wrong with a certificate


def trust_of(ca_file: Path | None, base_url: str) -> Trust:
    """Return who is trusted: over plain http nobody, since loading the usual ones takes 20 ms.

    Raises:
        OSError: the CA file cannot be read, or has no certificate; or the log of keys cannot be
            written, where the environment asks for one.
    """
    if ca_file is not None:
        return _of_file(ca_file)
    if base_url.startswith("http:"):
        return Trust(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), "", "")
    return _of_system()


def _of_file(ca_file: Path) -> Trust:
    """Return the trust in a file of one's own, as curl has it.

    Authorities of a house rarely have all extensions that VERIFY_X509_STRICT, a default since
    Python 3.13, asks for.
    """
    try:
        content = read_regular_file(ca_file, CERTIFICATES_MAXIMUM).content
    except OSError as error:
        raise OSError(f"the CA file {ca_file}: {system_reason(error)}") from None
    text = content.decode("ascii", "ignore")
    try:
        # With an empty text, the system's authorities would be trusted.
        context = _as_curl(text) if text else None
    except ssl.SSLError:
        context = None
    if context is None:
        raise OSError(f"the CA file {ca_file}: {NO_CERTIFICATE}")
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    source = f"ca_file {ca_file}, as curl does: without VERIFY_X509_STRICT"
    return Trust(context, source, f"ca_file {ca_file} names whom to trust")


def _of_system() -> Trust:
    context = _as_curl()
    paths = ssl.get_default_verify_paths()
    file = os.environ.get(paths.openssl_cafile_env, "")
    directory = os.environ.get(paths.openssl_capath_env, "")
    remedy = f"ca_file of its profile, or {paths.openssl_cafile_env}, names whom to trust"
    directories = (directory or paths.openssl_capath).split(os.pathsep)
    if not (context.cert_store_stats()["x509"] or any(map(_HASHED.fullmatch, _in(directories)))):
        path, authorities = read_authorities()
        context.load_verify_locations(cadata=authorities)
        return Trust(context, f"certifi's authorities ({path})", remedy)
    named = ((paths.openssl_cafile_env, file), (paths.openssl_capath_env, directory))
    set_to = ", ".join(f"{variable} {value}" for variable, value in named if value)
    return Trust(context, f"the system's authorities ({set_to or 'its defaults'})", remedy)


@cache
def read_authorities() -> tuple[str, str]:
    """Return certifi's list and its path, as it was at the first call."""
    import certifi  # noqa: PLC0415 - of systems without any

    return certifi.where(), certifi.contents()


def _as_curl(authorities: str | None = None) -> ssl.SSLContext:
    """Return a context that ends at any trusted certificate, as each does since Python 3.13.

    Raises:
        ssl.SSLError: none of the authorities is one.
        OSError: the file in which the environment wants the keys of connections cannot be written.
    """
    try:
        context = ssl.create_default_context(cadata=authorities)
    except ssl.SSLError:
        raise
    except OSError as error:  # it is the only file that is opened
        path = os.environ.get(_KEY_LOG, "")
        raise OSError(f"{_KEY_LOG} {path}: {system_reason(error)}") from None
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


def _in(directories: Iterable[str]) -> Iterator[str]:
    for directory in directories:
        try:
            yield from os.listdir(directory)  # noqa: PTH208 - names are all that is wanted
        except OSError:  # it may be missing, as for OpenSSL
            continue
