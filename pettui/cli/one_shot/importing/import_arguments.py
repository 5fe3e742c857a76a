"""The arguments of an import that need more than argparse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pettui.cli.one_shot.importing.import_ending import STANDARD_OUTPUT
from pettui.configuration import ConfigurationError, user_path
from pettui.transfer.errors import TransferError
from pettui.transfer.importing.import_plan import (
    PARALLEL_BOUNDS,
    PARALLEL_MAXIMUM,
    PARALLEL_MINIMUM,
)
from pettui.transfer.importing.result_file import check_result, result_path

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.settings import Settings

_PARALLEL: Final = range(PARALLEL_MINIMUM, PARALLEL_MAXIMUM + 1)


def parallel_requests(text: str) -> int:
    """Return the value of ``--parallel``. Raises ConfigurationError."""
    if not text.isascii() or not text.isdigit() or int(text[:9]) not in _PARALLEL:
        reason = f"must be a whole number from {PARALLEL_BOUNDS}"
        raise ConfigurationError("--parallel", reason, value=text)
    return int(text)


def result_target(named: str | None, file: Path | None, *, is_dry_run: bool) -> Path | str | None:
    """Return where the result goes, after checking that it can be written; None for nowhere.

    Args:
        named: the value of ``--result``.
        file: to import; None is standard input.
        is_dry_run: whether there is a result only if it is named.

    Raises:
        ConfigurationError: it cannot be written there.
    """
    if named is None and is_dry_run:
        return None
    if named is None and file is not None:
        path = result_path(file)
    elif named is None or named == STANDARD_OUTPUT:
        return STANDARD_OUTPUT
    else:
        path = user_path(named, "--result")
    try:
        check_result(path)
    except TransferError as error:
        raise ConfigurationError("--result", str(error)) from None
    return path


def with_connections(settings: Settings, parallel: int) -> Settings:
    """Return settings with connections for so many requests, and one for the list."""
    limits = settings.limits
    connections = max(limits.connections, parallel + 1)
    return replace(settings, limits=replace(limits, connections=connections))
