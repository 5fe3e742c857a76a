"""Which build of pettui runs: the version, and the commit from which it was made.

A package has its commit in a file beside this one, which building it wrote. In a checkout git's own
files say it. Nothing is imported: ``--version`` shows it.
"""

from __future__ import annotations

from pettui import __version__

_DIRECTORY = __file__.rpartition("/")[0] or "."
_SHOWN = 12  # characters of a commit
_LARGEST = 1_000_000  # characters of a file of git's


def build() -> str:
    """Return the version, with the commit behind a plus where it is known, as PEP 440 has it."""
    return _BUILD


def _found() -> str:
    commit = _line(f"{_DIRECTORY}/commit") or checked_out(f"{_DIRECTORY}/..")
    return f"{__version__}+g{commit[:_SHOWN]}" if _is_commit(commit) else __version__


def checked_out(directory: str) -> str:
    """Return the commit of a checkout of pettui's own; "" if it is none."""
    git = f"{directory}/.git"
    if pointer := _line(git):  # of a worktree, it is a file
        git = pointer.removeprefix("gitdir: ")
    head = _line(f"{git}/HEAD")
    if not head.startswith("ref: "):
        return head
    name = head.removeprefix("ref: ")
    common = f"{git}/{_line(f'{git}/commondir') or '.'}"  # of all worktrees
    packed = (line.partition(" ") for line in _lines(f"{common}/packed-refs"))
    return _line(f"{common}/{name}") or next((each[0] for each in packed if each[2] == name), "")


def _is_commit(text: str) -> bool:
    return len(text) >= _SHOWN and all(character in "0123456789abcdef" for character in text)


def _line(path: str) -> str:
    return next(iter(_lines(path)), "")


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - no import
            return file.read(_LARGEST).splitlines()
    except OSError:
        return []


_BUILD = _found()  # of what was imported, whatever is on the disk later
