"""A link to a private PostgreSQL that can lose what the server says, and hold all that is said."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = ".s.PGSQL.5432"


class LossyLink:
    """Forwards connections between two sockets."""

    def __init__(self, server: Path, directory: Path) -> None:
        self.directory = directory
        self._server = server / NAME
        self._loses = threading.Event()  # what the server says; then both ends are closed
        self._passes = threading.Event()  # what clients say
        self._passes.set()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(directory / NAME))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    @contextmanager
    def losing_one_response(self) -> Iterator[None]:
        """Lose the next thing that the server says, and the connection with it."""
        self._loses.set()
        yield
        self._loses.clear()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold what clients say until the end of the block: then the server gets it, if late."""
        self._passes.clear()
        yield
        self._passes.set()

    def close(self) -> None:
        self._listening.close()
        for pair in self._pairs:
            for end in pair:
                end.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:  # closed
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self._server))
            except OSError:  # it is away; the next one may find it
                client.close()
                server.close()
                continue
            self._pairs.append((client, server))
            for source, target in ((client, server), (server, client)):
                threading.Thread(
                    target=self._forward, args=(source, target, source is server), daemon=True
                ).start()

    def _forward(self, source: socket.socket, target: socket.socket, is_server: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if is_server and self._loses.is_set():
                    self._loses.clear()
                    break
                if not is_server:
                    self._passes.wait()
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)


@contextmanager
def lossy_link(server: Path) -> Iterator[LossyLink]:
    with TemporaryDirectory(prefix="pettui-link-") as directory:
        link = LossyLink(server, Path(directory))
        try:
            yield link
        finally:
            link.close()
