"""A bug of an app, as its developer reads it: where it is, and never with local variables."""

from __future__ import annotations

import re
import sys
import traceback
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console
from textual.worker import WorkerFailed

if TYPE_CHECKING:
    from pettui.system.logs import Field

WIDTH: Final = 100  # columns of what draws itself, such as errors in styles
_FRAMES: Final = re.compile("[\u2500-\u257f]+")  # the characters that boxes are drawn with
_OTHERS: Final = frozenset({"pettui", "rich", "textual", *sys.stdlib_module_names})


def bug_fields(error: BaseException) -> dict[str, Field]:
    """Return the fields of the log's ``bug``: what and where it is, and the traceback."""
    cause = _first(_cause(error))
    if drawn := _drawn(cause):  # it has no text of its own
        reason = (
            f"{type(cause).__name__}: {_FRAMES.sub(' ', drawn).strip().splitlines()[0].strip()}"
        )
    else:
        reason = traceback.format_exception_only(cause)[0].strip() + line_of(cause)  # no notes
    return {"reason": reason, "traceback": traceback_text(error)}


def line_of(error: BaseException) -> str:
    """Return which line of an app's own code raised an error, if one did."""
    own = [
        (Path(frame.f_code.co_filename).name, number, frame.f_code.co_name)
        for frame, number in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _OTHERS
    ]
    return " ({}, line {}, in {})".format(*own[-1]) if own else ""


def traceback_text(error: BaseException) -> str:
    """Return the whole traceback, and what an error draws, as styles do that can't be parsed."""
    cause = _cause(error)
    return "".join(traceback.format_exception(cause)) + _drawn(cause)


def _drawn(cause: BaseException) -> str:
    """Return what an error draws; "" for one that has a text."""
    if not hasattr(cause, "__rich__"):
        return ""
    drawn = StringIO()
    Console(file=drawn, color_system=None, width=WIDTH).print(cause)
    return drawn.getvalue()


def _cause(error: BaseException) -> BaseException:
    """Return what a worker of an app raised, since its own error has no traceback."""
    return error.error if isinstance(error, WorkerFailed) else error


def _first(error: BaseException) -> BaseException:
    """Return the first error of a group, as a ``TaskGroup`` raises; the traceback has all."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
