"""Whether something is tried again, how long it waits before that, and at which pace it goes on.

A service that asks for a wait (Retry-After) gets it. Somebody who waits in front of the screen is
told instead, if it is more than ``Limits.retry_after``. What happens by itself waits at most 77
minutes, and a key ends that.
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

from pettui.client.errors import TOO_MANY, UNAVAILABLE, NoAnswerError, PetClientError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.settings.settings import Limits

Result = TypeVar("Result")

LONGEST_ASKED_FOR: Final = 4600.0  # seconds of a Retry-After; no wait of our own is longer


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
) -> Result:
    """Try until there is a result, or no further attempt is worth it; cancelling ends the waiting.

    Args:
        attempt: raises PetClientError.
        limits: how many further attempts, and how long between them.
        is_add: it changes something, so it is tried again only when it was surely not carried out.
        is_added_once: it may be sent again, since a store promises to carry it out once.
        on_wait: called before each wait.

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
        await asyncio.sleep(seconds)


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


class Backoff(NamedTuple):
    """Exponential backoff with jitter, bounded.

    The jitter keeps the clients of a restarted service from coming back all at once.
    """

    first: float = 1.0  # seconds at most after the first failure
    longest: float = 60.0
    factor: float = 2.0  # from each failure to the next
    least: float = 0.0  # the part of a wait that is not left to chance

    def after(self, failures: int) -> float:
        """Return the seconds to wait after so many failures in a row; none after none."""
        share = random.uniform(self.least, 1.0)  # noqa: S311 - spreads load, keeps no secret
        return share * self._most(failures) if failures else 0.0

    def _most(self, failures: int) -> float:
        return min(self.longest, self.first * self.factor ** min(failures - 1, 32))

    def at_least(self, failures: int, asked_for: float | None) -> float:
        """Return those, or what the service asks for, if that is longer."""
        return max(self.after(failures), granted(asked_for or 0.0))

    def after_too_many(self, failures: int, asked_for: float | None = None) -> float:
        """Return the seconds to wait after so many requests in a row that met a 429.

        They are those that the service asks for, or else the first, doubled each time. Less would
        meet the next 429. One that asks for none at all is not taken at its word.
        """
        if asked_for is None:
            return self._most(failures) * random.uniform(1.0, 1.1)  # noqa: S311 - as above
        return granted(asked_for) if asked_for >= 1.0 else self.after(failures)


def granted(asked_for: float) -> float:
    """Return how many of the seconds that a service asks for are waited without anybody asking."""
    return min(max(asked_for, 0.0), LONGEST_ASKED_FOR)


_STEP: Final = 0.8  # of the time between two requests, once one passed
_FASTEST: Final = 0.002  # seconds; below it there is no pace any more
_SLOWEST: Final = 60.0
_FIRST: Final = 1.0  # second at most
_STEADY: Final = 100  # requests that pass before a faster pace is tried again


class Pace:
    """The time from one request to the next, since a service said that they come too fast.

    It begins slow, and each request that passes makes it faster, until one does not. Then the pace
    before that is held for a while: finding its limit costs one refused request in a hundred.
    """

    def __init__(self) -> None:
        """Start without one."""
        self.seconds = 0.0  # between the beginnings of two requests; 0 for none
        self._steady_for = 0  # requests
        self._has_passed = False  # one, since the last that did not

    def too_fast(self, waited: float) -> None:
        """Go slower: a request met a 429, and so many seconds are waited for that.

        While none passes, waiting longer is all that helps.
        """
        if not self.seconds:
            self.seconds = min(max(waited, _FASTEST), _FIRST)
        elif self._has_passed:
            self.seconds = min(self.seconds / _STEP, _SLOWEST)
            self._steady_for = _STEADY
        self._has_passed = False

    def passed(self) -> None:
        """Go faster, or as before: a request did not meet a 429."""
        self._has_passed = True
        if self._steady_for:
            self._steady_for -= 1
            return
        self.seconds *= _STEP
        if self.seconds < _FASTEST:
            self.seconds = 0.0
