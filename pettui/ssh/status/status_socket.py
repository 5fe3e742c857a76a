"""The Unix socket that says how a server does, to its owner alone: whoever connects is told.

Each server has one, named by its port and its process, in one directory of its user's.
"""

from __future__ import annotations

import os
import re
import socket
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.private_directories import make_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ANSWER_MAXIMUM: Final = 1_000_000  # bytes
ANSWER_SECONDS: Final = 5.0  # that a server has; a thousandth of one is usual
_PATH_MAXIMUM: Final = 100  # bytes of an address (unix(7), sun_path)
_NAME: Final = re.compile(r"([0-9]{1,5})-[0-9]+\.sock")


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """A socket that all processes of a server have, and what whoever connects there is told."""

    listening: socket.socket
    text: Callable[[], bytes]

    def answer(self) -> None:
        """Tell whoever connected, unless another process was first."""
        with suppress(OSError):  # nobody is there any more, or there is no descriptor for it
            connection, _ = self.listening.accept()
            with connection:
                connection.setblocking(False)
                connection.sendall(self.text())


@contextmanager
def status_answer(
    directory: Path | None,
    port: int,
    text: Callable[[], bytes],
    tell: Callable[[OSError], None],
) -> Iterator[StatusAnswer | None]:
    """Say how a server does until the end of the block; None where nobody can ask.

    Args:
        directory: of the sockets of this user's servers, made where there is none; None for no
            socket.
        port: that the server listens on.
        text: returns what is said.
        tell: told why there is no socket; the server goes on without.
    """
    with ExitStack() as opened:
        answer = None
        if directory is not None:
            try:
                answer = StatusAnswer(opened.enter_context(_listening(directory, port)), text)
            except OSError as error:
                tell(error)
        yield answer


@contextmanager
def _listening(directory: Path, port: int) -> Iterator[socket.socket]:
    """Listen until the end of the block, which takes the name away again.

    Names of servers that are no more are taken away first. Raises OSError.
    """
    make_directory(directory)
    directory.chmod(0o700)
    _remove_dead(directory)
    path = directory / f"{port}-{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.setblocking(False)
        with _short(path) as address:
            listening.bind(address)
        path.chmod(0o600)  # and nobody can have connected before
        listening.listen()
        try:
            yield listening
        finally:
            path.unlink(missing_ok=True)


def running_servers(directory: Path) -> list[tuple[int, Path]]:
    """Return the ports of servers whose sockets are there, and the sockets."""
    try:
        paths = sorted(path for path in directory.iterdir() if _is_socket(path))
    except OSError:
        return []
    named = ((_NAME.fullmatch(path.name), path) for path in paths)
    return [(int(match[1]), path) for match, path in named if match is not None]


def _is_socket(path: Path) -> bool:
    """Whether it is a socket itself, and no link to that of another server."""
    return path.is_socket() and not path.is_symlink()


def read_status(path: Path) -> bytes:
    """Return what a server says.

    Raises:
        OSError: it is no more (ConnectionRefusedError), or does not answer in time.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWER_SECONDS)
        with _short(path) as address:
            connection.connect(address)
        content = b""
        while len(content) < ANSWER_MAXIMUM and (more := connection.recv(65_536)):
            content += more
    return content


def _remove_dead(directory: Path) -> None:
    for _, path in running_servers(directory):
        try:
            read_status(path)
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        except OSError:  # it is there, and busy
            continue


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """Return a name of a path that an address has room for, where the system has one."""
    if len(os.fsencode(path)) <= _PATH_MAXIMUM or not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        yield str(path)
        return
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)
