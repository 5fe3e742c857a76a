"""``pettui backup`` and ``pettui restore``: store, API keys, host key and state in one tar file.

A backup is taken while pettui runs. The state is read before the store: an animal that is added in
between is in both, and nothing that was added is in neither.
"""

from __future__ import annotations

import os
import tarfile
from contextlib import contextmanager
from fnmatch import fnmatch
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Final

from pettui.cli.exit_codes import OK
from pettui.cli.output import StandardError
from pettui.cli.serve import key_file, store_of
from pettui.configuration import ConfigurationError, state_directory, user_path
from pettui.files import make_directory, read_regular_file, sync_directory
from pettui.outbox import restored_name
from pettui.service import SetupError
from pettui.service.keys import list_keys
from pettui.service.stores import MEMORY, is_file
from pettui.service.stores.sqlite_files import check_copy, copy_database
from pettui.ssh.options import HOST_KEY
from pettui.text import counted
from pettui.transfer.files import TransferError, check_target, reason_of, write_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

_STORE: Final = "store.sqlite3"  # the names in a backup
_KEYS: Final = "service-keys"
_STATE: Final = "state"
_LEFT_OUT: Final = ("*.lock", "*.tmp")  # of running processes
_READS: Final = 100  # of a directory at most, while its files are renamed
_PIECE: Final = 1 << 20  # bytes


def back_up(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write a backup that was opened and checked, and return the exit code.

    Raises:
        ConfigurationError: something cannot be read, or the file cannot be written.
    """
    stderr = StandardError(is_quiet=arguments.quiet, kind=environment.get("TERM", ""))
    path = user_path(arguments.file, "FILE")
    database = store_of(arguments.database, environment)
    with _told("backup"):
        check_target(path, overwrite=arguments.force)
        with TemporaryDirectory(dir=path.parent, prefix=".pettui-") as directory:
            written = Path(directory, "backup.tar")
            with tarfile.open(written, "w") as archive:
                _add_state(archive, state_directory(), arguments.host_key)
                keys = key_file(environment, arguments.keys)
                if keys.exists():
                    _add(archive, _KEYS, keys)
                if is_file(database) and Path(database).exists():
                    copy_database(Path(database), copy := Path(directory, _STORE))
                    archive.add(copy, _STORE)
                    copy.unlink()
                elif not archive.getnames():  # mostly since another user's were meant
                    missing = f"no store, no {keys}, and nothing in {state_directory()}"
                    reason = f"there is {missing}; run it as the user of the service"
                    raise ConfigurationError("backup", reason)
                elif database != MEMORY:
                    stderr.warn("there is no store in a file here; pg_dump saves PostgreSQL's")
            animals = _unpacked(written, Path(directory, "checked"))
            with written.open("rb") as file:
                write_whole(path, _pieces(file), overwrite=arguments.force, mode=0o600)
    stderr.notice(f"{counted(animals)} are in {path}, which was opened and checked")
    return OK


def restore(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Put what a backup has where nothing is yet, and return the exit code.

    Raises:
        ConfigurationError: the backup is damaged, something is there, or it cannot be written.
    """
    stderr = StandardError(is_quiet=arguments.quiet, kind=environment.get("TERM", ""))
    path = user_path(arguments.file, "FILE")
    state, keys = state_directory(), key_file(environment, arguments.keys)
    database = store_of(arguments.database, environment)
    if not is_file(database):
        raise ConfigurationError("--database", "must be a file")
    host_key = _host_key(arguments.host_key, state)
    with _told("restore"):
        make_directory(state)
        with TemporaryDirectory(dir=state, prefix=".pettui-") as directory:
            unpacked = Path(directory, "unpacked")
            animals = _unpacked(path, unpacked)
            moves = {unpacked / _STORE: Path(database), unpacked / _KEYS: keys}
            below = unpacked / _STATE
            moves |= {each: state / each.name for each in below.iterdir()}
            moves |= {below / HOST_KEY: host_key}
            there = {old: new for old, new in moves.items() if old.exists()}
            log = Path(f"{database}-wal")
            if taken := [new for new in (*there.values(), log) if os.path.lexists(new)]:
                raise ConfigurationError("restore", f"{taken[0]} is there; move it away first")
            for old, new in there.items():
                _move(old, new)
    stderr.notice(f"{counted(animals)} restored to {database}")
    return OK


def _host_key(option: str | None, state: Path) -> Path:
    return state / HOST_KEY if option is None else user_path(option, "--host-key")


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
    """Add the files of the state as they are; one that is renamed meanwhile under its new name."""
    for directory, names, _ in os.walk(state):
        names[:] = [name for name in names if not name.startswith(".pettui-")]
        done: set[str] = set()
        for _ in range(_READS):
            there = {path.name for path in Path(directory).iterdir() if _is_kept(path)} - done
            if not there:
                break
            for name in sorted(there):
                path = Path(directory, name)
                try:
                    _add(archive, f"{_STATE}/{path.relative_to(state)}", path)
                except FileNotFoundError:
                    continue
                done.add(name)
    if host_key is not None:
        _add(archive, f"{_STATE}/{HOST_KEY}", user_path(host_key, "--host-key"))


def _is_kept(path: Path) -> bool:
    is_left_out = any(fnmatch(path.name, pattern) for pattern in _LEFT_OUT)
    return path.is_file() and not path.is_symlink() and not is_left_out


def _add(archive: tarfile.TarFile, name: str, path: Path) -> None:
    read = read_regular_file(path)
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = len(read.content), int(read.status.st_mtime), 0o600
    archive.addfile(member, BytesIO(read.content))


def _unpacked(backup: Path, directory: Path) -> int:
    """Unpack a backup, check store and keys by opening them, and return how many animals it has."""
    make_directory(directory / _STATE)
    with tarfile.open(backup, "r:") as archive:
        for member in archive:
            parts = PurePosixPath(member.name).parts
            content = archive.extractfile(member) if member.isfile() else None
            if content is None or ".." in parts or parts[0] not in (_STORE, _KEYS, _STATE):
                raise tarfile.ReadError(f"it has {member.name}")
            target = directory.joinpath(*parts[:-1], restored_name(parts[-1]))
            make_directory(target.parent)
            with open(target, "xb", opener=_private) as file:
                copyfileobj(content, file)
                os.fsync(file.fileno())
    if (keys := directory / _KEYS).exists():
        list_keys(keys)
    store = directory / _STORE
    return check_copy(store) if store.exists() else 0


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


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
