"""Where the user's files are: configuration, data and state."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.configuration.errors import ConfigurationError
from pettui.system import files

if TYPE_CHECKING:
    from collections.abc import Mapping

DATA_DIRECTORY = "PETTUI_DATA_DIRECTORY"
STATE_DIRECTORY = "state directory"
NO_HOME = "there is no home directory; set HOME, or name a directory there"
DATABASE = "store.sqlite3"  # in the data directory
SERVICE_KEYS = "service-keys"  # beside it: the hashes of the keys that pettui serve lets in


def user_path(text: str, setting: str, *, beside: Path | None = None) -> Path:
    """Return a path as the user means it, with ``~`` as the home directory.

    Args:
        text: as it was set.
        setting: what an error names.
        beside: the directory of a relative path; None is the working directory.

    Raises:
        ConfigurationError: it is empty, "-", or relative to a directory that does not exist.
    """
    if text == "-":  # where that is a stream, it is none of the files
        raise ConfigurationError(setting, "is no stream here; write ./- for a file of that name")
    if not text:  # a variable of a script that was not set, and not the working directory
        raise ConfigurationError(setting, "is empty; name a file")
    if text == "~" or text.startswith("~/"):
        _check_home()
    try:
        return (beside or Path()).joinpath(Path(text).expanduser()).absolute()
    except (RuntimeError, ValueError, FileNotFoundError):  # of a home or a working directory
        raise ConfigurationError(
            setting, "is no path here; write a whole one", value=text
        ) from None


def check_directory_of(path: Path, setting: str) -> None:
    """Check that the directory of a file that the user named is there.

    It is not made: it may be mistyped, or on a disk that is not mounted.

    Raises:
        ConfigurationError: it is not there.
    """
    if not os.path.isdir(path.parent):  # noqa: PTH112 - unlike Path's, it raises no PermissionError
        reason = f"its directory {path.parent} does not exist; make it, or mount its disk"
        raise ConfigurationError(setting, reason)


def config_file() -> Path | None:
    """Return the default path of the configuration file; None for a user without a home."""
    directory = _user_directory("user_config_path")
    return None if directory is None else directory / "config.toml"


def data_directory(environment: Mapping[str, str]) -> Path:
    """Return the directory of the embedded store: PETTUI_DATA_DIRECTORY, or the user's own."""
    if named := environment.get(DATA_DIRECTORY):
        return user_path(named, DATA_DIRECTORY)
    directory = _user_directory("user_data_path")
    if directory is None:
        raise ConfigurationError(DATA_DIRECTORY, f"is not set, and {NO_HOME}")
    return directory


def state_directory() -> Path:
    """Return the directory of what pettui keeps between two starts, which nobody else can change.

    Raises:
        ConfigurationError: there is no home for it; or it belongs to another user, or others can
            write it: they could read or replace what was typed.
    """
    directory = _user_directory("user_state_path")
    if directory is None:
        raise ConfigurationError("XDG_STATE_HOME", f"is not set, and {NO_HOME}")
    try:
        status = directory.stat()
    except OSError:  # it is made, or the error reported, when it is needed
        return directory
    if status.st_uid != os.geteuid():
        reason = "belongs to another user; set XDG_STATE_HOME to a directory of your own"
        raise ConfigurationError(STATE_DIRECTORY, reason, value=directory)
    if status.st_mode & 0o022:
        reason = f"can be written by others; run: chmod go-w {directory}"
        raise ConfigurationError(STATE_DIRECTORY, reason, value=directory)
    return directory


def _check_home() -> None:
    """Refuse a home in whose place Python would take another one, or the root directory."""
    home = os.environ.get("HOME")
    if home is not None and not os.path.isabs(home):  # noqa: PTH117
        raise ConfigurationError("HOME", "must be the whole path of a directory", value=home)


def _user_directory(kind: str) -> Path | None:
    """Return a directory of the user's; None where no home is known, as in some containers.

    Raises:
        ConfigurationError: HOME is no whole path.
    """
    named = os.environ.get(f"XDG_{kind.split('_')[1].upper()}_HOME", "")
    if not os.path.isabs(named):  # noqa: PTH117
        _check_home()
    # Its import takes a few milliseconds, and is not needed where the directories are given.
    import platformdirs  # noqa: PLC0415

    try:
        path: Path = getattr(platformdirs, kind)("pettui")
    except RuntimeError:
        return None
    return path if path.is_absolute() else None


def check_writable(directory: Path, setting: str) -> None:
    """Check, without writing, that files can be made in a directory, or the directory itself.

    Raises:
        ConfigurationError: they cannot.
    """
    nearest = _nearest(directory)
    if not os.path.isdir(nearest):  # noqa: PTH112 - unlike Path's, it does not raise PermissionError
        reason = f"cannot be a directory: {nearest} is a file; name a directory of your own"
    elif not os.access(nearest, os.W_OK | os.X_OK):
        reason = f"cannot be written: no permission for {nearest}; name a directory of your own"
    else:
        return
    raise ConfigurationError(setting, reason, value=directory)


def check_locks(directory: Path, cost: str) -> None:
    """Check that the disk of a directory has file locks, as far as that can be known.

    Args:
        directory: as it is, or will be.
        cost: what cannot be done without them, and what to do about it.

    Raises:
        ConfigurationError: it has none.
    """
    with suppress(OSError):
        if not files.has_locks(_nearest(directory)):
            reason = f"this disk has no file locks (NFS?): {cost}"
            raise ConfigurationError(str(directory), reason)


def _nearest(directory: Path) -> Path:
    """Return the path, or the nearest one above it that is there."""
    while not os.path.lexists(directory) and directory != directory.parent:
        directory = directory.parent
    return directory
