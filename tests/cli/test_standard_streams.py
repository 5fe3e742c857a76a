"""Standard streams that are closed, full, or without a reader."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import PROGRAM, finished

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@pytest.fixture
def unread() -> Iterator[int]:
    """The writing end of a pipe without a reader."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@pytest.mark.parametrize("line", ["--help", "list --demo"])
def test_a_standard_output_without_a_reader_is_no_error(
    environment: Mapping[str, str], unread: int, line: str
) -> None:
    ended = finished([PROGRAM, *line.split()], environment, stdout=unread)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_full_standard_output_leaves_no_traceback(environment: Mapping[str, str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = finished([PROGRAM, "--help"], environment, stdout=full)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(("line", "code"), [("list --xyzzy", 2), ("get 999 --demo", 1)])
def test_an_error_never_goes_to_standard_output(
    environment: Mapping[str, str], line: str, code: int
) -> None:
    ended = finished(["/bin/sh", "-c", f'exec "$0" {line} 2>&-', PROGRAM], environment)
    assert (ended.returncode, ended.stdout) == (code, "")


def test_a_standard_error_without_a_reader_changes_no_exit_code(
    environment: Mapping[str, str], unread: int
) -> None:
    ended = finished([PROGRAM, "get", "999", "--demo"], environment, stderr=unread)
    assert (ended.returncode, ended.stdout) == (1, "")
