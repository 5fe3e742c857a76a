"""PgBouncer in transaction mode before a private PostgreSQL, with fewer connections than clients."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from tests.service.private_postgres import SUPERUSER, PrivatePostgres
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator


PORT = 6432  # of a socket's name alone
SETTINGS = """
[databases]
* = host={postgres} port=5432
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {directory}
auth_type = trust
auth_file = {directory}/users
pool_mode = transaction
default_pool_size = {pool}
max_client_conn = 200
admin_users = {user}
"""


def program() -> str | None:
    return shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")


class PrivatePgBouncer:
    """A pooler that can be killed and started again."""

    def __init__(self, postgres: PrivatePostgres, directory: Path, pool: int) -> None:
        self.directory = directory
        self._account = postgres.account
        (directory / "users").write_text(f'"{SUPERUSER}" ""\n')
        settings = SETTINGS.format(
            postgres=postgres.directory, port=PORT, directory=directory, pool=pool, user=SUPERUSER
        )
        (directory / "pgbouncer.ini").write_text(settings)
        if self._account:
            shutil.chown(directory, self._account)

    def address(self, database: str) -> str:
        return f"postgresql://{SUPERUSER}@/{database}?host={self.directory}&port={PORT}"

    def start(self) -> None:
        found = program()
        assert found
        self.process = subprocess.Popen(
            [found, "-q", str(self.directory / "pgbouncer.ini")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._account,
            extra_groups=[] if self._account else None,
        )
        deadline = time.monotonic() + PATIENCE
        while not (self.directory / f".s.PGSQL.{PORT}").is_socket() or not self._answers():
            assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def _answers(self) -> bool:
        try:
            psycopg.connect(
                self.address("pgbouncer"), autocommit=True, prepare_threshold=None
            ).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)
        (self.directory / f".s.PGSQL.{PORT}").unlink(missing_ok=True)


@contextmanager
def private_pgbouncer(postgres: PrivatePostgres, pool: int = 2) -> Iterator[PrivatePgBouncer]:
    """Run a pooler during the block.

    Args:
        postgres: which it gives its clients.
        pool: how many connections to each of its databases it has.
    """
    with tempfile.TemporaryDirectory(prefix="pettui-pgb-") as directory:
        pooler = PrivatePgBouncer(postgres, Path(directory), pool)
        pooler.start()
        try:
            yield pooler
        finally:
            pooler.kill()
