"""A sheet of a spreadsheet (XLSX, XLS, ODS) as records, as those of a CSV are.

It is read by ``sheet_reader`` in a process of its own, which may take only so much. Nothing of
this is imported before a file begins like a spreadsheet.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from pettui.system.extras import why_missing
from pettui.text.amounts import counted, size_text
from pettui.transfer.files import TransferError, failure, transfer_errors
from pettui.transfer.reading import Record
from pettui.transfer.sheet_reader import NO_MEMORY, REFUSED, Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

# All that a child needs of the environment; API keys are in other variables.
_VARIABLES: Final = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LC_ALL", "LANG")


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of one sheet that are not empty."""

    name: str
    others: Sequence[str]  # the names of those that are not read
    hidden: int | None  # rows among the records; None where that is not known
    records: Sequence[Record]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said of it; raw."""
        remarks = []
        if self.others:
            remarks.append(f"the sheet {self.name} is read, and not {', '.join(self.others)}")
        if self.hidden:
            are = "is" if self.hidden == 1 else "are"
            remarks.append(f"{counted(self.hidden, 'hidden row')} {are} read, too")
        elif self.hidden is None:
            remarks.append("it is not known whether some of its rows are hidden")
        return tuple(remarks)


def read_sheet(
    source: BinaryIO,
    name: str,
    sheet: str | None = None,
    *,
    content: int,
    limits: Limits = Limits(),  # noqa: B008 - a tuple
) -> Sheet:
    """Return the first sheet of a spreadsheet that can be seen, or the one that is wanted.

    Args:
        source: read from its current position to its end.
        name: of the file, for errors.
        sheet: its name, in any case of letters; None for the first.
        content: bytes of the file, and characters of its cells, that there may be.
        limits: on what reading it takes.

    Raises:
        TransferError: it is none, has no such sheet, takes too much, or what reads it is missing.
    """
    if reason := why_missing(["sheets"]):
        error = failure("read", name, f"it is a spreadsheet, which {reason}; or save it as CSV")
        raise TransferError(str(error), "for a spreadsheet install '.[sheets]'")
    limits = limits._replace(text=min(limits.text, content))
    with transfer_errors("read", name):
        book = source.read(content + 1)
        if len(book) > content:
            raise failure("read", name, f"it is larger than {size_text(content)}")
        words = [sys.executable, "-P", "-m", "pettui.transfer.sheet_reader", *map(str, limits)]
        ended = subprocess.run(  # noqa: S603 - of this very Python
            [*words, sheet or ""],
            input=book,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            env={each: os.environ[each] for each in _VARIABLES if each in os.environ},
        )
    if ended.returncode not in (0, REFUSED):
        raise failure("read", name, _why_ended(ended.returncode, limits))
    head, *rows = map(json.loads, ended.stdout.splitlines())
    if ended.returncode == REFUSED:
        raise failure("read", name, (head, *rows)[-1])
    hidden = sum(is_hidden for *_, is_hidden in rows) if head["knows_hidden"] else None
    records = [Record(number, tuple(cells)) for number, cells, _ in rows]
    return Sheet(head["sheet"], tuple(head["others"]), hidden, records)


def _why_ended(code: int, limits: Limits) -> str:
    if code == -signal.SIGXCPU:
        return f"reading it takes longer than {limits.seconds} seconds; save it as CSV"
    damaged = "it is damaged, or no spreadsheet that can be read"
    if code == NO_MEMORY or code < 0:
        most = size_text(limits.memory)
        return f"{damaged}, or takes more than {most} of memory; save its sheet alone, or as CSV"
    return damaged
