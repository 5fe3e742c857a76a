"""What no tracked file may be or say: ``make lint`` runs it, ``python -m tests.tracked_files``.

A link that leaves the tree, or the home of whoever committed, holds on one machine alone.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PEOPLE = ("ann", "anna", "clerk")  # in examples
HOME = re.compile(rf"(?<![\w.])/(?:root|(?:home|Users)/(?!(?:{'|'.join(PEOPLE)})\b)\w[\w.-]*)(?=/)")


def main() -> int:
    """Print what is wrong in the repository of the current folder; return an exit code."""
    found = problems(Path.cwd())
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


def problems(root: Path) -> list[str]:
    """Say of each tracked file of a repository what holds on one machine alone."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
    )
    return [
        f"{name}: {problem}"
        for name in filter(None, listed.stdout.split("\0"))
        for problem in _problems_of(root / name, root)
    ]


def _problems_of(path: Path, root: Path) -> list[str]:
    if path.is_symlink():
        target = path.readlink()
        inside = not target.is_absolute() and path.resolve().is_relative_to(root.resolve())
        return [] if inside else [f"a link that leaves the tree, to {target}"]
    if not path.is_file():  # it is tracked, and was removed
        return []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:  # a picture
        return []
    return [
        f"line {number} has an absolute path of a home, {match[0]}"
        for number, line in enumerate(lines, 1)
        if (match := HOME.search(line))
    ]


if __name__ == "__main__":
    sys.exit(main())
