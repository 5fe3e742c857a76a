"""``pettui backup`` and ``pettui restore``: store, API keys, host key and state in one tar file.

A backup is taken while pettui runs. The state is read before the store: an animal that is added in
between is in both, and nothing that was added is in neither.
"""

from __future__ import annotations

import os
import sys
import tarfile
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Final

from pettui.build import build
from pettui.cli.commands.serve import key_file, store_of
from pettui.cli.declarations import STANDARD_STREAM
from pettui.cli.exit_codes import OK
from pettui.cli.output import (
    SETTING,
    ClosedPipeError,
    StandardError,
    check_output,
    is_terminal,
    write_output,
)
from pettui.composition.state_database import STATE_VARIABLE
from pettui.configuration.directories import state_directory, user_path
from pettui.configuration.errors import ConfigurationError
from pettui.outbox.stores.directory_owners import OUTBOXES, saved_files
from pettui.outbox.stores.files import restored_name
from pettui.service import SetupError
from pettui.service.keys import list_keys
from pettui.service.stores import is_file, is_postgres
from pettui.service.stores.sqlite_files import check_copy, copy_database
from pettui.ssh.options import HOST_KEY
from pettui.system.files import (
    is_lasting,
    make_directory,
    read_regular_file,
    reason_of,
    sync_directory,
)
from pettui.text.amounts import counted
from pettui.transfer.files import (
    TransferError,
    check_target,
    open_file,
    read_input,
    write_whole,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from pettui.system.files import RegularFile

_STORE: Final = "store.sqlite3"  # the names in a backup
_KEYS: Final = "service-keys"
_STATE: Final = "state"
_BUILD: Final = "build"  # a line: which pettui wrote it
_PIECE: Final = 1 << 20  # bytes
_LONGEST_NAME: Final = 255  # bytes, in a directory
_DEEPEST: Final = 16  # directories of a file, which are five


def back_up(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write a backup that was opened and checked, and return the exit code.

    Raises:
        ConfigurationError: something cannot be read, or the backup cannot be written.
    """
    stderr = StandardError(is_quiet=arguments.quiet, kind=environment.get("TERM", ""))
    path = _target(arguments.file)
    database = store_of(arguments.database, environment)
    with _told("backup"):
        if path is not None:
            check_target(path, overwrite=arguments.force)
        beside = None if path is None else path.parent
        with TemporaryDirectory(dir=beside, prefix=".pettui-") as directory:
            written = Path(directory, "backup.tar")
            with tarfile.open(written, "w") as archive:
                _add_content(archive, _BUILD, f"{build()}\n".encode())
                _add_state(archive, state_directory(), arguments.host_key)
                keys = key_file(environment, arguments.keys)
                if keys.exists():
                    _add(archive, _KEYS, read_regular_file(keys))
                if is_file(database) and Path(database).exists():
                    copy_database(Path(database), copy := Path(directory, _STORE))
                    copy.chmod(0o600)
                    archive.add(copy, _STORE)
                    copy.unlink()
                if archive.getnames() == [_BUILD]:  # mostly since another user's were meant
                    missing = f"no store, no {keys}, and nothing in {state_directory()}"
                    reason = f"there is {missing}; run it as the user of the service"
                    raise ConfigurationError("backup", reason)
            checked = Path(directory, "checked")
            with written.open("rb") as file:
                animals = _unpacked(file.read, checked)
            with written.open("rb") as file:
                _write(path, file, overwrite=arguments.force)
    where = SETTING if path is None else path
    has = "no animals" if animals is None else counted(animals)
    stderr.notice(f"{where} has {has}, and was opened and checked")
    if animals is None and is_postgres(database):
        stderr.warn("the animals are in PostgreSQL, and not in the backup: pg_dump saves them")
    elif animals is None:
        stderr.warn(f"the backup has no animals: there is no store {database}")
    if environment.get(STATE_VARIABLE):
        stderr.warn("the outboxes of users over SSH are in PostgreSQL: pg_dump saves them, too")
    return OK


def _target(text: str) -> Path | None:
    """Return the file of a backup; None for standard output."""
    if text != STANDARD_STREAM:
        return user_path(text, "FILE")
    check_output()
    if is_terminal():
        raise ConfigurationError("FILE", "is a terminal; name a file, or write into a pipe")
    return None


def _write(path: Path | None, file: BinaryIO, *, overwrite: bool) -> None:
    """Write a backup whole: a reader that ends before it has all of it makes that an error."""
    if path is not None:
        write_whole(path, _pieces(file), overwrite=overwrite, mode=0o600)
        return
    try:
        for piece in _pieces(file):
            write_output(piece)
    except ClosedPipeError:
        reason = "was closed before the whole backup was written"
        raise ConfigurationError(SETTING, reason) from None


def restore(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Put what a backup has where nothing is yet, and return the exit code.

    Raises:
        ConfigurationError: the backup is damaged, something is there, or it cannot be written.
    """
    stderr = StandardError(is_quiet=arguments.quiet, kind=environment.get("TERM", ""))
    state, keys = state_directory(), key_file(environment, arguments.keys)
    database = store_of(arguments.database, environment)
    host_key = state / HOST_KEY
    if arguments.host_key is not None:
        host_key = user_path(arguments.host_key, "--host-key")
    with _told("restore"), ExitStack() as opened:
        read = _source(arguments.file, opened)
        make_directory(state)
        with TemporaryDirectory(dir=state, prefix=".pettui-") as directory:
            unpacked = Path(directory, "unpacked")
            animals = _unpacked(read, unpacked)
            moves = {unpacked / _STORE: Path(database)} if is_file(database) else {}
            below = unpacked / _STATE
            moves |= {
                unpacked / _KEYS: keys,
                **{each: state / each.name for each in below.iterdir()},
            }
            moves |= {below / HOST_KEY: host_key}
            there = {old: new for old, new in moves.items() if old.exists()}
            log = Path(f"{database}-wal")
            if taken := [new for new in (*there.values(), log) if os.path.lexists(new)]:
                raise ConfigurationError("restore", f"{taken[0]} is there; move it away first")
            for old, new in there.items():
                _move(old, new)
    stderr.notice("the backup is restored")
    if is_postgres(database):
        stderr.warn("the animals of PostgreSQL are not restored: pg_restore does that")
    if animals is None:
        stderr.notice("it has no store")
    elif is_file(database):
        stderr.notice(f"{database} has {counted(animals)}")
    else:
        where = "--database FILE restores them to a file"
        stderr.warn(f"{counted(animals)} of the backup are not restored: {where}")
    return OK


def _source(text: str, opened: ExitStack) -> Read:
    """Return what reads a backup, from a file or from standard input."""
    if text != STANDARD_STREAM:
        return opened.enter_context(open_file(user_path(text, "FILE"))).read
    if sys.stdin is None or sys.stdin.isatty():
        what = "is closed" if sys.stdin is None else "is a terminal; name a file"
        raise ConfigurationError("standard input", what)
    return read_input


@contextmanager
def _told(command: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        named = "" if error.filename is None else f"{error.filename}: "  # not of a full disk
        raise ConfigurationError(command, f"{named}{reason_of(error)}") from error
    except (TransferError, SetupError) as error:
        raise ConfigurationError(command, str(error)) from error
    except tarfile.TarError as error:
        raise ConfigurationError(command, f"the backup is damaged: {error}") from error


def _add_state(archive: tarfile.TarFile, state: Path, host_key: str | None) -> None:
    """Add the outboxes, and beside them the other files of the state, as they are."""
    for name, file in saved_files(state):
        _add(archive, f"{_STATE}/{name}", file)
    for directory, names, file_names in os.walk(state):
        names[:] = [each for each in names if each != OUTBOXES and not each.startswith(".pettui-")]
        for path in sorted(Path(directory, each) for each in file_names):
            if is_lasting(path):
                with suppress(FileNotFoundError):  # it was removed meanwhile
                    file = read_regular_file(path)
                    _add(archive, f"{_STATE}/{path.relative_to(state)}", file)
    if host_key is not None:
        path = user_path(host_key, "--host-key")
        _add(archive, f"{_STATE}/{HOST_KEY}", read_regular_file(path))


def _add(archive: tarfile.TarFile, name: str, file: RegularFile) -> None:
    _add_content(archive, name, file.content, int(file.status.st_mtime))


def _add_content(
    archive: tarfile.TarFile, name: str, content: bytes, written_at: int | None = None
) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    member.mtime = int(time.time()) if written_at is None else written_at
    archive.addfile(member, BytesIO(content))


def _unpacked(read: Read, directory: Path) -> int | None:
    """Unpack a backup, check store and keys by opening them, and return how many animals it has.

    None stands for a backup without a store.
    """
    make_directory(directory / _STATE)
    for name, size in members(read):
        *above, last = _parts(name)
        target = directory.joinpath(*above, restored_name(last))
        try:
            make_directory(target.parent)
            private = partial(os.open, mode=0o600)
            with open(target, "xb", opener=private) as file:
                copy_content(read, file, size)
                os.fsync(file.fileno())
        except (FileExistsError, NotADirectoryError):
            raise tarfile.ReadError(f"it has {name} twice") from None
    if (keys := directory / _KEYS).exists():
        list_keys(keys)
    store = directory / _STORE
    return check_copy(store) if store.exists() else None


def _parts(name: str) -> tuple[str, ...]:
    """Return the directories and the name of a file that a backup may have."""
    parts = PurePosixPath(name).parts
    is_known = parts in ((_STORE,), (_KEYS,), (_BUILD,)) or (
        parts[:1] == (_STATE,) and len(parts) > 1
    )
    if not is_known or ".." in parts or "\0" in name or len(parts) > _DEEPEST:
        raise tarfile.ReadError(f'it has "{name}"')
    if not all(len(os.fsencode(part)) <= _LONGEST_NAME for part in parts):
        raise tarfile.ReadError("it has a name that is too long")
    return parts


def _move(old: Path, new: Path) -> None:
    """Move what was unpacked into place, also to another file system."""
    make_directory(new.parent)
    if old.is_dir():
        old.rename(new)  # below the state directory, as it was unpacked
    else:
        with old.open("rb") as file:
            write_whole(new, _pieces(file), mode=0o600)
    sync_directory(new.parent)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    return iter(partial(file.read, _PIECE), b"")


# The files in a tar file, one after the other, from a file or a pipe of which nothing is known.
#
# What tarfile writes for regular files is understood, and nothing else (POSIX.1-2001, pax): with
# its own reader links, sparse files and sizes lead elsewhere, grow without end, or go back.

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[[int], bytes]  # at most so many bytes; none at the end

_LONGEST_HEADER: Final = 100_000  # bytes, of what a member's own block has no room for
_DIGITS: Final = 15  # of a size


def members(read: Read) -> Iterator[tuple[str, int]]:
    """Return name and size of each file, whose content is to be read before the next one.

    Raises:
        tarfile.TarError: it is none, is cut, or has something else than files.
    """
    more: dict[str, str] = {}
    is_empty = True
    while any(block := _exactly(read, tarfile.BLOCKSIZE)):
        member = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if member.type == tarfile.XHDTYPE and not more and 0 < member.size <= _LONGEST_HEADER:
            more = _extended(_exactly(read, _whole_blocks(member.size))[: member.size])
            continue
        size = more.get("size", str(member.size))
        is_regular = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
        if not (is_regular and size.isdecimal() and len(size) <= _DIGITS):
            raise tarfile.ReadError(f'it has "{member.name}", which is no file')
        is_empty = False
        yield more.get("path", member.name), int(size)
        more = {}
    if is_empty:
        raise tarfile.ReadError("it has nothing")
    _check_end(read)


def _check_end(read: Read) -> None:
    """Make sure that only padding follows the end: what a disk lost of a file reads as zeros."""
    left = tarfile.RECORDSIZE
    while piece := read(_PIECE):
        left -= len(piece)
        if left < 0 or any(piece):
            raise tarfile.ReadError("it ends in the middle")


def _extended(header: bytes) -> dict[str, str]:
    """Return the members of an extended header (POSIX.1-2001, pax): "30 mtime=1700000000.5"."""
    found = {}
    while header:
        length, _, _ = header.partition(b" ")
        count = int(length) if length.isdigit() and len(length) <= _DIGITS else 0
        name, equals, value = header[len(length) + 1 : count].partition(b"=")
        if not (equals and value.endswith(b"\n") and count <= len(header)):
            raise tarfile.ReadError("its header is not one")
        header = header[count:]
        found[name.decode(errors="replace")] = value[:-1].decode("utf-8", "surrogateescape")
    return found


def copy_content(read: Read, file: BinaryIO, size: int) -> None:
    """Copy a member's content, and read up to the next header."""
    padding = _whole_blocks(size) - size
    while size:
        piece = _exactly(read, min(size, _PIECE))
        file.write(piece)
        size -= len(piece)
    _exactly(read, padding)


def _whole_blocks(size: int) -> int:
    return -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def _exactly(read: Read, count: int) -> bytes:
    pieces = []
    while count:
        if not (piece := read(count)):
            raise tarfile.ReadError("it ends in the middle")
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
