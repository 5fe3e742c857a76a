"""What counts as one address where addresses are limited."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv6Address, ip_address


def network_of(address: str) -> str:
    """Return what counts as one address: in IPv6 the /64 network, since a home has all of it."""
    with suppress(ValueError):
        parsed = ip_address(address.partition("%")[0])
        if isinstance(parsed, IPv6Address):
            return parsed.ipv4_mapped.compressed if parsed.ipv4_mapped else parsed.exploded[:19]
    return address
