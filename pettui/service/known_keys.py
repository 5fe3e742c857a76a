"""Which bearer keys are known; of a key only its hash is kept."""

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
        """Give the short hash that stands for a known key in logs, or None for any other."""
        ...


def key_digest(key: bytes) -> bytes:
    """Give what is kept of a key in place of it (SHA-256, 32 bytes)."""
    return sha256(key).digest()


def known_digest(digests: Iterable[bytes], key: bytes) -> str | None:
    """Give the short hash of a key that is among them, in the same time for each."""
    candidate = key_digest(key)
    found = [digest for digest in digests if compare_digest(digest, candidate)]
    return found[0].hex()[:8] if found else None


class FixedKeys:
    """Keys that stay the same as long as the service runs."""

    def __init__(self, keys: Iterable[str]) -> None:
        if isinstance(keys, str):
            raise TypeError("keys are several strings, not one")
        self._digests = tuple(key_digest(key.encode(errors="surrogateescape")) for key in keys)

    def hash_name(self, key: bytes) -> str | None:
        """Give the short hash of a known key, or None."""
        return known_digest(self._digests, key)
