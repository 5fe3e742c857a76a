"""The texts that several screens say: what the outbox holds, and why it waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import Entry, EntryState
from pettui.outbox.owners import ON_THE_WAY
from pettui.text.amounts import seconds_text, size_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pettui.appearance.glyphs import GlyphSet
    from pettui.outbox.outbox import Outbox
    from pettui.transfer.open_imports import OpenImport


LIST: Final = "list"  # the nouns of screens, as every text has them
FORM: Final = "form"
OUTBOX: Final = "outbox"
RECEIPT: Final = "receipt"
RECEIPT_NOT_READ: Final = f"The {RECEIPT} can't be read"
ALLOWED = ", if this terminal allows it"  # after "copied …"


def too_long(size: int, maximum: int) -> str:
    """Return why a paste was refused; both sizes are in bytes."""
    return f"{size_text(size)} is too long: at most {size_text(maximum)} at once"


def adds_wait_texts(outbox: Outbox) -> tuple[str, str] | None:
    """Return how long entries wait though the service responds, and shorter; None if they do not.

    They do after lost responses, so that few of them become unknown, and when it asks for that.
    """
    seconds = outbox.sending.adds_wait
    if not seconds or not any(entry.waits_here for entry in outbox.entries):
        return None
    short = f"adds wait {seconds_text(seconds)}"
    why = "too many requests" if outbox.sending.is_too_fast else "the service answers"
    return f"{why}, {short}", short


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
    return f"too late: {entry.label} was sent, and is {entry.state.value}; see the {OUTBOX}"


SERVICE_IS_BACK = "the service is back"


def counts_of(outbox: Outbox, added: int = 0) -> tuple[str, ...]:
    """Return the status line's right side: what has no answer yet, and what this session added."""
    on_the_way = [entry.is_sent_again for entry in outbox.entries if entry.state in ON_THE_WAY]
    again = on_the_way.count(True)
    why = _why_adds_wait(outbox) if on_the_way else ""
    unsent = len(on_the_way) - again
    texts = []
    if unsent:
        texts.append(f"{unsent} unsent: {why}" if why else f"{unsent} on the way")
    if again:
        texts.append(f"{again} unanswered: {why}" if why else f"{again} unanswered")
    if added:
        texts.append(f"added this session: {added}")
    return tuple(texts)


def undecided_texts(
    glyphs: GlyphSet, outbox: Outbox, imports: Sequence[OpenImport] = ()
) -> tuple[str, str]:
    """Return how many entries were refused and are unknown, and the same for less room.

    So are lines of imports that were left.
    """
    # Counted in a list, by identity: an enum's hash is slow.
    states = [entry.state for entry in outbox.entries]
    counts = {state: states.count(state) for state in (EntryState.REFUSED, EntryState.UNKNOWN)}
    parts = counts_by_state(counts)
    if lines := sum(each.lines for each in imports):
        parts.append(f"import: {lines:,} open")
    text = f" {glyphs.dot} ".join(parts)
    return text, f"{sum(counts.values()) + lines:,} to decide" if len(parts) > 1 else text


def counts_by_state(counts: Mapping[EntryState, int]) -> list[str]:
    """Return what an outbox that is not open here holds; what waits for a decision comes first."""
    parts = (
        (counts.get(EntryState.REFUSED, 0), "refused"),
        (counts.get(EntryState.UNKNOWN, 0), "unknown"),
        (counts.get(EntryState.SENDING, 0), "unanswered"),
        (counts.get(EntryState.WAITING, 0), "unsent"),
    )
    return [f"{count:,} {what}" for count, what in parts if count]


def _why_adds_wait(outbox: Outbox) -> str:
    if outbox.sending.api_key_error or any(map(outbox.waits_for_own_key, outbox.entries)):
        return "API key needed"
    if outbox.sending.is_service_away:
        return "no service"
    return "" if outbox.sending.waiting_for is None else "adds wait"
