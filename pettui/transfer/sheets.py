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
from contextlib import contextmanager
from dataclasses import dataclass
from io import UnsupportedOperation
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from pettui.system.extras import why_missing
from pettui.text.amounts import counted, size_text
from pettui.transfer.files import TransferError, failure, transfer_errors
from pettui.transfer.reading import Record
from pettui.transfer.sheet_reader import NO_MEMORY, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PIECE: Final = 1_000_000  # bytes
# All that a child needs of the environment; API keys are in other variables.
_VARIABLES: Final = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "LC_ALL", "LANG")


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
    rows: int,
    content: int,
    limits: Limits = Limits(),  # noqa: B008 - a tuple
) -> Sheet:
    """Return the first sheet of a spreadsheet that can be seen, or the one that is wanted.

    Args:
        source: from its beginning.
        name: of the file, for errors.
        sheet: its name, in any case of letters; None for the first.
        rows: how many there may be.
        content: bytes of the file, and characters of its cells, that there may be.
        limits: on what reading it takes.

    Raises:
        TransferError: it is none, has no such sheet, takes too much, or what reads it is missing.
    """
    if reason := why_missing(["sheets"]):
        error = failure("read", name, f"it is a spreadsheet, which {reason}; or save it as CSV")
        raise TransferError(str(error), "for a spreadsheet install '.[sheets]'")
    if _size(source) > content:
        raise failure("read", name, f"it is larger than {size_text(content)}")
    limits = limits._replace(text=min(limits.text, content))
    records: list[Record] = []
    head: Mapping[str, Any] = {}
    hidden, is_whole = 0, False
    with transfer_errors("read", name), _reader(source, sheet, limits) as process:
        assert process.stdout is not None  # noqa: S101 - a pipe
        for line in process.stdout:
            found = json.loads(line)
            if isinstance(found, list):
                number, cells, is_hidden = found
                records.append(Record(number, tuple(cells)))
                hidden += is_hidden
                if len(records) > rows:
                    raise failure("read", name, f"it has more than {rows:,} rows")
            elif "error" in found:
                raise failure("read", name, found["error"])
            elif "end" in found:
                is_whole = True
            else:
                head = found
        code = process.wait()
    if not is_whole:
        raise failure("read", name, _why_ended(code, limits))
    known = hidden if head["knows_hidden"] else None
    return Sheet(head["sheet"], tuple(head["others"]), known, records)


def _size(source: BinaryIO) -> int:
    begin, end = source.tell(), source.seek(0, os.SEEK_END)
    source.seek(begin)
    return end - begin


@contextmanager
def _reader(
    source: BinaryIO, sheet: str | None, limits: Limits
) -> Iterator[subprocess.Popen[bytes]]:
    """Start the program that reads it; the block's end ends it."""
    words = [sys.executable, "-P", "-m", "pettui.transfer.sheet_reader", *map(str, limits)]
    environment = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    with _as_file(source) as file:
        at = os.lseek(file.fileno(), 0, os.SEEK_CUR)  # both processes have one place in the file
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        with subprocess.Popen(  # noqa: S603 - of this very Python
            [*words, sheet or ""],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        ) as process:
            try:
                yield process
            finally:
                process.kill()
                process.wait()
                os.lseek(file.fileno(), at, os.SEEK_SET)


@contextmanager
def _as_file(source: BinaryIO) -> Iterator[BinaryIO]:
    """Yield a file that a process can be given: itself, or a copy of what is in memory."""
    try:
        source.fileno()
    except UnsupportedOperation:
        with TemporaryFile() as copy:
            while piece := source.read(_PIECE):
                copy.write(piece)
            copy.flush()
            yield copy
    else:
        yield source


def _why_ended(code: int, limits: Limits) -> str:
    if code == -signal.SIGXCPU:
        return f"reading it takes longer than {limits.seconds} seconds; save it as CSV"
    if code == NO_MEMORY or code < 0:
        most = size_text(limits.memory)
        return (
            f"it is damaged, or takes more than {most} of memory; save its sheet alone, or as CSV"
        )
    return f"what reads spreadsheets ended with {code}; save it as CSV"
