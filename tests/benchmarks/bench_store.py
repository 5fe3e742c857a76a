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

from pettui.models import PetStatus
from pettui.service.stores.postgres import COPY, PostgresStore
from pettui.service.stores.sqlite import SqliteStore
from pettui.service.stores.sqlite_files import INSERT, open_database
from tests.service.private_postgres import private_postgres

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.service.stores.store import Store

RARE = 100
PAGES = ("first page", "page deep inside", "page of the rarest status", "deep page of a status")


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
                copy.write_row(row)
        connection.execute("VACUUM ANALYZE pets")


async def list_page(store: Store, page: str, size: int) -> None:
    position = random.randint(RARE + 20, size)
    if page == "first page":
        await store.list_pets(20)
    elif page == "page deep inside":
        await store.list_pets(20, None, position)
    elif page == "page of the rarest status":
        assert len((await store.list_pets(20, PetStatus.PENDING)).pets) == 20
    else:
        await store.list_pets(20, PetStatus.SOLD, position)


async def measure(stores: dict[int, Store], count: int) -> dict[str, dict[int, list[float]]]:
    """Return seconds by page and size; the sizes take turns, so that noise affects all."""
    took = {page: {size: [] for size in stores} for page in PAGES}
    for page in PAGES:
        for _ in range(count):
            for size, store in stores.items():
                started = time.perf_counter()
                await list_page(store, page, size)
                took[page][size].append(time.perf_counter() - started)
    return took


def report(title: str, took: dict[str, dict[int, list[float]]]) -> None:
    print(f"\n{title}, milliseconds at the store")
    print(f"{'':28}{'animals':>12}{'p50':>9}{'p99':>9}")
    for page, sizes in took.items():
        for size, times in sizes.items():
            p50 = statistics.median(times) * 1000
            p99 = sorted(times)[int(len(times) * 0.99)] * 1000
            print(f"{page:28}{size:12,}{p50:9.3f}{p99:9.3f}")


async def bench_sqlite(directory: Path, sizes: list[int], count: int) -> None:
    stores: dict[int, Store] = {}
    for size in sizes:
        started = time.perf_counter()
        path = directory / f"{size}.db"
        fill_sqlite(path, size)
        stores[size] = SqliteStore.open(path)
        seconds = time.perf_counter() - started
        print(
            f"{size:,} animals: {path.stat().st_size / 1e6:,.1f} MB in {seconds:.1f} s", flush=True
        )
    report("SQLite", await measure(stores, count))
    for store in stores.values():
        await store.close()


async def bench_postgres(sizes: list[int], count: int) -> None:
    with private_postgres() as server:
        stores: dict[int, Store] = {}
        for size in sizes:
            started = time.perf_counter()
            address = server.new_database(f"of_{size}")
            stores[size] = await PostgresStore.open(address)
            fill_postgres(address, size)
            print(f"{size:,} animals in {time.perf_counter() - started:.1f} s", flush=True)
        report("PostgreSQL", await measure(stores, count))
        for store in stores.values():
            await store.close()


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
