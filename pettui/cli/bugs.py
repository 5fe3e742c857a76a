"""What is printed where a bug of pettui ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.output import write_failure
from pettui.composition.crash_reports import reported_bug

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from pettui.settings.settings import ApiKey


def report_bug(error: BaseException, *keys: ApiKey) -> None:
    """Write a report, with these keys masked, and print one line that says where it is."""
    write_failure(reported_bug(error, *keys))


def bug_hook(
    key: ApiKey,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """Return a ``sys.excepthook`` that writes a report instead of a traceback."""

    def hook(
        _kind: type[BaseException], error: BaseException, _traceback: TracebackType | None
    ) -> None:
        report_bug(error, key)

    return hook
