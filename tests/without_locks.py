"""A file system without locks, as NFS is where its lock service is away: each is ENOLCK."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from tests.cli.conftest import needs

if TYPE_CHECKING:
    from pathlib import Path

SHIM: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>

int flock(int file, int operation) { errno = ENOLCK; return -1; }

static int passed_on(const char *name, int file, int command, va_list arguments) {
    int (*real)(int, int, ...) = dlsym(RTLD_NEXT, name);
    if (command == F_SETLK || command == F_SETLKW) { errno = ENOLCK; return -1; }
    return real(file, command, va_arg(arguments, void *));
}

#define PASSED_ON(name) int name(int file, int command, ...) { \\
    va_list arguments; va_start(arguments, command); \\
    int result = passed_on(#name, file, command, arguments); \\
    va_end(arguments); return result; }
PASSED_ON(fcntl)
PASSED_ON(fcntl64)
"""


def without_locks(directory: Path) -> dict[str, str]:
    """Return the environment in which a program has no file locks; what it needs is made there."""
    if sys.platform != "linux":
        pytest.skip("LD_PRELOAD is of Linux")
    source, library = directory / "without_locks.c", directory / "without_locks.so"
    source.write_text(SHIM)
    compiler = needs("cc", "gcc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}
