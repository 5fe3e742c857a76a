"""The audit: a line of the log for each animal that users over SSH had added, or refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pettui.outbox.entries import Author

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.outbox.receipts import Audit, Certain
    from pettui.system.logs import EventLog, Field

TEXT_LOGGED = 120  # characters of what comes from outside


def author_of(who: Mapping[str, Field]) -> Author:
    """Return who types, of what a session's events say."""
    return Author(**{name: who.get(name) for name in Author._fields})  # type: ignore[arg-type]


def audit_log(log: EventLog, profile: str) -> Audit:
    """Return what writes the audit of a profile to a log; ``docs/logs.md`` has the fields.

    A name of an animal is in none of them, and neither is the service's message, which may quote
    one. There is no bound on the lines: each is an animal's. One is out of the process before the
    outbox keeps what it says, so that none is lost with that.
    """

    def write(certain: Certain) -> None:
        author = certain.author or Author()
        who = {name: _cut(value) for name, value in author._asdict().items()}
        if author.account is None:  # as the session's own events say it
            del who["account"]
        about: dict[str, Field] = {
            "profile": profile,
            "entry": certain.entry_id,
            "source": certain.source.value,
            "typed": datetime.fromtimestamp(certain.typed_at, UTC).isoformat(
                timespec="milliseconds"
            ),
        }
        if certain.pet_id is None:
            refused: dict[str, Field] = {"status": certain.status, "reason": _cut(certain.code)}
            log.write_now("animal refused", {**who, **about, **refused})
            return
        if certain.decided_by is not None:
            about["decided"] = certain.decided_by.session
        log.write_now("animal added", {**who, **about, "id": certain.pet_id})

    return write


def _cut(value: Field) -> Field:
    return value[:TEXT_LOGGED] if isinstance(value, str) else value
