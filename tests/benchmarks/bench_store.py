"""Times of a page in a small and in a large store: they must be the same.

``python -m tests.benchmarks.bench_store [--sizes 10000 1000000] [--postgres]``; ten million animals
take ``--sizes 10000 10000000``, 1 GB of disk for SQLite and 2 GB for PostgreSQL.

Half of the animals are available and half are sold, but the hundred oldest: these alone are
pending, which is the worst position for the rarest status. A deep page is at a random position.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from pettui.models.pets import PetStatus
from pettui.service.stores.postgres import COPY, MIGRATIONS, PostgresStore
from pettui.service.stores.sqlite import SqliteStore
from pettui.service.stores.sqlite_files import INSERT, open_database
from tests.service.private_postgres import private_postgres

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.service.stores.store import Store

RARE = 100
PAGES = ("first", "deep in the list", "of the rarest status")


def rows(size: int) -> Iterator[tuple[bytes, int, str]]:
    for number in range(1, size + 1):
        status = "pending" if number <= RARE else ("available", "sold")[number % 2]
        yield b"Animal %d" % number, number % 8 + 1, status


def fill_sqlite(path: Path, size: int) -> None:
    connection = open_database(path)
    connection.execute("PRAGMA journal_mode = DELETE")  # one pass over the disk, not two
    connection.execute("BEGIN")
    connection.executemany(INSERT, rows(size))
    connection.execute("COMMIT")
    connection.close()


def fill_postgres(address: str, size: int) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        with connection.cursor() as cursor, cursor.copy(COPY) as copy:
            for row in rows(size):
                copy.write_row((*row, len(MIGRATIONS)))
        connection.execute("VACUUM ANALYZE pets")


async def list_page(store: Store, page: str, size: int) -> None:
    if page == "first":
        await store.list_pets(20)
    elif page == "deep in the list":
        await store.list_pets(20, None, random.randint(RARE + 20, size))
    else:
        assert len((await store.list_pets(20, PetStatus.PENDING)).pets) == 20


async def report(title: str, stores: dict[int, Store], count: int) -> None:
    """Print medians by page and size; the sizes take turns, so that noise affects all."""
    print(f"\n{title}, median milliseconds of a page: {' → '.join(map('{:,}'.format, stores))}")
    for page in PAGES:
        took: dict[int, list[float]] = {size: [] for size in stores}
        for _ in range(count):
            for size, store in stores.items():
                started = time.perf_counter()
                await list_page(store, page, size)
                took[size].append(time.perf_counter() - started)
        medians = [statistics.median(times) * 1000 for times in took.values()]
        print(f"{page:24}{' → '.join(f'{each:.3f}' for each in medians)}", flush=True)
    for store in stores.values():
        await store.close()


async def bench_sqlite(directory: Path, sizes: list[int], count: int) -> None:
    stores: dict[int, Store] = {}
    for size in sizes:
        path = directory / f"{size}.db"
        fill_sqlite(path, size)
        stores[size] = SqliteStore.open(path)
    await report("SQLite", stores, count)


async def bench_postgres(sizes: list[int], count: int) -> None:
    with private_postgres() as server:
        stores: dict[int, Store] = {}
        for size in sizes:
            address = server.new_database(f"of_{size}")
            stores[size] = await PostgresStore.open(address)
            fill_postgres(address, size)
        await report("PostgreSQL", stores, count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--count", type=int, default=2_000, help="pages of each kind and size")
    parser.add_argument("--postgres", action="store_true")
    given = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(bench_sqlite(Path(directory), given.sizes, given.count))
    if given.postgres:
        asyncio.run(bench_postgres(given.sizes, given.count))


if __name__ == "__main__":
    main()
