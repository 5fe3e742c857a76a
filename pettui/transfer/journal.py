"""Journal: the outcome of every line that was ever imported to one base address.

A file of it starts with the states as they were when it was last opened, followed by a record for
each change since. A record is a line: a checksum of a JSON list and of its number in the file, so
that a lost, repeated or damaged line is noticed, and that list. The last one may be incomplete, or
followed by zeros, with which earlier versions reserved space.

It begins with a secret. With it, a line's idempotency key follows from the line and from the time
at which it was planned: a store that promised to add once what comes with a key is sent a line
again with the same key, by this run or a later one, until it answers.

Lines belong to runs (see ``runs``). Those that are not of a file are of the first one: version 1 of
the format had no runs. A file of an earlier version is written as version 3 when it is opened (see
``earlier_journals``).
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import re
import secrets
import time
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from pettui.outbox.sending import ordered_key
from pettui.system.addresses import address_digest, same_address
from pettui.system.files import LockFile, read_regular_file, reason_of, replace_file, sync_directory
from pettui.text.safe import safe
from pettui.transfer import earlier_journals
from pettui.transfer.files import TransferError
from pettui.transfer.runs import (
    AddedLine,
    LineId,
    Promise,
    Run,
    SourceFile,
    UnknownLine,
    earlier_lines,
    run_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pettui.transfer.lines import GoodLine, Position
    from pettui.transfer.runs import LineState

_INTERRUPTED: Final = "the import ended while this was being sent"
_POWER_CUT: Final = "the computer shut down while this was being sent, or shortly before"

_SUFFIX: Final = ".journal"
_LOCK_SUFFIX: Final = ".lock"
_MAGIC: Final = "pettui-imports"
_VERSION: Final = 3
_PLAN_BEGINS: Final = b' ["plan",'  # in no other record: texts in them have no such quotation mark
_CHECKSUM: Final = 9  # bytes, with the space after it
_REASON: Final = 400  # characters of the reason why a line is unknown
_AHEAD: Final = 16  # lines to plan at once, for each that is sent at once
_SHOWN: Final = 300  # characters of a path
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_BOOT_ID: Final = re.compile(r"[0-9a-f-]{36}")
_NOT_OWN: Final = "it is not a file of your own"
_NO_WAIT: Final = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_sync = getattr(os, "fdatasync", os.fsync)


class JournalError(TransferError):
    """The journal cannot be read, understood or written."""


class JournalBusyError(JournalError):
    """Another import to the same address is under way."""


class Journal:
    """Records the state of each line, by its id, before the line is sent.

    A group of lines is planned, and the plan synced, before they are sent. Later records are
    written at once, and synced with the next plan. So if the process is killed, only lines that
    were being sent become unknown; if the computer goes down, lines that were planned do.

    Every change may raise JournalError; then nothing more must be sent, and lines under way become
    unknown.
    """

    def __init__(self, ledger: _Ledger, file: _LockedFile | None, *, is_sure: bool) -> None:
        """Create a journal; ``is_sure``: unsynced records survive the end of the process."""
        self._ledger = ledger
        self._file = file  # None: in memory
        self._size = ledger.known + 1  # records, as lines of the file
        self._is_sure = is_sure
        self._source: SourceFile | None = None  # the file whose run this is
        self._run: Run | None = ledger.run  # None: it is not recorded yet

    @classmethod
    def open(cls, directory: Path, address: str, *, boot: str | None = None) -> Self:
        """Open the journal of a base address, and lock it until ``close``; it blocks.

        Args:
            directory: of the journals of all addresses; created, 0700, if missing.
            address: the service's base address in any spelling, or an embedded store's file.
            boot: identifies this start of the computer; None to find it out.

        Raises:
            JournalBusyError: another import to the same address is under way.
            JournalError: it cannot be read, understood or written; a file that is not understood
                is left unchanged.
        """
        address, boot = same_address(address), boot or _this_boot()
        path = _path_of(directory, address)
        file = _LockedFile(path)
        try:
            ledger = _ledger_of(path, address, boot)
            file.start(ledger.content(address, boot))
        except BaseException:
            file.close()
            raise
        return cls(ledger, file, is_sure=boot is not None)

    @classmethod
    def read(cls, directory: Path, address: str) -> Self:
        """Return what the journal of an address says; the file stays as it is, whatever is changed.

        Args and errors are those of ``open``.
        """
        address = same_address(address)
        path = _path_of(directory, address)
        if not path.exists():
            return cls.in_memory()
        file = _LockedFile(path)
        try:
            return cls(_ledger_of(path, address, _this_boot()), None, is_sure=True)
        finally:
            file.close()

    @classmethod
    def in_memory(cls) -> Self:
        """Return a journal without a file."""
        return cls(_Ledger(), None, is_sure=True)

    def choose_run(self, source: SourceFile, line_ids: AbstractSet[LineId]) -> None:
        """Go on with the run of a file, or begin one with the first record of it."""
        self._source, self._run = source, run_of(source, line_ids, self._ledger.runs)

    @property
    def run(self) -> Run | None:
        """The run of the chosen file as it was recorded; None where it begins."""
        return self._run

    def earlier_lines(self, numbered: Sequence[tuple[LineId, GoodLine]]) -> Mapping[Position, str]:
        """Return the lines of a file whose equals other runs added, or may have, and which."""
        return earlier_lines(numbered, (run for run in self._ledger.runs if run is not self._run))

    @property
    def added_ids(self) -> frozenset[int]:
        """The animals that lines became, of any file."""
        states = (state for run in self._ledger.runs for state in run.states.values())
        return frozenset(state.pet_id for state in states if isinstance(state, AddedLine))

    def state(self, line_id: LineId) -> LineState | None:
        """Return the state of a line; None if it was not sent, or was refused."""
        state = None if self._run is None else self._run.states.get(line_id)
        return state or self._ledger.unknown_of_no_file(line_id)

    def idempotency_key(self, line_id: LineId) -> str | None:
        """Return the key of a line that is being sent, or was, to a store that adds it once.

        It is the same each time, and nobody else has it: two people may import the same file.
        """
        state = self.state(line_id)
        if not isinstance(state, UnknownLine) or state.promise is None:
            return None
        promise = state.promise
        text = f"{self._ledger.runs.index(self._ledger.run)} {line_id} {promise.again}".encode()
        digest = hashlib.blake2b(text, key=self._ledger.secret).digest()
        return ordered_key(promise.planned_at, digest)

    def is_added_now(self, state: LineState) -> bool:
        """Whether a line was added since ``--again`` was given."""
        run = self._run
        if run is None or not run.is_again:
            return False
        return isinstance(state, AddedLine) and state.again == run.again_count

    def plan_size(self, parallel: int) -> int:
        """Return how many lines to plan at once if so many are sent at once."""
        return parallel * _AHEAD if self._is_sure else parallel

    def begin(self, since: float, store_id: str | None = None) -> None:
        """Record the start of an import, or who promises what from now on.

        Args:
            since: when it started, in wall-clock seconds.
            store_id: of the store that promises to add once what comes with a key.
        """
        self._record("begin", int(since), store_id)

    def begin_again(self) -> None:
        """Record that added lines are sent again, unless that is already under way."""
        if self._run is None or not self._run.is_again:
            self._record("begin-again")

    def end_again(self) -> None:
        """Record that all lines were sent again."""
        if self._run is not None and self._run.is_again:
            self._record("end-again")

    def finish(self) -> None:
        """Record that each line of the run was answered."""
        if self._run is not None and not self._run.is_finished:
            self._record("finish")

    def wrote_result(self, path: Path | None, digest: str) -> None:
        """Record a result of the run, if there is one; None: it went to standard output."""
        if self._source is None or self._run is None:
            return
        result = SourceFile(path="" if path is None else str(path.resolve()), digest=digest)
        if result.path not in ("", *self._run.paths) or digest not in self._run.readings:
            self._record("result", result.path, digest)

    def plan(self, line_ids: Sequence[LineId]) -> None:
        """Record lines that may be sent once this is synced, and when: their keys say so."""
        self._record("clock", time.time_ns() // 1_000_000)
        self._record("plan", self._size, *line_ids)

    async def sync(self) -> None:
        """Wait until all plans are on the disk; the loop goes on meanwhile."""
        if self._file is None:
            return
        try:
            syncing = asyncio.get_running_loop().run_in_executor(None, self._file.sync)
        except RuntimeError:  # no thread could be started
            self._file.sync()
            return
        try:
            await asyncio.shield(syncing)
        except asyncio.CancelledError:
            # The file must not be closed before; an exception is retrieved, or it would be logged.
            await asyncio.gather(syncing, return_exceptions=True)
            raise

    def send(self, line_id: LineId) -> None:
        """Record that a planned line is being sent."""
        self._record("send", line_id)

    def added(self, line_id: LineId, pet_id: int) -> None:
        """Record the animal that a line became."""
        self._record("added", line_id, pet_id)

    def refused(self, line_id: LineId) -> None:
        """Record that a line was surely not added, as far as it was sent to this store."""
        self._record("refused", line_id)

    def postponed(self, line_id: LineId) -> None:
        """Record that a line was not sent after all; it is still planned."""
        self._record("postponed", line_id)

    def lost(self, line_id: LineId, reason: str) -> None:
        """Record why the outcome of a line is unknown."""
        self._record("lost", line_id, reason[:_REASON])

    def close(self) -> None:
        """Unlock the journal; planned lines that were not sent are not unknown then. It blocks."""
        if self._file is None:
            return
        with suppress(JournalError):
            self._write("end-plan")
        self._file.close()

    def _record(self, *record: object) -> None:
        """Write a change of the chosen run, then make it; first of all say which run that is."""
        if self._source is not None and (self._run is None or self._run is not self._ledger.run):
            runs = self._ledger.runs
            index = len(runs) if self._run is None else runs.index(self._run)
            self._write("run", index, int(time.time()), *self._source)
            self._run = self._ledger.run
        self._write(*record)

    def _write(self, *record: object) -> None:
        """Write a change, then make it: what is in memory is never more than what is written."""
        if self._file is not None:
            self._file.add(_encoded(self._size, record))
        self._ledger.apply(record, self._size)
        self._size += 1


@dataclass(frozen=True, slots=True)
class JournalCounts:
    """The number of lines in one journal."""

    path: Path
    address: str = ""  # base address, or an embedded store's file; not yet safe to draw
    added: int = 0  # lines
    unknown: int = 0
    problem: str | None = None  # why it cannot be read, not yet safe to draw


def journal_counts(directory: Path) -> tuple[JournalCounts, ...]:
    """Return the numbers of each journal, without creating, locking or writing anything."""
    paths: list[Path] = []
    with suppress(OSError):
        paths = sorted(path for path in directory.iterdir() if path.suffix == _SUFFIX)
    return tuple(map(_counts, paths))


def _counts(path: Path) -> JournalCounts:
    try:
        content = _content_of(path) or b""
        address = _header_of(content)[3]
        runs = _Ledger.read(content, address, _this_boot()).runs
    except (JournalError, _DamagedError) as error:
        return JournalCounts(path, problem=str(error))
    states = [state for run in runs for state in run.states.values()]
    added = sum(isinstance(state, AddedLine) for state in states)
    return JournalCounts(path, address, added, len(states) - added)


# What the records add up to


class _DamagedError(Exception):
    """A content that is not understood; the text says why in a few words."""


class _Ledger:
    """The runs, changed record by record."""

    def __init__(self) -> None:
        self.run = Run()  # that records are of
        self.runs = [self.run]  # the first one is of no file
        self.secret = secrets.token_bytes(16)
        self.store_id: str | None = None  # that promises to add once, to the import
        self._since = 0
        self._clock = 0  # milliseconds
        # Lines that are not sent yet, or not after all, and when they were planned.
        self._planned: dict[LineId, int] = {}
        # The previous states of lines that are being sent, and when those were planned.
        self._before: dict[LineId, tuple[LineState | None, int]] = {}

    @property
    def known(self) -> int:
        """How many records say what was known as the file was opened."""
        return sum(1 + len(run.states) for run in self.runs)

    def unknown_of_no_file(self, line_id: LineId) -> UnknownLine | None:
        """Return the state of an unknown line whose file is not known."""
        state = self.runs[0].states.get(line_id)
        return state if isinstance(state, UnknownLine) else None

    def apply(self, record: Sequence[Any], number: int) -> None:
        """Make the change of a record, which is the file's line of this number.

        Raises:
            ValueError, LookupError: it is none, or is impossible at this point.
        """
        states = self.run.states
        match record:
            case ["send", line_id]:  # unknown until there is an outcome
                planned_at = self._planned.pop(line_id)
                before = self._take_over(line_id)
                self._before[line_id] = (before, planned_at)
                states[line_id] = self._unknown(before, planned_at, _INTERRUPTED)
            case ["added", line_id, pet_id]:
                self._before.pop(line_id, None)
                self._take_over(line_id)
                states[line_id] = AddedLine(pet_id, self.run.again_count)
            case ["refused", line_id]:
                # It was surely not added: with its key not by earlier tries, either.
                before, _ = self._before.pop(line_id)
                store_id = _store_of(states[line_id])
                is_of_all = store_id is not None and store_id == _store_of(before)
                self._restore(line_id, None if is_of_all else before)
            case ["postponed", line_id]:
                before, self._planned[line_id] = self._before.pop(line_id)
                self._restore(line_id, before)
            case ["lost", line_id, reason]:
                del self._before[line_id]
                sent = states[line_id]
                assert isinstance(sent, UnknownLine)  # noqa: S101 - since it was sent
                states[line_id] = replace(sent, reason=reason)
            case ["plan", own_number, *line_ids] if own_number == number:
                self._planned.update(dict.fromkeys(line_ids, self._clock))
            case ["end-plan"]:
                self._planned.clear()
            case _:
                self._apply_to_run(record)

    def _apply_to_run(self, record: Sequence[Any]) -> None:
        match record:
            case ["begin", since, store_id]:
                self._since, self.store_id, self.run.is_finished = since, store_id, False
            case ["clock", milliseconds]:
                self._clock = milliseconds
            case ["begin-again"]:
                self.run.again_count += 1
                self.run.is_again = True
            case ["end-again"]:
                self.run.is_again = False
            case ["finish"]:
                self.run.is_finished = True
            case ["run", index, began, *source] if not (self._planned or self._before):
                if index == len(self.runs):
                    self.runs.append(Run(began))
                self.run = self.runs[index]
                self.run.read(SourceFile(*source))
            case ["result", path, digest]:
                self.run.read(SourceFile(path, digest))
            case _:
                raise ValueError("it is unknown")

    def _take_over(self, line_id: LineId) -> LineState | None:
        """Return the state of a line before it is another one, of this run or of no file."""
        state = self.run.states.get(line_id)
        if state is None and (state := self.unknown_of_no_file(line_id)) is not None:
            del self.runs[0].states[line_id]
        return state

    def _restore(self, line_id: LineId, before: LineState | None) -> None:
        if before is None:
            del self.run.states[line_id]
        else:
            self.run.states[line_id] = before

    def _unknown(self, before: LineState | None, planned_at: int, reason: str) -> UnknownLine:
        """Return the state of a line that may be out now; its key stays that of earlier tries."""
        promise = None
        if self.store_id is not None:
            promise = before.promise if isinstance(before, UnknownLine) else None
            promise = promise or Promise(self.store_id, planned_at, self.run.again_count)
            promise = promise._replace(store_id=self.store_id)
        return UnknownLine(self._since, reason, promise)

    def content(self, address: str, boot: str | None) -> Iterator[bytes]:
        """Return the content of a new file, to be continued during this boot."""
        header = (_MAGIC, _VERSION, self.known, boot, address, self.secret.hex())
        yield from (_encoded(number, each) for number, each in enumerate((header, *self._known())))

    def _known(self) -> Iterator[Sequence[object]]:
        """Yield a record for each run, and behind it those of its lines."""
        for run in self.runs:
            began, again, is_again = run.began, run.again_count, run.is_again
            yield ("known-run", began, run.paths, run.readings, run.is_finished, again, is_again)
            for line_id, state in run.states.items():
                if isinstance(state, AddedLine):
                    yield ("known-added", line_id, state.pet_id, state.again)
                else:
                    yield ("known-lost", line_id, state.since, state.reason, state.promise)

    @classmethod
    def read(cls, content: bytes, address: str, boot: str | None) -> Self:
        """Return what a file's content adds up to.

        Args:
            content: of the file.
            address: that it must be of.
            boot: identifies this start of the computer, if known. Of what was written during
                another one, only plans were synced; the rest may not have reached the disk.

        Raises:
            _DamagedError: it is not understood, or is of another address.
        """
        lines = content.split(b"\n")
        del lines[-1]  # incomplete, empty, or zeros
        version, known, boot_before, address_before, secret, *first = _header_of(content)
        if address_before != address:
            raise _DamagedError("it belongs to another address")
        ledger = cls()
        ledger.runs, ledger.secret = first, bytes.fromhex(secret)
        plan_begins = _PLAN_BEGINS if version == _VERSION else earlier_journals.PLAN_BEGINS
        is_same_boot = boot is not None and boot_before == boot
        number = 1
        try:
            for number, line in enumerate(lines[1:], start=1):
                record = _decoded(number, line)
                if number <= known:
                    ledger._know(record)
                else:
                    if number == known + 1:
                        ledger.run = ledger.runs[0]  # until a record says which it is
                    ledger.apply(record, number)
            number = len(lines)
        except (ValueError, LookupError) as error:
            is_lost_at_power_cut = number > known and not is_same_boot
            # A plan was synced with all before it, and its lines were sent: those of one behind the
            # damage would be sent once more.
            is_plan_behind = any(plan_begins in line for line in lines[number + 1 :])
            if not is_lost_at_power_cut or is_plan_behind:
                raise _DamagedError(f"its line {number + 1} is damaged") from error
        if number <= known:
            raise _DamagedError("its end is missing")
        if not is_same_boot:  # records after a plan may be lost
            for line_id, planned_at in ledger._planned.items():
                before = ledger._take_over(line_id)
                ledger.run.states[line_id] = ledger._unknown(before, planned_at, _POWER_CUT)
        ledger._planned.clear()
        ledger._before.clear()
        ledger.run = ledger.runs[0]
        return ledger

    def _know(self, record: Sequence[Any]) -> None:
        """Take over a run, or the state of one of its lines, from when the file was opened."""
        match record:
            case ["known-run", *of_run]:
                self.runs.append(Run(*of_run))
            case ["known-added", line_id, pet_id, again]:
                self.runs[-1].states[line_id] = AddedLine(pet_id, again)
            case ["known-lost", line_id, since, reason, promised]:
                promise = None if promised is None else Promise(*promised)
                self.runs[-1].states[line_id] = UnknownLine(since, reason, promise)
            case _:
                raise ValueError("it is unknown")


def _header_of(content: bytes) -> list[Any]:
    """Return version, known lines, boot, address and secret of a file; an earlier one's first run.

    Raises:
        _DamagedError: it is no journal, or is of a later version.
    """
    try:
        magic, *header = _decoded(0, content.partition(b"\n")[0])
    except ValueError:
        magic, header = "", []
    if magic != _MAGIC:
        raise _DamagedError("it is not a journal of imports, or its first line is damaged")
    if header[0] not in (*earlier_journals.VERSIONS, _VERSION):
        raise _DamagedError("another version of pettui wrote it")
    return header


# Records


def _encoded(number: int, record: Sequence[object]) -> bytes:
    """Return a record as a line of a file; ``number`` is the line's, from 0."""
    text = json.dumps(record, separators=(",", ":")).encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(text, number), text)


def _decoded(number: int, line: bytes) -> list[Any]:
    """Return the record in a line, without its line end; ValueError where it is damaged."""
    text = line[_CHECKSUM:]
    if line[:_CHECKSUM] != b"%08x " % zlib.crc32(text, number):
        raise ValueError("its checksum is wrong")
    if not text.startswith(b"["):
        return earlier_journals.record_of(text)
    record: list[Any] = json.loads(text)
    return record


def _store_of(state: LineState | None) -> str | None:
    return state.promise.store_id if isinstance(state, UnknownLine) and state.promise else None


# The file


class _LockedFile:
    """A locked file to which lines are added; for one thread at a time."""

    def __init__(self, path: Path) -> None:
        """Lock a journal, and create its directory (0700) if missing.

        Raises:
            JournalBusyError: another process has locked it.
            JournalError: it cannot be locked.
        """
        self._path = path
        self._end = 0  # where the next line begins
        self._file = -1
        with _journal_errors("lock", path):
            self._lock = LockFile(path.with_suffix(_LOCK_SUFFIX))
            try:
                self._lock.lock()
            except OSError as error:
                self._lock.close()
                if isinstance(error, BlockingIOError):
                    raise JournalBusyError("another import to this address is under way") from None
                raise

    def start(self, pieces: Iterable[bytes]) -> None:
        """Replace the content durably; lines are then added to it.

        Raises:
            JournalError: it cannot be written; the previous content is unchanged.
        """
        with _journal_errors("write", self._path):
            replace_file(self._path, *pieces)
            sync_directory(self._path.parent)
            self._file = os.open(self._path, os.O_WRONLY | _NO_WAIT)
            self._end = os.fstat(self._file).st_size

    def add(self, line: bytes) -> None:
        """Add a line, which survives the end of the process. JournalError."""
        end = self._end
        with _journal_errors("write", self._path):
            while line:  # what was half written is written over by the next one
                written = os.pwrite(self._file, line, end)
                line, end = line[written:], end + written
        self._end = end

    def sync(self) -> None:
        """Wait until all lines are on the disk; it blocks, in any thread. JournalError."""
        with _journal_errors("write", self._path):
            _sync(self._file)

    def close(self) -> None:
        """Release the lock."""
        if self._file >= 0:
            with suppress(OSError):
                os.fsync(self._file)
            os.close(self._file)
            self._file = -1
        self._lock.close()


def _path_of(directory: Path, address: str) -> Path:
    return directory / f"{address_digest(address)}{_SUFFIX}"


def _ledger_of(path: Path, address: str, boot: str | None) -> _Ledger:
    """Return what a file says; an empty one if there is none. Raises JournalError."""
    content = _content_of(path)
    try:
        return _Ledger() if content is None else _Ledger.read(content, address, boot)
    except _DamagedError as error:
        raise _not_usable(path, str(error)) from error


def _content_of(path: Path) -> bytes | None:
    """Return a journal's content; None if there is no file.

    Raises:
        JournalError: it cannot be read, or others can write it.
    """
    with _journal_errors("read", path):
        try:
            file = read_regular_file(path, follow_links=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.EISDIR):
                raise _not_usable(path, _NOT_OWN) from None
            raise
    if not file.is_own:
        raise _not_usable(path, _NOT_OWN)
    return file.content


def _this_boot() -> str | None:
    """Return the identifier of this start of the computer; None if the system has none."""
    with suppress(OSError):
        name = _BOOT.read_text("ascii", "replace").strip()
        return name if _BOOT_ID.fullmatch(name) else None
    return None


def _not_usable(path: Path, reason: str) -> JournalError:
    shown, reason = safe(str(path), _SHOWN), safe(reason, _SHOWN)
    return JournalError(
        f"cannot use the journal {shown}: {reason};"
        " nothing was sent, because only the journal knows which lines earlier imports added",
        reason,
    )


@contextmanager
def _journal_errors(what: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = safe(reason_of(error), _SHOWN)
        shown = safe(str(path), _SHOWN)
        raise JournalError(f"cannot {what} the journal {shown}: {reason}", reason) from error
