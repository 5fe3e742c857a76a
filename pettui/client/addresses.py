"""Addresses that a service sends → where they lead, as httpx itself reads them.

They are read by the code that would follow them: two readers that differ are how a key goes
astray.
"""

from __future__ import annotations

import httpx


def resolved(base: str, reference: str) -> httpx.URL:
    """Give where a reference leads that was found in the answer of ``base``; no fragment.

    Raises:
        ValueError: it is no address, or holds a user name.
    """
    try:
        address = httpx.URL(base).join(reference).copy_with(fragment=None)
    except httpx.InvalidURL as error:
        problem = str(error)
    else:
        if not address.userinfo and "\\" not in reference:
            return address
        problem = "it holds a user name or a backslash"
    raise ValueError(problem)


def same_origin(one: httpx.URL | str, other: httpx.URL | str) -> bool:
    """Tell whether two addresses have the same scheme, host and port (RFC 6454)."""
    return _origin(httpx.URL(one)) == _origin(httpx.URL(other))


def _origin(address: httpx.URL) -> tuple[str, str, int | None]:
    default = {"http": 80, "https": 443}.get(address.scheme)
    return address.scheme, address.host, address.port or default


def place(address: httpx.URL | str) -> str:
    """Give an address's host and port: "127.0.0.1:8080"."""
    _, host, port = _origin(httpx.URL(address))
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
