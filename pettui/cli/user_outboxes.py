"""The outboxes of users who log in over SSH, as they are on the server's disk.

Beside a user's entries there are, each in a file of its own:

- ``user.json``: the name and the fingerprint of the key with which the user logged in last
- ``own-key``: since then, animals were typed for an API key that only the user knows
- ``sent.json``: how many animals the server added since then

Outboxes that earlier versions left have none of them: the owner's directory says who it was.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from pettui.configuration import state_directory
from pettui.files import make_directory, read_regular_file, replace_file, sync_directory
from pettui.outbox import EntryState, entry_counts, is_in_use, outbox_directory, owner_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pettui.settings import Profile

OUTBOXES: Final = "outbox"  # in the state directory
USERS: Final = "ssh%20*"  # in that of all outboxes
COUNTED: Final = (EntryState.WAITING, EntryState.SENDING, EntryState.REFUSED, EntryState.UNKNOWN)
NAME_SHOWN: Final = 50  # characters of a user's name, which may be a fingerprint
USERS_SHOWN: Final = 20  # the others are counted
_OWNER: Final = "ssh "  # before the fingerprint
_USER: Final = "user.json"
_OWN_KEY: Final = "own-key"
_SENT: Final = "sent.json"
_LARGEST: Final = 10_000  # bytes of one of these files


def user_directory(profile: Profile, fingerprint: str | None) -> Path:
    """Return the directory of a user's outbox on a profile.

    Args:
        profile: whose store is known.
        fingerprint: of the user's key; None where anybody may log in.
    """
    owner = f"{_OWNER}{fingerprint or 'anybody'}"
    store = str(profile.database or profile.base_url)
    return outbox_directory(state_directory(), owner, profile.name, store)


@dataclass(frozen=True, slots=True)
class UserOutbox:
    """What did not go out of one user's outbox."""

    directory: Path
    name: str  # raw text from outside
    fingerprint: str  # "" if it is not known
    has_own_key: bool  # what waits is for a key that only the user knows
    counts: Mapping[str, int]  # of entries by state, without those that were added

    @property
    def text(self) -> str:
        """The counts and the profile, in one raw line."""
        counts = ", ".join(f"{count} {state}" for state, count in self.counts.items())
        whose = ", for a key of the user's own" if self.has_own_key else ""
        return f"{counts} ({unquote(self.directory.name.rpartition('-')[0])}{whose})"

    @property
    def on_the_way(self) -> int:
        """How many can still be sent, or were cut off while they were being sent."""
        return sum(self.counts.get(each.value, 0) for each in COUNTED[:2])


def user_directories(profile: str = "*") -> list[Path]:
    """Return the directories of the users' outboxes, in order of their owners.

    Args:
        profile: the name of a profile's directory, as of ``user_directory``; "*" for all.
    """
    return sorted((state_directory() / OUTBOXES).glob(f"{USERS}/{profile}"))


def user_outbox(directory: Path) -> UserOutbox | None:
    """Return a user's outbox; None if everything went out. Raises OSError."""
    outbox = any_user_outbox(directory)
    return outbox if outbox.counts else None


def any_user_outbox(directory: Path) -> UserOutbox:
    """Return a user's outbox, also if everything went out. Raises OSError."""
    counts = entry_counts(directory)
    name, fingerprint = name_and_fingerprint(directory)
    return UserOutbox(
        directory,
        name,
        fingerprint,
        (directory / _OWN_KEY).exists(),
        {each.value: counts[each.value] for each in COUNTED if each.value in counts},
    )


def name_and_fingerprint(directory: Path) -> tuple[str, str]:
    """Return who left an outbox: from ``user.json``, or else from the owner's directory."""
    user = _read(directory / _USER)
    name, fingerprint = user.get("name"), user.get("fingerprint")
    if not isinstance(name, str):
        owner = owner_of(directory)
        name = directory.parent.name if owner is None else owner.removeprefix(_OWNER)
        fingerprint = name if name.startswith("SHA256:") else None
    return name, fingerprint if isinstance(fingerprint, str) else ""


def user_outboxes(profile: str = "*") -> Iterator[UserOutbox]:
    """Find the users' outboxes from which something did not go out, and that can be read."""
    for directory in user_directories(profile):
        with suppress(OSError):  # it is somebody else's
            outbox = user_outbox(directory)
            if outbox is not None:
                yield outbox


def can_be_sent(outbox: UserOutbox) -> bool:
    """Whether something waits of which no session takes care. Raises OSError."""
    return bool(outbox.on_the_way) and not outbox.has_own_key and not is_in_use(outbox.directory)


def keep_user(directory: Path, name: str, fingerprint: str | None) -> None:
    """Note who logged in; without that the user is shown by the directory's name."""
    user = {"name": name, "fingerprint": fingerprint}
    with suppress(OSError):
        if _read(directory / _USER) != user:
            make_directory(directory)
            replace_file(directory / _USER, json.dumps(user).encode(), durably=False)


def use_own_key(directory: Path) -> None:
    """Note for good that from now on entries are for a key of the user's own. Raises OSError."""
    make_directory(directory)
    replace_file(directory / _OWN_KEY, b"")
    sync_directory(directory)


def use_profile_key(directory: Path) -> None:
    """Note that entries are for the profile's key again, unless another session has its own."""
    own_key = directory / _OWN_KEY
    with suppress(OSError):
        if own_key.exists() and not is_in_use(directory):
            own_key.unlink()


def add_sent(directory: Path, count: int) -> None:
    """Add to what the server sent since the user logged in last; it is only told to the user."""
    with suppress(OSError):
        sent = {"sent": _sent(directory) + count}
        replace_file(directory / _SENT, json.dumps(sent).encode(), durably=False)


def take_sent(directory: Path) -> int:
    """Return how many animals the server added since the last login, and count from 0 again."""
    sent = _sent(directory)
    if sent:
        with suppress(OSError):
            (directory / _SENT).unlink()
    return sent


def _sent(directory: Path) -> int:
    sent = _read(directory / _SENT).get("sent")
    return sent if isinstance(sent, int) else 0


def _read(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one if there is none."""
    try:
        content = json.loads(read_regular_file(path, _LARGEST, follow_links=False).content)
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
