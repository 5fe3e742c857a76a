"""The Unix socket that sends a server's status to each connection of its owner.

Each server has one, named by its port and its process, in one directory of its user.
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

STATUS_MAXIMUM: Final = 1_000_000  # bytes
STATUS_SECONDS: Final = 5.0  # for a server to respond; a thousandth of that is usual
_PATH_MAXIMUM: Final = 100  # bytes of an address (unix(7), sun_path)
_NAME: Final = re.compile(r"([0-9]{1,5})-[0-9]+\.sock")


@dataclass(frozen=True, slots=True)
class StatusResponder:
    """A socket that all processes of a server share, and the status that is sent to connections."""

    listening: socket.socket
    text: Callable[[], bytes]

    def respond(self) -> None:
        """Send the status to a connection, unless another process was faster."""
        with suppress(OSError):  # the client is gone, or there is no descriptor left
            connection, _ = self.listening.accept()
            with connection:
                connection.setblocking(False)
                connection.sendall(self.text())


@contextmanager
def status_responder(
    directory: Path | None,
    port: int,
    text: Callable[[], bytes],
    on_error: Callable[[OSError], None],
) -> Iterator[StatusResponder | None]:
    """Open a status socket during the block; None if there is no socket.

    Args:
        directory: of the sockets of this user's servers, created if missing; None for no
            socket.
        port: that the server listens on.
        text: returns the status.
        on_error: called with the reason if there is no socket; the server runs without it.
    """
    with ExitStack() as opened:
        responder = None
        if directory is not None:
            try:
                responder = StatusResponder(opened.enter_context(_listening(directory, port)), text)
            except OSError as error:
                on_error(error)
        yield responder


@contextmanager
def _listening(directory: Path, port: int) -> Iterator[socket.socket]:
    """Listen during the block, and remove the socket file at its end.

    Socket files of dead servers are removed first. Raises OSError.
    """
    make_directory(directory)
    directory.chmod(0o700)
    _remove_dead(directory)
    path = directory / f"{port}-{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.setblocking(False)
        with _short(path) as address:
            listening.bind(address)
        path.chmod(0o600)  # before anyone can connect
        listening.listen()
        try:
            yield listening
        finally:
            path.unlink(missing_ok=True)


def running_servers(directory: Path) -> list[tuple[int, Path]]:
    """Return the port and the socket file of each server."""
    try:
        paths = sorted(path for path in directory.iterdir() if _is_socket(path))
    except OSError:
        return []
    named = ((_NAME.fullmatch(path.name), path) for path in paths)
    return [(int(match[1]), path) for match, path in named if match is not None]


def _is_socket(path: Path) -> bool:
    """Whether it is a socket, and not a link to one of another server."""
    return path.is_socket() and not path.is_symlink()


def read_status(path: Path) -> bytes:
    """Return the status that a server sends.

    Raises:
        OSError: it has ended (ConnectionRefusedError), or does not respond in time.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(STATUS_SECONDS)
        with _short(path) as address:
            connection.connect(address)
        content = b""
        while len(content) < STATUS_MAXIMUM and (more := connection.recv(65_536)):
            content += more
    return content


def _remove_dead(directory: Path) -> None:
    for _, path in running_servers(directory):
        try:
            read_status(path)
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        except OSError:  # it is alive, but busy
            continue


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """Return a name for a path that fits into a socket address, if the system supports that."""
    if len(os.fsencode(path)) <= _PATH_MAXIMUM or not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        yield str(path)
        return
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)
