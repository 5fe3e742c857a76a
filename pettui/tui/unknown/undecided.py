"""What is decided: adds whose responses were lost, and where a decision about them is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pettui.outbox import likeness
from pettui.text.amounts import age

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.models.pets import Pet
    from pettui.outbox import Likeness

NEITHER_DELETED: Final = "there would be two, and neither can be deleted"


class UnknownAdd(NamedTuple):
    """An add of which no response says whether it was stored; its texts are raw."""

    add_id: str
    name: str
    category_id: int
    status: str | None
    sent: str  # when, as far as it is known
    why: str  # no response came, or none that counts

    @property
    def likeness(self) -> Likeness:
        """What it has in common with the animals that it could be."""
        return likeness(self.name, self.category_id)


class Undecided(Protocol):
    """The unknown entries of the outbox, or the unknown lines of an import."""

    @property
    def adds(self) -> Sequence[UnknownAdd]:
        """Those that are unknown now, in the order in which they are asked about."""
        ...

    def of_others(self, pets: Iterable[Pet]) -> set[int]:
        """Return the ids of those that other adds of the same user became."""
        ...

    def was_seen_before(self, pet: Pet, add_id: str) -> bool:
        """Whether that animal surely stood in a list before an add was sent."""
        ...

    async def resolve(self, add_id: str, pet: Pet) -> None:
        """Keep that an add became an animal; raises OutboxError or TransferError."""
        ...


class Resending(Protocol):
    """How one of them is sent again, where that can be done alone."""

    def question(self, add_id: str) -> str:
        """Return what is to be known before."""
        ...

    async def send_again(self, add_id: str) -> None:
        """Send an add again; raises OutboxError."""
        ...


def sent_text(sent_ago: float | None, typed_ago: float) -> str:
    """Return when an add was sent; where that was not recorded, when it was typed."""
    if sent_ago is not None:
        return f"sent {age(sent_ago)} ago"
    return f"typed {age(typed_ago)} ago; when it was sent was not recorded"


def resending_text(sent_ago: float | None, typed_ago: float, timeout: float) -> str:
    """Return what sending an add again could do, and what to do first.

    A request is given up after the time-out of a client, and may go on behind it: through a proxy,
    or in a service that is slow. Twice that time says much, and proves nothing.

    Args:
        sent_ago: seconds; None where that was not recorded.
        typed_ago: seconds.
        timeout: of one request, in seconds.
    """
    was = f"It was {sent_text(sent_ago, typed_ago)}."
    if (typed_ago if sent_ago is None else sent_ago) < 2 * timeout:
        wait = f"wait until {age(2 * timeout)} have passed, and look again"
        return f"{was} It may still arrive: {wait}. Otherwise {NEITHER_DELETED}."
    return f"{was} It may have been added all the same, or still arrive. Then {NEITHER_DELETED}."
