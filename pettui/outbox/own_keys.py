"""API keys of a user's own: which entries are for which of them.

An entry that was typed with a key of the user's own records its digest, and only that key sends
it, whoever has it then. The digest is slow (scrypt), and salted by an id: it tells nobody the key,
and holds on every host, since no secret of one is in it. Of many that are added together one salt
is that of all.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.settings.settings import ApiKey

# For the next key of the user's own: the one before was refused, or an earlier version kept none.
UNKNOWN_KEY: Final = ""
_COST: Final = 2**14  # some 40 ms and 16 MB
_DIGITS: Final = 16  # bytes of a digest


def own_key_of(api_key: ApiKey, entry_id: str) -> str:
    """Return what an entry records of a key: the salt, and the digest. It takes a while."""
    digest = hashlib.scrypt(
        api_key.reveal().encode(), salt=entry_id.encode(), n=_COST, r=8, p=1, dklen=_DIGITS
    )
    return f"{entry_id}:{digest.hex()}"


def is_for(own_key: str, api_key: ApiKey) -> bool:
    """Whether what an entry records is of this key. It takes a while."""
    salt, colon, _ = own_key.partition(":")
    return bool(colon) and hmac.compare_digest(own_key_of(api_key, salt), own_key)
