"""Steps of press-and-sees cases about the rows of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tui.driving import ids_of, resized

if TYPE_CHECKING:
    from tests.tui.driving import Driver, Step


def shows(*ids: int) -> Step:
    """Return a step that waits until these animals are in sight."""
    return lambda driver: driver.until(lambda: ids_of(driver.lines) == [*ids])


def has_loaded(rows: int) -> Step:
    """Return a step that waits until the table has so many rows, and nothing is under way."""
    return lambda driver: driver.until(
        lambda: len(driver.screen.table.rows) == rows and not driver.screen.header.spinner
    )


def is_on(pet_id: int) -> Step:
    """Return a step that waits until the cursor is on an animal."""
    return lambda driver: driver.until(lambda: driver.screen.target.id == pet_id)


def has_asked(operation: str, *queries: dict[str, str]) -> Step:
    """Return a step that waits until these were the queries of all requests for an operation."""

    def are_those(driver: Driver) -> bool:
        return [each.query for each in driver.service.requests_for(operation)] == [*queries]

    return lambda driver: driver.until(lambda: are_those(driver))


def becomes(*size: int) -> Step:
    """Return a step that resizes the terminal."""
    width, height = size
    return lambda driver: resized(driver, (width, height))
