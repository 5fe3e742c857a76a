"""The idempotency key of an entry: derived from what nobody can lose.

It is kept nowhere: it follows from the entry's id, and from what is sent. So an entry that an
earlier version kept has one at once, one that such a version wrote again has the same, and a
restored backup too. It has the form of a UUIDv7 (RFC 9562), whose time, the entry's own, comes
first: a service inserts keys in order, which costs it a fraction of what random ones cost.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.outbox.entries import Entry

_WHAT: Final = b"pettui: the idempotency key of an entry\n"


def idempotency_key(entry: Entry) -> str:
    """Return the key with which an entry is sent, each time."""
    sent = [entry.entry_id, entry.name, entry.category_id, entry.status]
    text = json.dumps(sent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(_WHAT + text).digest()
    return ordered_key(int(entry.entry_id.partition("-")[0]) // 1_000_000, digest)


def ordered_key(milliseconds: int, digest: bytes) -> str:
    """Return a key in the form of a UUIDv7, of a time since 1970 and of what is hashed."""
    number = (milliseconds & (1 << 48) - 1) << 80 | int.from_bytes(digest[:10])
    number = number & ~(0xF << 76) | 7 << 76  # the version
    number = number & ~(0b11 << 62) | 0b10 << 62  # the variant
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def random_key() -> str:
    """Return a key that was never used: it asks a service what it promises."""
    return secrets.token_hex(16)
