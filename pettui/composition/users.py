"""What did not go out of users over SSH, for the administrator of their server."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.outbox import OutboxError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.outbox import Summary

NAME_SHOWN: Final = 50  # characters of a user's name, which may be a fingerprint
USERS_SHOWN: Final = 20  # the others are counted


def not_gone_out(people: str | None = None, state: str | None = None) -> Iterator[Summary]:
    """Find what did not go out, of each user and profile, as far as it can be read.

    Args:
        people: the id of the people of one profile; None for all profiles.
        state: the database of their outboxes; None for the state directory.

    Raises:
        ConfigurationError: the database can't be reached or used.
    """
    from pettui.composition.state_database import opened_people_of_all

    with opened_people_of_all(state) as found:
        owners = [owner for each in found if people in (None, each.id) for owner in each.owners()]
        for owner in sorted(owners, key=lambda owner: owner.id):
            with suppress(OutboxError):  # it is somebody else's
                summary = owner.summary()
                if summary.not_added:
                    yield summary
