"""A path that is typed: what Tab makes of it, as a shell would, and which file it names."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pettui.transfer.errors import TransferError


@dataclass(frozen=True, slots=True)
class Completion:
    """A path with as much added as is certain."""

    text: str
    choices: tuple[str, ...]  # names that it may go on with, in order; directories end in "/"


def typed_path(text: str) -> Path:
    """Return the path that was typed, with a home in place of ``~``.

    Raises:
        TransferError: no file can be called so.
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
    """Return a path that was typed in part, completed as far as only one way leads on.

    It looks into a directory, and belongs in a thread. Where it cannot, nothing is added. Hidden
    files are among the choices once their dot was typed; names that are no text never are.
    """
    directory, separator, beginning = text.rpartition("/")
    if not separator and text.startswith("~"):
        return Completion(text, ())
    names = _names(os.path.expanduser(directory + separator) or ".", beginning)  # noqa: PTH111
    if not names:
        return Completion(text, ())
    certain = os.path.commonprefix(names)  # noqa: RUF071 - of names, letter by letter
    return Completion(directory + separator + certain, tuple(names))


def _names(directory: str, beginning: str) -> list[str]:
    names = []
    with suppress(OSError, ValueError), os.scandir(directory) as entries:  # ValueError: a NUL
        for entry in entries:
            is_hidden = entry.name.startswith(".") and not beginning.startswith(".")
            if entry.name.startswith(beginning) and not is_hidden and _is_text(entry.name):
                names.append(entry.name + ("/" if _is_directory(entry) else ""))
    return sorted(names)


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle
        return False


def _is_text(name: str) -> bool:
    return name.isprintable()  # half a character, of a name that is no UTF-8, is not
