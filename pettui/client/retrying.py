"""Whether a call is tried again, and how long it waits before that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from pettui.client.backoff import Backoff
from pettui.client.errors import TOO_MANY, UNAVAILABLE, NoAnswerError, PetClientError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.settings.settings import Limits

Result = TypeVar("Result")


class PendingRetry(NamedTuple):
    """A wait between two attempts of one call. Cancelling the call's task ends it."""

    attempt: int  # the next one, from 2
    of: int  # attempts in all
    seconds: float
    error: PetClientError  # of the attempt before: shown if the waiting is stopped

    @property
    def why(self) -> str:
        """Why the attempt before failed, in one line; not yet safe to draw."""
        return str(self.error)


OnWait: TypeAlias = "Callable[[PendingRetry], None]"  # called before each wait


async def retried(
    attempt: Callable[[], Awaitable[Result]],
    limits: Limits,
    *,
    is_add: bool,
    is_added_once: bool = False,
    on_wait: OnWait | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Result:
    """Try until there is a result, or no further attempt is worth it; cancelling ends the waiting.

    Args:
        attempt: raises PetClientError.
        limits: how many further attempts, and how long between them.
        is_add: it changes something, so it is tried again only when it was surely not carried out.
        is_added_once: it may be sent again, since a store promises to carry it out once.
        on_wait: called before each wait.
        sleep: waits so many seconds.

    Raises:
        PetClientError: the last attempt's.
    """
    number = 1
    while True:
        try:
            return await attempt()
        except PetClientError as error:
            failure = error
        seconds = wait_before_retry(
            failure, number, limits, is_add=is_add, is_added_once=is_added_once
        )
        if seconds is None:
            raise failure
        number += 1
        if on_wait is not None:
            on_wait(PendingRetry(number, limits.tries + 1, seconds, failure))
        await sleep(seconds)


def wait_before_retry(
    failure: PetClientError,
    number: int,
    limits: Limits,
    *,
    is_add: bool,
    is_added_once: bool = False,
) -> float | None:
    """Return the seconds to wait after attempt ``number``; None where it is not tried again.

    What the service asks for (Retry-After) counts where it is within the bound. A 429 is taken at
    its word, of an add too: it was not carried out. A 503 is not.
    """
    is_worth_it = failure.transient and number <= limits.tries
    if is_add:
        is_unsent = isinstance(failure, NoAnswerError) and not failure.maybe_sent
        is_unsent |= failure.status == TOO_MANY
        is_worth_it &= is_unsent or (is_added_once and failure.status == UNAVAILABLE)
    if not is_worth_it:
        return None
    if failure.retry_after is not None:
        return failure.retry_after if failure.retry_after <= limits.retry_after else None
    if failure.status == TOO_MANY:
        return Backoff(2 * limits.first_wait, limits.longest_wait).after_too_many(number)
    return Backoff(limits.first_wait, limits.longest_wait).after(number)
