"""Addresses that a service sends → where they lead, as httpx itself parses them.

Nothing else makes an ``httpx.URL`` of what came in a header. The parser is that of the code that
would follow them: two parsers that differ would send the key to another host than was checked.
``httpx.URL.host`` is not used: it decodes a host's name, and for ``xn--a`` raises what is not one
of httpx's errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import httpx

if TYPE_CHECKING:
    from typing import TypeAlias

    Origin: TypeAlias = tuple[str, str, int | None]

LONGEST: Final = 8_000  # characters, of an address (RFC 9110, 4.1); 60,000 of a name take minutes


def resolved(base: str, reference: str) -> str:
    """Return the absolute address that a reference leads to in a response of ``base``.

    It has no fragment, and is the same when it is parsed again.

    Raises:
        ValueError: it is not an address, or holds a user name.
    """
    if len(reference) > LONGEST:
        raise ValueError("it is too long")
    if "\\" in reference:
        raise ValueError("it holds a backslash")
    try:
        address = httpx.URL(base).join(reference).copy_with(fragment=None)
        again = httpx.URL(str(address))
    except httpx.InvalidURL as error:
        problem = str(error)
    else:
        if not again.userinfo and _origin(again) == _origin(address):
            return str(again)
        problem = "it holds a user name"
    raise ValueError(problem)


def same_origin(one: str, other: str) -> bool:
    """Whether two addresses have the same scheme, host and port (RFC 6454)."""
    try:
        return _origin(httpx.URL(one)) == _origin(httpx.URL(other))
    except httpx.InvalidURL:
        return False


def origin_of(address: str) -> str:
    """Return an address's origin, to be shown: "https://store.example:8443"."""
    read = httpx.URL(address)
    return f"{read.scheme}://{read.netloc.decode('ascii')}"


def host_and_port(address: str) -> str:
    """Return an address's host and port, to be shown: "127.0.0.1:8080"; "" of no address."""
    try:
        _, host, port = _origin(httpx.URL(address))
    except httpx.InvalidURL:
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _origin(address: httpx.URL) -> Origin:
    default = {"http": 80, "https": 443}.get(address.scheme)
    return address.scheme, address.raw_host.decode("ascii"), address.port or default
