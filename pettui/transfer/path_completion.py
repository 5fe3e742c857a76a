"""A typed path: completed on Tab as in a shell, and the file that it names."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pettui.transfer.errors import TransferError


@dataclass(frozen=True, slots=True)
class Completion:
    """A path, completed as far as it is unambiguous."""

    text: str
    choices: tuple[str, ...]  # names that it may continue with, in order; directories end in "/"


def typed_path(text: str) -> Path:
    """Return the path that was typed, with ``~`` replaced by the home directory.

    Raises:
        TransferError: a file cannot have this name.
    """
    if not text:
        raise TransferError("enter a file name")
    if not text.isprintable():
        raise TransferError("a file name cannot contain these characters")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise TransferError("there is no such home directory") from None


def completed(text: str) -> Completion:
    """Return a partly typed path, completed as far as it is unambiguous.

    It reads a directory, and belongs in a thread; if it cannot, nothing is added. Hidden files are
    offered once their dot was typed, unprintable names never.
    """
    directory, separator, prefix = text.rpartition("/")
    if not separator and text.startswith("~"):
        return Completion(text, ())
    names = _names(os.path.expanduser(directory + separator) or ".", prefix)  # noqa: PTH111
    if not names:
        return Completion(text, ())
    common = os.path.commonprefix(names)  # noqa: RUF071 - of names, by character
    return Completion(directory + separator + common, tuple(names))


def _names(directory: str, prefix: str) -> list[str]:
    names = []
    with suppress(OSError, ValueError), os.scandir(directory) as entries:  # ValueError: a NUL
        for entry in entries:
            is_hidden = entry.name.startswith(".") and not prefix.startswith(".")
            if entry.name.startswith(prefix) and not is_hidden and entry.name.isprintable():
                names.append(entry.name + ("/" if _is_directory(entry) else ""))
    return sorted(names)


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a circular link
        return False
