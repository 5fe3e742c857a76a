"""Standard streams that are closed, full, or without a reader."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def unread_pipe() -> Iterator[int]:
    """The writing end of a pipe without a reader."""
    read, write = os.pipe()
    os.close(read)
    try:
        yield write
    finally:
        os.close(write)


@pytest.mark.parametrize("line", ["--help", "list --demo"])
def test_a_standard_output_without_a_reader_is_no_error(
    environment: Mapping[str, str], line: str
) -> None:
    with unread_pipe() as pipe:
        finished = subprocess.run(
            [PROGRAM, *line.split()],
            env=environment,
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (finished.returncode, finished.stderr) == (0, b"")


def test_a_full_standard_output_leaves_no_traceback(environment: Mapping[str, str]) -> None:
    with Path("/dev/full").open("wb") as full:
        finished = subprocess.run(
            [PROGRAM, "--help"], env=environment, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (finished.returncode, finished.stderr) == (0, b"")


@pytest.mark.parametrize("line", ["list --xyzzy", "get 999 --demo"])
def test_an_error_never_goes_to_standard_output(environment: Mapping[str, str], line: str) -> None:
    finished = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" {line} 2>&-', PROGRAM],
        env=environment,
        stdout=subprocess.PIPE,
        check=False,
    )
    assert finished.stdout == b""
    assert finished.returncode in (1, 2)


def test_a_standard_error_without_a_reader_changes_no_exit_code(
    environment: Mapping[str, str],
) -> None:
    with unread_pipe() as pipe:
        finished = subprocess.run(
            [PROGRAM, "get", "999", "--demo"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=pipe,
            check=False,
        )
    assert (finished.returncode, finished.stdout) == (1, b"")
