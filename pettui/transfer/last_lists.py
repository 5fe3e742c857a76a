"""What the last session left for the next: its lists, what was seen of them, and the theme.

Animals are stored as the JSON that the service sent, so that copying from a stored list is exact.
They were checked when they came, and are not checked again, since the first frame waits for them.
Instead the file begins with a digest of the rest: one that somebody else has changed is not read.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
import stat
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from dataclasses import fields as fields_of
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.files import TEMPORARY_FILES, make_directory, read_regular_file, replace_file
from pettui.json_text import json_value
from pettui.models import STATUSES, Pet, PetStatus, ids_fall, int64
from pettui.service_addresses import address_digest, same_address
from pettui.transfer.files import TransferError, transfer_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import Self

    from pettui.api_key import ApiKey

_VERSION: Final = 1
_CONTENT_MAXIMUM: Final = 1_000_000  # bytes
_ROWS_MAXIMUM: Final = 1_000  # of one list
SEEN_MAXIMUM: Final = 2_000  # ids of one list
_ALL: Final = "all"  # the name of the list of all statuses
_NAME: Final = re.compile(r"[0-9a-f]{32}\.json")
_ABANDONED: Final = 60.0  # seconds; an older temporary file was left by a killed process
_THEME: Final = re.compile(r"[a-z0-9-]+")
_THEME_MAXIMUM: Final = 60  # bytes


@dataclass(frozen=True, slots=True)
class SeenRows:
    """Which animals of a list stood on the screen."""

    highest: int | None = None  # where ids fall from the top, it stands for all below it
    ids: frozenset[int] = frozenset()  # in any other order
    is_whole: bool = True  # ``ids`` are all that the service listed

    def has(self, pet_id: int) -> bool:
        """Whether an animal with this id stood there."""
        return (self.highest is not None and pet_id <= self.highest) or pet_id in self.ids


@dataclass(frozen=True, slots=True)
class LastList:
    """The first page of one status, and what was seen of all its pages."""

    pets: tuple[Pet, ...]
    as_of: float  # seconds since the epoch
    seen: SeenRows | None = None  # None: only the first page


@dataclass(frozen=True, slots=True)
class LastView:
    """How the list was filtered and sorted last."""

    status: PetStatus | None = None
    limit: int | None = None  # None for the default
    column: str | None = None  # to sort by; None for the service's order
    is_descending: bool = False
    then: str | None = None  # the second column to sort by
    then_is_descending: bool = False
    preview: bool | None = None  # None: where it shows more than the table
    counts: bool = False


@dataclass(frozen=True, slots=True)
class LastLists:
    """All that is stored for one base address."""

    lists: Mapping[PetStatus | None, LastList] = field(default_factory=lambda: MappingProxyType({}))
    view: LastView = LastView()


# What was seen


@dataclass(frozen=True, slots=True)
class SeenBefore:
    """What a list is compared with at the start: all that earlier sessions showed."""

    own: SeenRows  # of the list's own status
    lists: Mapping[str | None, SeenRows]  # by status
    added: Collection[int] = frozenset()  # ids that this outbox added in earlier sessions

    def has(self, pet: Pet) -> bool:
        """Whether an animal was seen, in the list itself, in that of all or of its status."""
        lists = (self.own, self.lists.get(None), self.lists.get(pet.status))
        return pet.id in self.added or any(each is not None and each.has(pet.id) for each in lists)

    def new_among(self, pets: Sequence[Pet], *, is_first: bool) -> frozenset[int]:
        """Return the ids that are new.

        Where ids do not tell, what follows the last seen row was only never loaded before.

        Args:
            pets: of one page.
            is_first: whether that is the first page.
        """
        is_seen = [*map(self.has, pets)]
        if self.own.highest is None and not self.own.is_whole and (any(is_seen) or not is_first):
            end = max((index for index, each in enumerate(is_seen) if each), default=0)
            pets = pets[:end]
        return frozenset(pet.id for pet, each in zip(pets, is_seen, strict=False) if not each)


class SeenLists:
    """The lists that can be drawn before a response comes, and how the user left the list."""

    def __init__(
        self,
        last: LastLists | None = None,
        writer: LastListsWriter | None = None,
        *,
        takes_limit: bool = True,
    ) -> None:
        """Start with the lists of the last session.

        Args:
            last: what was kept.
            writer: keeps the lists for the next session; None keeps them for this one only.
            takes_limit: whether to use the last session's limit; False where one is configured.
        """
        last = last or LastLists()
        self._lists = dict(last.lists)
        self._seen: dict[str | None, SeenRows] = {
            status: each.seen or _seen_rows([pet.id for pet in each.pets])
            for status, each in last.lists.items()
        }
        self._before: Mapping[str | None, SeenRows] = dict(self._seen)
        self._view = last.view
        self._writer = writer
        self.first_view = last.view if takes_limit else replace(last.view, limit=None)
        self._is_unkept = False
        self._refusal: object = None  # the newest error of a refused API key
        self._is_refused = False

    @property
    def left(self) -> LastView:
        """The view to restore in the next session, if this one ends now."""
        return self._view

    def of(self, status: str | None) -> LastList | None:
        """Return the first page of a status as last shown; None where it was not."""
        return self._lists.get(_known(status))

    def before(self, status: str | None, added: Collection[int]) -> SeenBefore | None:
        """Return what was seen before this session; None without a list of the status.

        Args:
            status: of the list.
            added: ids that this user added.
        """
        own = self._before.get(_known(status))
        return None if own is None else SeenBefore(own, self._before, added)

    def saw(self, status: str | None, pets: Iterable[Pet], at: datetime) -> None:
        """Remember the first page of a status, and keep it for the next session."""
        self._is_refused = False
        seen = self._seen.get(_known(status))
        self._lists[_known(status)] = LastList(tuple(pets), at.timestamp(), seen)
        self._keep()

    def showed(self, status: str | None, loaded: Iterable[Pet], *, is_whole: bool) -> None:
        """Remember which rows of a status stood on the screen, of all loaded pages.

        They are kept with the next first page, or at the end.
        """
        earlier = self._seen.get(_known(status))
        ids = [pet.id for pet in loaded]
        seen = _seen_rows(ids, earlier.ids if earlier is not None else (), is_whole=is_whole)
        self._is_unkept |= seen != earlier
        self._seen[_known(status)] = seen

    def leave(self, **changes: Any) -> None:
        """Remember fields of ``LastView``, to be kept with the next list or at the end."""
        changed = replace(self._view, **changes)
        self._is_unkept |= changed != self._view
        self._view = changed

    def refuse(self, error: object) -> None:
        """Forget all animals: the service refused the API key (401); an error counts once."""
        if error is self._refusal:
            return
        self._refusal = error
        self._lists.clear()
        self._seen.clear()
        self._before = {}
        self._is_refused = True
        if self._writer is not None:
            self._writer.forget()

    def use_key(self, api_key: ApiKey) -> None:
        """Have a changed API key masked in what is kept."""
        if self._writer is not None:
            self._writer.use_key(api_key)

    def finish(self, seconds: float) -> None:
        """Keep the last view, and wait at most this long until all is written."""
        if self._writer is not None:
            if self._is_unkept and not self._is_refused:
                self._keep()
            self._writer.finish(seconds)

    def _keep(self) -> None:
        self._is_unkept = False
        if self._writer is not None:
            for status, each in self._lists.items():
                self._lists[status] = replace(each, seen=self._seen.get(status, each.seen))
            self._writer.keep(LastLists(MappingProxyType(dict(self._lists)), self._view))


def _seen_rows(
    ids: Sequence[int], earlier: Iterable[int] = (), *, is_whole: bool = False
) -> SeenRows:
    """Return what was seen of a list, with ids that were seen earlier as far as there is room."""
    if ids and ids_fall(ids):
        return SeenRows(highest=ids[0])
    kept = islice(dict.fromkeys((*ids, *earlier)), SEEN_MAXIMUM)
    return SeenRows(None, frozenset(kept), is_whole and len(ids) <= SEEN_MAXIMUM)


def _known(status: str | None) -> PetStatus | None:
    return PetStatus(status) if status else None


# The file


class NotUnderstoodError(ValueError):
    """A file is damaged, or of another version or another address."""


def encoded(last: LastLists, address: str, mask: Callable[[bytes], bytes] = bytes) -> bytes:
    """Return the content of a file, of at most 1 MB: the largest lists are left out beyond that.

    Args:
        last: what was shown last.
        address: the service's, in its one spelling.
        mask: removes the API key from JSON.
    """
    parts = {
        status.value if status else _ALL: _dumped(
            {
                "as_of": each.as_of,
                "pets": [pet.as_json for pet in each.pets],
                "seen": _seen_fields(each.seen),
            }
        )
        for status, each in last.lists.items()
        if len(each.pets) <= _ROWS_MAXIMUM
    }
    head = {"version": _VERSION, "address": address, "view": asdict(last.view)}
    while True:
        lists = b",".join(b"%b:%b" % (_dumped(name), part) for name, part in parts.items())
        content = b'%b,"lists":{%b}}\n' % (_dumped(head)[:-1], lists)
        if len(content) <= _CONTENT_MAXIMUM or not parts:
            body = mask(content)
            return b"%b\n%b" % (_digest(body), body)
        del parts[max(parts, key=lambda name: len(parts[name]))]


def decoded(content: bytes, address: str) -> LastLists:
    """Return the lists in a file's content.

    Raises:
        NotUnderstoodError: it was not written by this version for this address, or has changed.
    """
    digest, _, body = content.partition(b"\n")
    if digest != _digest(body):
        raise NotUnderstoodError("it is damaged")
    fields = json.loads(body)
    if (fields["version"], fields["address"]) != (_VERSION, address):
        raise NotUnderstoodError("it is of another version or another address")
    lists = {
        None if name == _ALL else PetStatus(name): _last_list(each)
        for name, each in fields["lists"].items()
    }
    view = fields["view"]
    view["status"] = None if view["status"] is None else PetStatus(view["status"])
    last_view = LastView(**{each.name: view[each.name] for each in fields_of(LastView)})
    return LastLists(MappingProxyType(lists), last_view)


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode("ascii")


def _dumped(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")  # the service's text has no lone surrogates


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
    return Pet(
        id=int64(fields.pop("id")),
        name=fields.pop("name"),
        category_id=int64(fields.pop("categoryId")),
        status=STATUSES.get(status, status),
        others=fields,
        json=text.encode(),
    )


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
        self._api_key = api_key
        self._path = directory / f"{address_digest(address)}.json"

    def with_key(self, api_key: ApiKey) -> Self:
        """Return the same file, with another key to mask."""
        other = copy.copy(self)
        other._api_key = api_key  # noqa: SLF001 - of the same class
        return other

    @property
    def path(self) -> Path:
        """The path of the file, which may not exist."""
        return self._path

    def read(self) -> LastLists:
        """Return the stored lists; empty if the file cannot be read or understood."""
        # A key that was masked in it may have been a part of a number or of a field's name.
        with suppress(OSError, ValueError, KeyError):
            return decoded(self._content(), self._address)
        return LastLists()

    def keep(self, last: LastLists) -> None:
        """Store the lists, replacing the file.

        Raises:
            TransferError: it cannot be written; the previous file is unchanged.
        """
        is_masked = self._api_key.is_long_enough
        content = encoded(last, self._address, self._api_key.mask_bytes if is_masked else bytes)
        with transfer_errors("keep", self._path):
            make_directory(self._path.parent)
            self._remove_other_kinds()
            replace_file(self._path, content, durably=False)
            _remove_abandoned(self._path.parent)

    def forget(self) -> None:
        """Remove the file, and temporary files of killed apps.

        Raises:
            TransferError: it cannot be removed.
        """
        with transfer_errors("remove", self._path), suppress(FileNotFoundError):
            _remove_abandoned(self._path.parent)
            self._path.unlink()

    def _content(self) -> bytes:
        """Read the file, if it is a regular file that only the user can write."""
        file = read_regular_file(self._path, 2 * _CONTENT_MAXIMUM, follow_links=False)
        if not file.is_own:
            raise NotUnderstoodError("it is not a file of your own")
        return file.content

    def _remove_other_kinds(self) -> None:
        """Remove a link, a pipe or an empty directory at the path; a rename replaces only files."""
        with suppress(FileNotFoundError):
            mode = self._path.lstat().st_mode
            if stat.S_ISDIR(mode):
                self._path.rmdir()
            elif not stat.S_ISREG(mode):
                self._path.unlink()


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
    """Applies the latest change to a file; changes that were superseded meanwhile are skipped.

    The thread ends when nothing is left to do, and the next change starts another. A failed write
    is ignored: the lists are only a copy, and the next response is stored again.
    """

    def __init__(self, file: LastListsFile, report: Callable[[Exception], object]) -> None:
        """Create a writer; no thread is started yet.

        Args:
            file: used only by the thread, one call at a time.
            report: called in the thread with the first unexpected exception of a change.
        """
        self._file = file
        self._report = report
        self._lock = threading.Lock()
        self._change: Callable[[], None] | None = None
        self._thread: threading.Thread | None = None
        self._is_reported = False

    def use_key(self, api_key: ApiKey) -> None:
        """Mask another key from now on."""
        self._file = self._file.with_key(api_key)

    def keep(self, last: LastLists) -> None:
        """Store the lists soon; never blocks, never raises."""
        self._apply_soon(partial(self._file.keep, last))

    def forget(self) -> None:
        """Remove the lists soon; never blocks, never raises."""
        self._apply_soon(self._file.forget)

    def finish(self, seconds: float) -> bool:
        """Wait at most so many seconds until all is done, and return whether it is."""
        with self._lock:
            self._start_thread()
            thread = self._thread
        if thread is not None:
            thread.join(seconds)
        with self._lock:
            return self._thread is None and self._change is None

    def _apply_soon(self, change: Callable[[], None]) -> None:
        with self._lock:
            self._change = change
            self._start_thread()

    def _start_thread(self) -> None:
        if self._thread is not None or self._change is None:
            return
        # A daemon, so that a hanging disk does not prevent the process from exiting.
        thread = threading.Thread(target=self._run, name="last lists", daemon=True)
        with suppress(RuntimeError, MemoryError):  # no thread: the next change tries again
            thread.start()
            self._thread = thread

    def _run(self) -> None:
        while (change := self._next()) is not None:
            try:
                change()
            except TransferError:
                continue
            except Exception as error:  # noqa: BLE001 - the next change is applied all the same
                self._report_once(error)

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            change, self._change = self._change, None
            if change is None:
                self._thread = None
            return change

    def _report_once(self, error: Exception) -> None:
        if not self._is_reported:  # not for every response
            self._is_reported = True
            self._report(error)


# The theme


class ThemeChoice:
    """The theme that the user chose while the app ran."""

    def __init__(
        self, path: Path | None = None, *, takes_kept: bool = True, is_kept: bool = True
    ) -> None:
        """Start with the theme of the last session, unless an option takes precedence.

        Args:
            path: of the file with its name on a line; None for no file.
            takes_kept: whether to start with it.
            is_kept: whether a choice is for the next session, too.
        """
        self.theme = _kept_theme(path) if path is not None and takes_kept else None
        self._path = path if is_kept else None

    def keep(self, theme: str | None) -> None:
        """Keep a choice for the next start; None forgets it. It may block on a disk.

        If the file cannot be written, nothing is kept.
        """
        self.theme = theme
        if self._path is None:
            return
        with suppress(OSError):
            if theme is None:
                self._path.unlink(missing_ok=True)
            else:
                make_directory(self._path.parent)
                replace_file(self._path, f"{theme}\n".encode(), durably=False)


def _kept_theme(path: Path) -> str | None:
    try:
        name = read_regular_file(path, _THEME_MAXIMUM).content.decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return name if _THEME.fullmatch(name) else None
