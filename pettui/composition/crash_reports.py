"""Reports of bugs in pettui, for those who fix them: without local variables and API keys."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from itertools import count
from typing import TYPE_CHECKING

from pettui.build import build
from pettui.configuration.directories import state_directory
from pettui.configuration.errors import ConfigurationError
from pettui.system.files import make_directory, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pettui.settings.settings import ApiKey

_PACKAGES = ("textual", "rich", "httpx", "pydantic")


def reported_bug(error: BaseException, *keys: ApiKey) -> str:
    """Write a report, with these keys masked, and return a line that says where it is."""
    try:
        where = f"report: {_write(_report(error, keys), state_directory() / 'reports')}"
    except OSError as failure:
        where = f"no report could be written: {reason_of(failure)}"
    except ConfigurationError as failure:
        where = f"no report could be written: {failure}"
    return f"stopped by a bug in pettui ({type(error).__name__}); {where}"


def write_report(error: BaseException, *keys: ApiKey) -> None:
    """Write a report of a bug that did not stop the app, which mentions it on the screen."""
    with suppress(OSError, ConfigurationError):
        _write(_report(error, keys), state_directory() / "reports")


@cache
def versions() -> tuple[str, str]:
    """Return which pettui runs, and on what; a server notes it before others may be installed."""
    import platform

    packages = ", ".join(f"{name} {installed_version(name)}" for name in _PACKAGES)
    python = f"Python {platform.python_version()} on {platform.platform()}"
    return f"pettui {build()}", f"{python}\n{packages}"


def _report(error: BaseException, keys: Iterable[ApiKey]) -> str:
    import traceback

    text = "".join(traceback.format_exception(error))
    for key in keys:
        text = key.mask(text)
    ours, others = versions()
    return f"{ours}, {_now()} UTC\n{others}\n\n{text}"


def installed_version(name: str) -> str:
    """Return the version of a package, or "not installed"."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")


def _write(report: str, directory: Path) -> Path:
    make_directory(directory)
    for number in count(1):
        path = directory / f"{_now()}-{os.getpid()}{f'-{number}' * (number > 1)}.txt"
        with suppress(FileExistsError):  # of another one in this second
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            break
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(report)
    return path
