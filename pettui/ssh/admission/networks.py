"""What is counted as one address, by which everybody has a share."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv6Address, ip_address


def network_of(address: str) -> str:
    """Return what is counted as one address: in IPv6 a home has 2^64 of them."""
    with suppress(ValueError):
        parsed = ip_address(address.partition("%")[0])
        if isinstance(parsed, IPv6Address):
            return parsed.ipv4_mapped.compressed if parsed.ipv4_mapped else parsed.exploded[:19]
    return address
