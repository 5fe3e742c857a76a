"""The last lists of each address, in a file for the next start.

Animals are stored as the JSON that the service sent, so that copying from a stored list is exact.
They were checked when they came, and are not checked again, since the first frame waits for them:
the file is the user's own, and nobody else can write it.
"""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.models.pets import Pet, PetStatus, int64
from pettui.models.statuses import STATUSES
from pettui.system.addresses import address_digest, same_address
from pettui.system.files import TEMPORARY_FILES, make_directory, read_regular_file, replace_file
from pettui.text.json import json_value
from pettui.transfer.files import TransferError, transfer_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pettui.settings.settings import ApiKey

_VERSION: Final = 1
_CONTENT_MAXIMUM: Final = 1_000_000  # bytes
_ROWS_MAXIMUM: Final = 1_000  # of one list
_ALL: Final = "all"  # the name of the list of all statuses
_NAME: Final = re.compile(r"[0-9a-f]{32}\.json")
_ABANDONED: Final = 60.0  # seconds; an older temporary file was left by a killed process


class SeenRows(NamedTuple):
    """Which animals of a list stood on the screen."""

    highest: int | None = None  # where ids fall from the top, it stands for all below it
    ids: frozenset[int] = frozenset()  # in any other order
    is_whole: bool = True  # ``ids`` are all that the service listed

    def has(self, pet_id: int) -> bool:
        """Whether an animal with this id stood there."""
        return (self.highest is not None and pet_id <= self.highest) or pet_id in self.ids


class LastList(NamedTuple):
    """The first page of one status, and what was seen of all its pages."""

    pets: tuple[Pet, ...]
    as_of: float  # seconds since the epoch
    seen: SeenRows | None = None  # None: only the first page


class LastView(NamedTuple):
    """How the list was filtered and sorted last."""

    status: PetStatus | None = None
    limit: int | None = None  # None for the default
    column: str | None = None  # to sort by; None for the service's order
    is_descending: bool = False
    then: str | None = None  # the second column to sort by
    then_is_descending: bool = False
    preview: bool | None = None  # None: where it shows more than the table
    counts: bool | None = None  # None: where the screen is broad


class LastLists(NamedTuple):
    """All that is stored for one base address."""

    lists: Mapping[PetStatus | None, LastList] = MappingProxyType({})
    view: LastView = LastView()


def encoded(last: LastLists, address: str, mask: Callable[[bytes], bytes] = bytes) -> bytes:
    """Return the content of a file; lists beyond 1 MB are left out.

    Args:
        last: what was shown last.
        address: the service's, in its one spelling.
        mask: removes the API key from JSON.
    """
    lists = {
        status.value if status else _ALL: {
            "as_of": each.as_of,
            "pets": [pet.to_json() for pet in each.pets],
            "seen": _seen_fields(each.seen),
        }
        for status, each in last.lists.items()
        if len(each.pets) <= _ROWS_MAXIMUM
    }
    fields = {
        "version": _VERSION,
        "address": address,
        "view": last.view._asdict(),
        "lists": lists,
    }
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    content = mask(f"{text}\n".encode("utf-8", "replace"))  # the service's has no lone surrogates
    if len(content) > _CONTENT_MAXIMUM and lists:
        return encoded(last._replace(lists=MappingProxyType({})), address, mask)
    return content


def decoded(content: bytes, address: str) -> LastLists:
    """Return the lists in a file's content.

    Raises:
        ValueError, LookupError, RecursionError: it is damaged, or was not written by this version
            for this address.
    """
    fields = json.loads(content)
    if (fields["version"], fields["address"]) != (_VERSION, address):
        raise ValueError("it is of another version or another address")
    # Field by field: what another version has more or fewer of is no reason to drop the rest.
    lists = {
        _status_of(name): _last_list(each)
        for name, each in fields["lists"].items()
        if name in (_ALL, *PetStatus)
    }
    view = fields["view"]
    known = {name: view[name] for name in LastView._fields if name in view}
    known["status"] = _status_of(known.get("status") or _ALL)
    return LastLists(MappingProxyType(lists), LastView(**known))


def _status_of(name: str) -> PetStatus | None:
    return None if name == _ALL else PetStatus(name)


def _seen_fields(seen: SeenRows | None) -> dict[str, Any] | None:
    if seen is None:
        return None
    return {"highest": seen.highest, "ids": sorted(seen.ids), "is_whole": seen.is_whole}


def _last_list(fields: dict[str, Any]) -> LastList:
    seen = fields["seen"]
    if seen is not None:
        seen = SeenRows(seen["highest"], frozenset(seen["ids"]), seen["is_whole"])
    return LastList(tuple(map(_pet, fields["pets"])), fields["as_of"], seen)


def _pet(text: str) -> Pet:
    """Return an animal, which was checked when it was stored."""
    fields = json_value(text)
    status = fields.pop("status", None)
    pet = Pet(
        id=int64(fields.pop("id")),
        name=fields.pop("name"),
        category_id=int64(fields.pop("categoryId")),
        status=STATUSES.get(status, status),
        others=fields,
    )
    return pet.received_as(text.encode())


class LastListsFile:
    """Stores the last lists of one base address in a file of mode 0600.

    Every call blocks, and belongs in a thread, one at a time. Of two apps that store lists of the
    same address the last one wins.
    """

    def __init__(self, directory: Path, address: str, api_key: ApiKey) -> None:
        """Locate the file; nothing is read or created yet.

        Args:
            directory: of the last lists of all addresses; created, 0700, with the first file.
            address: the service's base address, in any spelling.
            api_key: masked in the file, whatever the service sent.
        """
        self._address = same_address(address)
        self.api_key = api_key  # may be replaced
        self.path = directory / f"{address_digest(address)}.json"

    def read(self) -> LastLists:
        """Return the stored lists; empty if they cannot be read, or the file is not the own."""
        # A key that was masked in it may have been a part of a number or of a field's name.
        with suppress(OSError, ValueError, LookupError, RecursionError):
            file = read_regular_file(self.path, _CONTENT_MAXIMUM, follow_links=False)
            if file.is_own:
                return decoded(file.content, self._address)
        return LastLists()

    def keep(self, last: LastLists) -> None:
        """Store the lists, replacing the file.

        Raises:
            TransferError: it cannot be written; the previous file is unchanged.
        """
        is_masked = self.api_key.is_long_enough
        content = encoded(last, self._address, self.api_key.mask_bytes if is_masked else bytes)
        with transfer_errors("keep", self.path):
            make_directory(self.path.parent)
            replace_file(self.path, content, durably=False)
            _remove_abandoned(self.path.parent)

    def forget(self) -> None:
        """Remove the file, and temporary files of killed apps.

        Raises:
            TransferError: it cannot be removed.
        """
        with transfer_errors("remove", self.path), suppress(FileNotFoundError):
            _remove_abandoned(self.path.parent)
            self.path.unlink()


def forget_all(directory: Path) -> None:
    """Remove the last lists of all addresses, and their directory if it is empty then.

    Raises:
        TransferError: one cannot be removed.
    """
    with transfer_errors("remove", directory), suppress(FileNotFoundError):
        for path in directory.iterdir():
            if _NAME.fullmatch(path.name):
                path.unlink(missing_ok=True)
        _remove_abandoned(directory)
        with suppress(OSError):  # another window stores a list, or there are other files
            directory.rmdir()


def _remove_abandoned(directory: Path) -> None:
    for path in directory.glob(TEMPORARY_FILES):
        with suppress(OSError):
            if path.lstat().st_mtime < time.time() - _ABANDONED:
                path.unlink()


class LastListsWriter:
    """Changes a file in a thread that lives until all is done; of what waits only the newest is.

    A failed write is ignored: the lists are only a copy, and the next response is stored again.
    """

    def __init__(self, file: LastListsFile, report: Callable[[Exception], object]) -> None:
        """Create a writer; no thread is started yet.

        Args:
            file: used only by the thread, one call at a time.
            report: called in the thread with the first unexpected exception of a change.
        """
        self._file = file
        self._report = report
        self._lock = threading.Lock()  # of the next two
        self._newest: Callable[[], None] | None = None  # that waits
        self._thread: threading.Thread | None = None
        self._is_reported = False

    def use_api_key(self, api_key: ApiKey) -> None:
        """Mask another key from now on."""
        self._file.api_key = api_key

    def keep(self, last: LastLists) -> None:
        """Store the lists soon; never blocks, never raises."""
        self._change(partial(self._file.keep, last))

    def forget(self) -> None:
        """Remove the lists soon; never blocks, never raises."""
        self._change(self._file.forget)

    def wait_until_written(self, seconds: float) -> bool:
        """Wait at most so many seconds until all is done, and return whether it is."""
        if (thread := self._thread) is not None:
            thread.join(seconds)
        return self._thread is None and self._newest is None

    def _change(self, change: Callable[[], None]) -> None:
        with self._lock:
            self._newest = change
            if self._thread is None:
                # A daemon, so that a hanging disk does not prevent the process from exiting.
                thread = threading.Thread(target=self._run, name="last lists", daemon=True)
                thread.start()
                self._thread = thread

    def _run(self) -> None:
        while (change := self._next()) is not None:
            try:
                change()
            except TransferError:
                continue
            except Exception as error:  # noqa: BLE001 - the next change is made all the same
                if not self._is_reported:  # not for every response
                    self._is_reported = True
                    self._report(error)

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            change, self._newest = self._newest, None
            if change is None:
                self._thread = None
            return change
