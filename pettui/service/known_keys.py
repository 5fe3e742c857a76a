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

    def name_of(self, key: bytes) -> str | None:
        """Return the name of a known key, for logs; None for an unknown key."""
        ...


def key_digest(key: bytes) -> bytes:
    """Return the hash of a key (SHA-256, 32 bytes)."""
    return sha256(key).digest()


def known_name(names: Iterable[tuple[str, bytes]], key: bytes) -> str | None:
    """Return the name beside the hash of a key, or None, in constant time."""
    candidate = key_digest(key)
    found = [name for name, digest in names if compare_digest(digest, candidate)]
    return found[0] if found else None


class FixedKeys:
    """Keys that stay the same as long as the service runs, and are numbered: they have no names."""

    def __init__(self, keys: Iterable[str], label: str = "key") -> None:
        if isinstance(keys, str):
            raise TypeError("keys must be several strings, not one")
        self._names = tuple(
            (f"{label}#{number}", key_digest(key.encode(errors="surrogateescape")))
            for number, key in enumerate(keys, 1)
        )

    def name_of(self, key: bytes) -> str | None:
        """Return the name of a known key, or None for an unknown one."""
        return known_name(self._names, key)
