"""A private PostgreSQL server, on a socket in a temporary directory."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from collections.abc import Iterator

SUPERUSER = "pettui"


def binaries() -> Path | None:
    """Return the directory of initdb and pg_ctl, in the newest version; None without any."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(found, key=lambda path: float(path.parts[-3]), default=None)
    return newest and newest.parent


def _account() -> str | None:
    """Return the account to run it as, since initdb refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@dataclass(frozen=True)
class PrivatePostgres:
    """A server that can be stopped and started again."""

    binaries: Path
    directory: Path
    account: str | None
    settings: tuple[str, ...]

    def address(self, database: str = "postgres") -> str:
        return f"postgresql://{SUPERUSER}@/{database}?host={self.directory}"

    def new_database(self, name: str) -> str:
        """Create an empty database, replacing one of that name, and return its address."""
        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            connection.execute(f"CREATE DATABASE {name}")
        return self.address(name)

    def start(self) -> None:
        options = ["-c listen_addresses=''", f"-k {self.directory}"]
        options += [f"-c {setting}" for setting in self.settings]
        log = str(self.directory / "log")
        self.run("pg_ctl", "start", "-w", "-D", "data", "-l", log, "-o", " ".join(options))

    def stop(self) -> None:
        self.run("pg_ctl", "stop", "-w", "-D", "data", "-m", "fast")

    @contextmanager
    def away(self) -> Iterator[None]:
        """Stop it during the block."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def run(self, program: str, *arguments: str) -> None:
        group = "nogroup" if self.account == "nobody" else self.account
        with tempfile.TemporaryFile("w+") as said:
            ended = subprocess.run(
                [self.binaries / program, *arguments],
                cwd=self.directory,
                check=False,
                stdout=said,
                stderr=said,
                user=self.account,
                group=group,
                extra_groups=[] if self.account else None,
            )
            said.seek(0)
            assert ended.returncode == 0, f"{program}: {said.read()}"


@contextmanager
def private_postgres(*settings: str) -> Iterator[PrivatePostgres]:
    """Run a server during the block."""
    found = binaries()
    assert found, "there is no PostgreSQL here"
    account = _account()
    with tempfile.TemporaryDirectory(prefix="pettui-pg-") as directory:
        server = PrivatePostgres(found, Path(directory), account, settings)
        if account:
            shutil.chown(directory, account)
        server.run("initdb", "-D", "data", "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "-N")
        server.start()
        try:
            yield server
        finally:
            server.stop()
