"""The base address of a service, and the address of a proxy, checked before anything is opened;
and the addresses of a connection, by which both of its ends know it.

httpx and the system's resolver are stricter than urllib: what they would reject is rejected here,
at the start and not at the first request.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

ADDRESS_MAXIMUM = 2_000  # characters
PORT_MAXIMUM = 65_535
_NAME_MAXIMUM = 253  # characters of a host's name (RFC 1035, 2.3.4), and 63 of each label
_LABEL = r"[A-Za-z0-9_-]{1,63}"
_HOST = rf"{_LABEL}(\.{_LABEL})*\.?"
_HOST_AND_PORT = r"(?P<host>\[[^\[\]]*\]|[^\[\]:]*)(:(?P<port>[0-9]{0,5}))?"
_LIKE_IPV4 = r"([0-9]+.){3}[0-9]+|(.*\.)?([0-9]+|0[xX][0-9A-Fa-f]*)\.?"


def base_address(text: str) -> str:
    """Return a service's base address: ``http`` or ``https``, host and path, no final slash.

    Raises:
        ValueError: it is none. The message says what would be right, and contains nothing of
            ``text``, which may contain a password.
    """
    parts = _address(text)
    path = parts.path.removesuffix("/")
    if not path.endswith("/v1"):
        raise ValueError("must end in /v1, the version of the interface")
    return f"{parts.scheme}://{parts.netloc}{path}"


def proxy_address(text: str) -> str:
    """Return a proxy's address: ``http`` or ``https``, host and port.

    Raises:
        ValueError: it is none; for the message see ``base_address``.
    """
    parts = _address(text)
    if parts.path not in ("", "/"):
        raise ValueError("must end after its host and port")
    return f"{parts.scheme}://{parts.netloc}"


def service_proxy(text: str, base_url: str) -> str:
    """Return a proxy's address as it is used for a service.

    Raises:
        ValueError: it is none, or the service is not behind TLS.
    """
    if not base_url.startswith("https:"):
        raise ValueError("is for https only: over http it would read the API key")
    return proxy_address(text)


def address_digest(address: str) -> str:
    """Return what names the files that are kept of an address, however that is written."""
    import hashlib  # noqa: PLC0415 - takes longer than the rest of this module

    spelling = same_address(address).encode("utf-8", "surrogatepass")
    return hashlib.sha256(spelling).hexdigest()[:32]


def same_address(store: str) -> str:
    """Return an address as all ways to write it: small letters, no default port (RFC 3986, 6.2.3).

    A path is returned as it is.
    """
    scheme, separator, rest = store.partition("://")
    default = {"http": ":80", "https": ":443"}.get(scheme.lower())
    if not separator or default is None:
        return store
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower().removesuffix(default)}{slash}{path}"


def travels_in_the_clear(base_url: str) -> bool:
    """Whether a bearer key sent to this base address can be read on its way there."""
    parts = urlsplit(base_url)
    return parts.scheme != "https" and not is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    """Whether a name or an IP address is this machine alone (RFC 6761, 6.3)."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost" or host.lower().endswith(".localhost")


def loopback_address(text: str, port: int) -> tuple[str, int]:
    """Read an address of this machine, with a port or without.

    Args:
        text: such as 127.0.0.1, [::1] or 127.0.0.1:9464.
        port: if it has none.

    Raises:
        ValueError: it is not one, or other machines reach it.
    """
    found = re.fullmatch(_HOST_AND_PORT, text)
    host = found["host"].strip("[]") if found else ""
    number = int((found and found["port"]) or port)
    if not is_loopback(host) or number > PORT_MAXIMUM:
        raise ValueError(f"must be an address of this machine alone, such as 127.0.0.1:{port}")
    return host, number


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Read networks, each an address or an address and its leading bits.

    Raises:
        ValueError: one is neither; it says which.
    """
    found = []
    for text in texts:
        try:
            found.append(ipaddress.ip_network(text))
        except ValueError:
            raise ValueError(text) from None
    return tuple(found)


def _address(text: str) -> SplitResult:
    if len(text) > ADDRESS_MAXIMUM:
        raise ValueError(f"must be an address of at most {ADDRESS_MAXIMUM} characters")
    if not text.isprintable() or re.search(r"[\s\\<>\"^`{|}]", text):
        raise ValueError("must hold no blanks, control characters or backslashes")
    try:
        parts = urlsplit(text)
    except ValueError:
        raise ValueError("must be an address like https://store.example/v1") from None
    if parts.scheme not in ("http", "https") or "//" not in text:
        raise ValueError("must begin with http:// or https://")
    if "@" in parts.netloc:
        raise ValueError("must hold no user name and no password")
    _check_host_and_port(parts.netloc)
    if "?" in text or "#" in text:
        raise ValueError("must hold no query and no fragment")
    return parts


def _check_host_and_port(text: str) -> None:
    found = re.fullmatch(_HOST_AND_PORT, text)
    port = found["port"] if found else None
    if found is None or (port and not 1 <= int(port) <= 65_535) or not _is_host(found["host"]):
        raise ValueError("must name a host in ASCII, and a port from 1 to 65535 if any")


def _is_host(text: str) -> bool:
    """Whether a text is an IP address as it is usually written, or a name that can be looked up.

    Four numbers, or a last label that is one, would be an address of IPv4 to some readers and a
    name to others (RFC 3986, 3.2.2): only an address in its usual form is taken.
    """
    try:
        if text.startswith("["):
            return ipaddress.IPv6Address(text[1:-1]).scope_id is None
        if re.fullmatch(_LIKE_IPV4, text):
            return bool(ipaddress.IPv4Address(text))
    except ValueError:
        return False
    if re.fullmatch(_HOST, text) is None or len(text) > _NAME_MAXIMUM:
        return False
    return all(_is_label(label) for label in text.lower().split("."))


def _is_label(text: str) -> bool:
    """Whether a label says in ASCII what it stands for (RFC 5890, 2.3.2.1), if it claims to."""
    if not text.startswith("xn--"):
        return True
    try:
        meant = text[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return False
    return not meant.isascii() and meant.isprintable()


def spellings(network: Network) -> list[str]:
    """Return a network as sockets show its addresses; see ``unmapped``."""
    if network.version == 6:
        return [str(network)]
    return [str(network), f"::ffff:{network.network_address}/{96 + network.prefixlen}"]


def unmapped(address: str) -> str:
    """Return an address as it is usually written: of IPv4 as such.

    A socket for both families, as systemd makes them, shows IPv4 as ::ffff:192.0.2.1.
    """
    try:
        host = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(getattr(host, "ipv4_mapped", None) or address)
