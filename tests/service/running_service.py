"""The service in a process of its own, on a free port of this machine."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "a-key-of-the-tests"
AUTHORIZATION = {"Authorization": f"Bearer {KEY}"}

PROGRAM = """
import json, resource, sys
from pathlib import Path
from pettui.service.connection import ConnectionLimits
from pettui.service.keys import ServedKeys
from pettui.service.stores.samples import sample_pets
from pettui.system.addresses import networks
from pettui.service.server import ServeOptions, serve
from pettui.service.stores.store import SetupError
from pettui.system.signals import ServiceSignals

given = json.loads(sys.argv[1])
samples = sample_pets(given.pop("samples", 0))
fixed = [] if "key_file" in given else [sys.stdin.readline().strip()]
keys = ServedKeys(fixed, Path(given.pop("key_file", "keys")))
given["trusted_proxies"] = tuple(networks(given.pop("trusted_proxies", [])))
given["connection_limits"] = ConnectionLimits(**given.pop("connections", {}))
for kind, limit in given.pop("rlimits", {}).items():
    resource.setrlimit(getattr(resource, kind), (limit, limit))
try:
    announce = lambda address: print(address, file=sys.__stderr__, flush=True)
    with ServiceSignals().handled() as signals:
        options = ServeOptions(**{"port": 0, **given})
        serve(options, keys, samples, announce=announce, signals=signals)
except SetupError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


@dataclass
class RunningService:
    """A service that accepts requests."""

    process: subprocess.Popen[str]
    base_url: str
    log: Path
    authorization: dict[str, str] = field(default_factory=lambda: dict(AUTHORIZATION))

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.base_url)
        return str(parts.hostname), int(parts.port or 0)

    @property
    def stderr(self) -> IO[str]:
        return cast("IO[str]", self.process.stderr)

    def lines(self) -> list[dict[str, Any]]:
        """Return the access log."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def connection(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=60)

    def client(self, key: str = KEY, **options: Any) -> httpx.Client:
        options |= {"headers": {"Authorization": f"Bearer {key}"}, "trust_env": False}
        return httpx.Client(base_url=self.base_url, timeout=60, **options)

    def stop(self) -> int:
        """Stop it, and return the exit code."""
        self.process.terminate()
        return self.process.wait(timeout=60)

    def check_quiet_end(self) -> None:
        """Stop it, and check that it says nothing more."""
        assert self.stop() == 0
        assert self.stderr_text() == ""

    def event(self) -> dict[str, Any]:
        """Wait for the next event on standard error."""
        return dict(json.loads(self.stderr.readline()))

    def events(self) -> set[str]:
        """Return the kinds of all further events on standard error, once it has exited."""
        return {json.loads(line)["event"] for line in self.stderr}

    def stderr_text(self) -> str:
        """Return what it wrote to standard error after its address, once it has exited."""
        return self.stderr.read()


@contextmanager
def running_service(
    directory: Path, *, stdout: int | None = None, **options: object
) -> Iterator[RunningService]:
    """Run a service during the block; options are of ``ServeOptions``, and the program's own."""
    options.setdefault("database", str(directory / "pets.db"))
    log = directory / "access.log"
    with log.open("a") as stream:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=stream if stdout is None else stdout,
            stderr=subprocess.PIPE,
            text=True,
            cwd=directory,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        )
    with process:
        try:
            assert process.stdin is not None
            assert process.stderr is not None
            process.stdin.write(f"{KEY}\n")
            process.stdin.close()
            address = process.stderr.readline().strip()
            yield RunningService(process, address, log)
        finally:
            process.kill()


def received(connection: socket.socket) -> bytes:
    """Return all that is received until the other end closes."""
    data = b""
    while part := connection.recv(65536):
        data += part
    return data


async def nothing(_scope: object, _receive: object, _send: object) -> None:
    """Respond to nothing: an app for servers that are asked nothing."""
