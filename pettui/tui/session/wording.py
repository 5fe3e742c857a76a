"""The texts of the screens: entries of the outbox, lists, the form, sizes and times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox import EntryState
from pettui.text.amounts import seconds_text, size_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.appearance.glyphs import GlyphSet
    from pettui.outbox import Entry, Outbox


ALLOWED = ", if this terminal allows it"  # after "copied …"


def too_long(size: int, maximum: int) -> str:
    """Return why a paste was refused; both sizes are in bytes."""
    return f"{size_text(size)} is too long: at most {size_text(maximum)} at once"


def adds_wait_texts(outbox: Outbox) -> tuple[str, str] | None:
    """Return how long entries wait though the service responds, and shorter; None if they do not.

    They do after lost responses, so that few of them become unknown.
    """
    seconds = outbox.sending.adds_wait
    if not seconds or not any(entry.waits_here for entry in outbox.entries):
        return None
    short = f"adds wait {seconds_text(seconds)}"
    return f"the service answers, {short}", short


def why_not_taken_back(outbox: Outbox) -> str:
    """Return why the newest entry, if there is one, cannot be taken back into the form."""
    own = [entry for entry in outbox.entries if not entry.owned_elsewhere]
    newest = own[-1] if own else None
    return "nothing has been added here yet" if newest is None else too_late_text(newest)


def too_late_text(entry: Entry) -> str:
    """Return why an entry cannot be taken back."""
    if entry.state is EntryState.ADDED:
        with_id = f", with id {entry.pet_id}" if entry.pet_id is not None else ""
        return f"too late: {entry.label} was added{with_id}"
    if entry.state is EntryState.SENDING:
        again = " again, until it is answered" if entry.is_sent_again else ""
        return f"too late: {entry.label} is being sent{again}"
    return f"too late: {entry.label} was sent, and is {entry.state.value}; see the outbox"


SERVICE_IS_BACK = "the service is back"


def counts_of(outbox: Outbox, added: int = 0) -> tuple[str, ...]:
    """Return the status line's right side: what is not sent, and how many this session added."""
    states = [entry.state for entry in outbox.entries]
    out = states.count(EntryState.WAITING) + states.count(EntryState.SENDING)
    unsent = (f"{out} {_unsent_state(outbox)}",) if out else ()
    return (*unsent, f"added this session: {added}") if added else unsent


def undecided_texts(glyphs: GlyphSet, outbox: Outbox) -> tuple[str, str]:
    """Return how many entries were refused and are unknown, and the same for less room."""
    # Counted in a list, by identity: an enum's hash is slow.
    states = [entry.state for entry in outbox.entries]
    counts = {state: states.count(state) for state in (EntryState.REFUSED, EntryState.UNKNOWN)}
    text = f" {glyphs.dot} ".join(counts_by_state(counts))
    return text, f"{sum(counts.values()):,} to decide" if all(counts.values()) else text


def counts_by_state(counts: Mapping[EntryState, int]) -> list[str]:
    """Return what an outbox that is not open here holds; what waits for a decision comes first."""
    unsent = counts.get(EntryState.WAITING, 0) + counts.get(EntryState.SENDING, 0)
    parts = (
        (counts.get(EntryState.REFUSED, 0), "refused"),
        (counts.get(EntryState.UNKNOWN, 0), "unknown"),
        (unsent, "unsent"),
    )
    return [f"{count:,} {what}" for count, what in parts if count]


def _unsent_state(outbox: Outbox) -> str:
    if outbox.sending.api_key_error:
        return "unsent: API key needed"
    if outbox.sending.is_service_away:
        return "unsent: no service"
    return "on the way" if outbox.sending.waiting_for is None else "unsent: adds wait"
