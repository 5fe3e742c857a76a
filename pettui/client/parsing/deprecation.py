"""Deprecation, Sunset and Link headers, and what the interface announces → Notice."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from pettui.client.http_messages import ANNOUNCED, Notice
from pettui.client.parsing.http_dates import http_date
from pettui.client.parsing.links import first_target, links

if TYPE_CHECKING:
    from collections.abc import Sequence

_STRUCTURED_DATE: Final = re.compile(r"@(-?\d{1,15})\s*(;.*)?", re.ASCII | re.DOTALL)


def notices(operation: str, headers: Sequence[tuple[str, str]]) -> tuple[Notice, ...]:
    """Return the notice of a response, or none.

    What the headers do not state is what the interface announces, if it does. A header that is
    malformed, or there twice with different values, states nothing.

    Args:
        operation: the interface's name, "getPet".
        headers: the response's, with their names in lower case.
    """
    announced = ANNOUNCED if operation == ANNOUNCED.operation else None
    stated = _stated(operation, headers)
    if stated is None:
        return () if announced is None else (announced,)
    if announced is None:
        return (stated,)
    return (
        Notice(
            operation,
            stated.since,
            stated.sunset or announced.sunset,
            _replacement(stated, announced),
            announced=False,
            more=stated.more,
        ),
    )


def _replacement(stated: Notice, announced: Notice) -> str | None:
    """Return the stated successor; where it is the announced one, in the announcement's words."""
    target = stated.replacement
    is_announced = target is None or _path(target).endswith("/v1/pets")
    return announced.replacement if is_announced else target


def _path(target: str) -> str:
    """Return the path that a link leads to; "" where it is no address."""
    try:
        return urlsplit(target).path
    except ValueError:  # [::1, say
        return ""


def _stated(operation: str, headers: Sequence[tuple[str, str]]) -> Notice | None:
    deprecation, sunset = _only(headers, "deprecation"), _only(headers, "sunset")
    if not (deprecation or sunset):  # as in nearly every response
        return None
    since = deprecated_since(deprecation)
    end = http_date(sunset)
    if since is None and end is None and not _is_true(deprecation):
        return None
    found = links(value for name, value in headers if name == "link")
    return Notice(
        operation,
        since,
        None if end is None else end.date(),
        first_target(found, "successor-version") or None,
        announced=False,
        more=first_target(found, "deprecation") or first_target(found, "sunset") or None,
    )


def deprecated_since(value: str) -> date | None:
    """Return the date of a Deprecation header: RFC 9745's ``@1688169599``, or a draft's date."""
    found = _STRUCTURED_DATE.fullmatch(value)
    if found is None:
        old_form = http_date(value)
        return None if old_form is None else old_form.date()
    try:
        return datetime.fromtimestamp(int(found[1]), UTC).date()
    except (ValueError, OverflowError, OSError):  # beyond the years that a date can hold
        return None


def _is_true(value: str) -> bool:
    """Whether it is the drafts' ``true`` or RFC 8941's ``?1``: deprecated, without a date."""
    return value.lower() in ("true", "?1")


def _only(headers: Sequence[tuple[str, str]], wanted: str) -> str:
    values = {value.strip() for name, value in headers if name == wanted}
    return values.pop() if len(values) == 1 else ""
