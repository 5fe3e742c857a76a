"""What did not go out of users over SSH, for the administrator of their server."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.configuration import state_directory
from pettui.outbox import OutboxError, owners_over_ssh

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pettui.outbox import Owner, Summary

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
    if state is None:
        yield from _not_gone_out(owners_over_ssh(state_directory(), people))
        return
    from pettui.cli.state_database import opened_state
    from pettui.outbox import owners_in

    with opened_state(state, observes=True) as database:
        yield from _not_gone_out(owners_in(database, people))


def _not_gone_out(owners: Iterable[Owner]) -> Iterator[Summary]:
    for owner in owners:
        with suppress(OutboxError):  # it is somebody else's
            summary = owner.summary()
            if summary.not_added:
                yield summary
