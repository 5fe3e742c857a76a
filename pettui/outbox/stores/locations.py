"""Where the outbox of a profile is, however its address was written before."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import EntryState
from pettui.outbox.stores.file_names import (
    directory_of,
    entry_name,
    lock_instance,
    outbox_directory,
)
from pettui.service_addresses import same_address

if TYPE_CHECKING:
    from pathlib import Path

_DIGEST: Final = re.compile(r"-[0-9a-f]{16}")
_DIGEST_LENGTH: Final = 17
_DEFAULT_PORTS: Final = {"https": ":443", "http": ":80"}
_NOT_OUT: Final = (EntryState.WAITING, EntryState.SENDING)


def find_directory(state: Path, owner: str, profile: str, store: str) -> Path:
    """Return the directory of an outbox, after moving there what older versions kept elsewhere.

    They had one for each way to write the same address: its case, and its default port. One that
    cannot be moved is used where it is.
    """
    directory = outbox_directory(state, owner, profile, store)
    for spelling in _spellings(store):
        former = directory_of(state, owner, profile, spelling)
        if former == directory or not former.is_dir():
            continue
        try:
            _move(former, directory)
        except OSError:
            return directory if directory.is_dir() else former
    return directory


def left_for_other_addresses(directory: Path) -> tuple[str, ...]:
    """Return a line on each other outbox of the same profile that holds what did not go out."""
    ending = directory.name[-_DIGEST_LENGTH:]
    if not _DIGEST.fullmatch(ending):
        return ()
    profile = directory.name[:-_DIGEST_LENGTH]
    lines = []
    with suppress(OSError):
        for other in sorted(directory.parent.iterdir()):
            is_same_profile = _DIGEST.fullmatch(other.name.removeprefix(profile)) is not None
            if other != directory and is_same_profile and (count := _not_out(other)):
                animals = "1 animal" if count == 1 else f"{count} animals"
                lines.append(
                    f"{animals} typed for another address of this profile did not go out: {other}"
                )
    return tuple(lines)


def _spellings(store: str) -> set[str]:
    address = same_address(store)
    scheme, separator, rest = address.partition("://")
    if not separator or scheme not in _DEFAULT_PORTS:
        return {store}
    host, slash, path = rest.partition("/")
    return {store, f"{scheme}://{host}{_DEFAULT_PORTS[scheme]}{slash}{path}"}


def _move(former: Path, directory: Path) -> None:
    """Move a directory's files; locks first, so that none seems abandoned. Raises OSError."""
    if not directory.exists():
        former.rename(directory)
        return
    names = sorted(os.listdir(former), key=lambda name: lock_instance(name) is None)  # noqa: PTH208
    for name in names:
        if not os.path.lexists(directory / name):
            (former / name).rename(directory / name)
    with suppress(OSError):  # what is there twice stays
        former.rmdir()


def _not_out(directory: Path) -> int:
    try:
        names = [entry_name(name) for name in os.listdir(directory)]  # noqa: PTH208
    except OSError:
        return 0
    return sum(name is not None and name.state in _NOT_OUT for name in names)
