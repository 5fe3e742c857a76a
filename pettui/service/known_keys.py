"""Which bearer keys are known; only their hashes are kept."""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable


@runtime_checkable
class Keys(Protocol):
    """The keys that the service knows."""

    def hash_name(self, key: bytes) -> str | None:
        """Return the short hash of a known key, for logs; None for an unknown key."""
        ...


def key_digest(key: bytes) -> bytes:
    """Return the hash of a key (SHA-256, 32 bytes)."""
    return sha256(key).digest()


def known_digest(digests: Iterable[bytes], key: bytes) -> str | None:
    """Return the short hash of a key that is among the digests, or None, in constant time."""
    candidate = key_digest(key)
    found = [digest for digest in digests if compare_digest(digest, candidate)]
    return found[0].hex()[:8] if found else None


class FixedKeys:
    """Keys that stay the same as long as the service runs."""

    def __init__(self, keys: Iterable[str]) -> None:
        if isinstance(keys, str):
            raise TypeError("keys must be several strings, not one")
        self._digests = tuple(key_digest(key.encode(errors="surrogateescape")) for key in keys)

    def hash_name(self, key: bytes) -> str | None:
        """Return the short hash of a known key, or None for an unknown one."""
        return known_digest(self._digests, key)
