"""The SQL of the store in PostgreSQL: pages read and animals inserted, a batch at a time."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from pettui.service.stores.bounds import (
    NAME_BYTES,
    SMALL_NAME_BYTES,
    bounded_name,
    decoded,
    rows_that_fit,
)
from pettui.service.stores.store import Row, StoredPage, StoredPet, StoreUnavailableError

if TYPE_CHECKING:
    from pettui.service.stores.postgres_batches import TimedConnection

# Every query is a range of the primary key or of pets_by_status, however large the store is. With
# "status = %s ORDER BY id" the planner may scan the primary key for the status: the whole of a
# large store if only its oldest animals have it. Ordering by (status, id) leaves it one index.
# A large name is not read until it is known that the page has room for it.
_SMALL_NAME = f"CASE WHEN octet_length(name) <= {SMALL_NAME_BYTES} THEN name END"
_COLUMNS = f"SELECT id, {_SMALL_NAME}, category_id, status FROM pets"  # noqa: S608 - all ours
_ORDER = "ORDER BY id DESC LIMIT %s::bigint"
SELECT_PAGE = f"{_COLUMNS} WHERE id < %s::bigint {_ORDER}"
SELECT_FIRST_PAGE = f"{_COLUMNS} {_ORDER}"
_ORDER_OF_STATUS = "ORDER BY status DESC, id DESC LIMIT %s::bigint"
SELECT_PAGE_OF_STATUS = (
    f"{_COLUMNS} WHERE status >= %s AND (status, id) < (%s, %s::bigint) {_ORDER_OF_STATUS}"
)
SELECT_FIRST_PAGE_OF_STATUS = f"{_COLUMNS} WHERE status >= %s AND status <= %s {_ORDER_OF_STATUS}"
SELECT_PET = f"{_COLUMNS} WHERE id = %s::bigint"
SELECT_SIZES = "SELECT id, octet_length(name) FROM pets WHERE id = ANY(%s::bigint[])"
SELECT_NAMES = "SELECT id, substring(name FROM 1 FOR %s) FROM pets WHERE id = ANY(%s::bigint[])"


# One text for batches of every size, so that it is prepared once. Ids are assigned in the order
# of position; the database may return them in any order.
INSERT_BATCH = """
    INSERT INTO pets (name, category_id, status)
    SELECT name, category_id, status
    FROM unnest(%b::bytea[], %b::bigint[], %b::text[])
        WITH ORDINALITY AS new_pets (name, category_id, status, position)
    ORDER BY position
    RETURNING id
"""


class Select(NamedTuple):
    """A query for a page, and one row more to see whether there is another page."""

    query: str
    arguments: tuple[Any, ...]
    limit: int


_Row = tuple[int, bytes | None, int, str | None]  # a large name is None


async def read(connection: TimedConnection, selects: list[Select]) -> list[StoredPage]:
    """Return the page of each query, in one round trip.

    Most clients look at the same few pages: equal queries run once.
    """
    different = list(dict.fromkeys(selects))
    async with connection.pipeline() if len(different) > 1 else nullcontext():
        cursors = [
            await connection.cursor(binary=True).execute(select.query, select.arguments)
            for select in different
        ]
    pages = {
        select: await _page(connection, await cursor.fetchall(), select.limit)
        for select, cursor in zip(different, cursors, strict=True)
    }
    return [pages[select] for select in selects]


async def _page(connection: TimedConnection, rows: list[_Row], limit: int) -> StoredPage:
    """Return the animals of the first rows, as many as fit into a response."""
    shown, names = rows[:limit], dict[int, str]()
    if any(name is None for _, name, _, _ in shown):
        try:
            shown, names = await _with_large_names(connection, shown)
        except KeyError as error:
            raise StoreUnavailableError(f"animal {error} was deleted while it was read") from None
    pets = [
        StoredPet(pet_id, names[pet_id] if name is None else decoded(name), category_id, status)
        for pet_id, name, category_id, status in shown
    ]
    return StoredPage.of(pets, is_last=len(pets) == len(rows))


async def _with_large_names(
    connection: TimedConnection, rows: list[_Row]
) -> tuple[list[_Row], dict[int, str]]:
    """Return the rows that fit into a page, and their large names by id."""
    large = [pet_id for pet_id, name, _, _ in rows if name is None]
    sizes = dict(await _fetch(connection, SELECT_SIZES, large))
    fitting = rows[
        : rows_that_fit(sizes[row[0]] if row[1] is None else len(row[1]) for row in rows)
    ]
    large = [pet_id for pet_id, name, _, _ in fitting if name is None]
    starts = await _fetch(connection, SELECT_NAMES, NAME_BYTES, large)
    names = {pet_id: bounded_name(name, sizes[pet_id]) for pet_id, name in starts}
    return fitting, {pet_id: names[pet_id] for pet_id in large}


async def _fetch(connection: TimedConnection, query: str, *arguments: Any) -> list[tuple[Any, ...]]:
    cursor = await connection.cursor(binary=True).execute(query, arguments)
    return await cursor.fetchall()


async def insert(connection: TimedConnection, rows: list[Row]) -> list[int]:
    """Store animals in one statement and one commit, and return their ids."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    cursor = await connection.cursor(binary=True).execute(INSERT_BATCH, columns)
    return sorted([pet_id for (pet_id,) in await cursor.fetchall()])
