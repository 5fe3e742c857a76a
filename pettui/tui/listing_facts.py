"""A listing → the plain facts that the status line and the empty table tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox.entries import EntryState
from pettui.tui.listing import Mark
from pettui.tui.notices import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from pettui.client import Notice
    from pettui.outbox.outbox import Outbox
    from pettui.tui.listing import Listing, Question
    from pettui.tui.look import Look
    from pettui.tui.session import Session
    from pettui.tui.widgets.drawn import Run


def question_text(question: Question, *, has_pages: bool) -> str:
    """Say what is asked for."""
    if has_pages:
        return "asking for the next page"
    return f"asking for {question.status or 'all'} animals"


def facts_of(
    look: Look,
    question: Question,
    listing: Listing | None,
    *,
    waiting_for: str,
    remark: str,
    is_stale: bool,
    more_key: str,
) -> tuple[Run, ...]:
    """Give the status line's left side, the most pressing first."""
    facts: list[Run] = []
    if waiting_for:
        facts.append((waiting_for, "accent"))
    if remark:
        facts.append((remark, "notice"))
    if listing is not None:
        facts += _shown(question, listing, more_key, is_stale=is_stale)
        facts += [] if is_stale else _differences(look, listing)
    elif not waiting_for and is_stale:
        facts.append(("nothing to show yet", "muted"))
    separator: Run = (f" {look.dot} ", "muted")
    joined = [run for fact in facts for run in (separator, fact)]
    return tuple(joined[1:])


def _shown(question: Question, listing: Listing, more_key: str, *, is_stale: bool) -> list[Run]:
    facts: list[Run] = []
    if is_stale:
        what = listing.question.status or "all"
        facts.append((f"{what} as of {listing.answered_at:%H:%M:%S}", "notice"))
    facts.append((f"{len(listing.rows)} shown", "strong"))
    if listing.is_at_maximum:
        facts.append(("no more than 100 of one list; status filters reach further", "notice"))
        return facts
    facts.append((f"limit {question.limit}", "muted"))
    if listing.has_next_link or listing.larger_limit(question.limit) is not None:
        facts.append((f"{more_key}: more", "muted"))
    return facts


def _differences(look: Look, listing: Listing) -> list[Run]:
    beyond = max(len(listing.pages[0].pets) - listing.question.limit, 0)
    return [
        (f"{count} {what}", style)
        for count, what, style in (
            (listing.count(Mark.NEW), f"{look.new} new", "good"),
            (listing.count(Mark.CHANGED), f"{look.changed} changed", "changed"),
            (listing.unreadable, "unreadable", "error"),
            (listing.strangers, "of another status than asked for", "notice"),
            (beyond, "more than asked for", "notice"),
        )
        if count
    ]


def counts_of(session: Session) -> tuple[str, ...]:
    """Give the status line's right side: what is on its way, what went wrong, what was added."""
    outbox = session.outbox
    states = [entry.state for entry in outbox.entries]
    parts = []
    out = states.count(EntryState.WAITING) + states.count(EntryState.SENDING)
    for count, what in (
        (out, _way(outbox)),
        (states.count(EntryState.REFUSED), "refused"),
        (states.count(EntryState.UNKNOWN), "unknown"),
    ):
        if count:
            parts.append(f"{count} {what}")
    if session.added:
        parts.append(f"added this session: {session.added}")
    return tuple(parts)


def _way(outbox: Outbox) -> str:
    if outbox.needs_key:
        return "to send: another key is needed"
    return "on the way" if outbox.waiting_for is None else "to send: no service"


def empty_text(listing: Listing | None, failed: bool) -> str:
    """Say why there are no rows, and what to press (keys by the names of their bindings)."""
    if listing is None:
        return "Nothing came. {refresh} asks again." if failed else ""
    status = listing.question.status
    return (
        "No animals yet. {add} adds one."
        if status is None
        else f"No {status} animals. {{filter_all}} shows all, {{add}} adds one."
    )


def notices_of(notices: Iterable[Notice], listing: Listing | None, today: date) -> tuple[str, ...]:
    """Give what the newest answer gave notice of, and what is odd about those shown; each once."""
    sentences = [sentence(notice, today) for notice in notices]
    remarks = [remark for page in listing.pages for remark in page.remarks] if listing else []
    return tuple(dict.fromkeys([*sentences, *remarks]))
