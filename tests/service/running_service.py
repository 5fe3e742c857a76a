"""The service in a process of its own, on a free port of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "a-key-of-the-tests"
AUTHORIZATION = {"Authorization": f"Bearer {KEY}"}

PROGRAM = """
import json, resource, sys
from pathlib import Path
from pettui.service.http.body import BodyLimits
from pettui.service.server.connection_deadlines import ConnectionLimits
from pettui.service.key_file import KeyFile
from pettui.service.stores.samples import sample_pets
from pettui.service.server.serving import ServeOptions, serve
from pettui.service.stores.store import SetupError

given = json.loads(sys.argv[1])
samples = sample_pets(given.pop("samples", 0))
keys = KeyFile(Path(given.pop("key_file"))) if "key_file" in given else [sys.stdin.readline().strip()]
seconds = given.pop("seconds", 30)
connections = ConnectionLimits(**given.pop("connections", {}))
for kind, limit in given.pop("rlimits", {}).items():
    resource.setrlimit(getattr(resource, kind), (limit, limit))
try:
    serve(
        ServeOptions(port=0, limits=BodyLimits(seconds=seconds), connections=connections, **given),
        keys,
        samples,
        announce=lambda address: print(address, file=sys.stderr, flush=True),
    )
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
        return parts.hostname, parts.port

    def lines(self) -> list[dict]:
        """Return the access log."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def stderr_text(self) -> str:
        """Return what it wrote to standard error after its address, once it has exited."""
        return self.process.stderr.read()


@contextmanager
def running_service(directory: Path, **options: object) -> Iterator[RunningService]:
    """Run a service during the block, with its database and log in a directory."""
    options.setdefault("database", str(directory / "pets.db"))
    log = directory / "access.log"
    stdout = options.pop("log", None)  # in place of that file
    root = Path(__file__).parents[2]
    with log.open("a") as stream:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=stream if stdout is None else stdout,
            stderr=subprocess.PIPE,
            text=True,
            cwd=directory,
            env=os.environ | {"PYTHONPATH": str(root)},
        )
    try:
        process.stdin.write(f"{KEY}\n")
        process.stdin.close()
        address = process.stderr.readline().strip()
        yield RunningService(process, address, log)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        if process.stdout is not None:
            process.stdout.close()
