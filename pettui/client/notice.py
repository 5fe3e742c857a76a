"""Notice: that an operation of the service is going away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class Notice:
    """That an operation is going away; what is not known is None.

    Source: RFC 9745 (Deprecation), RFC 8594 (Sunset), and the interface's announcement. Dates are
    those of UTC. Texts and addresses come from outside, and are never followed.
    """

    operation: str  # "getPet"
    since: date | None  # deprecated since, or from (a date in the future)
    sunset: date | None  # goes away on
    replacement: str | None  # in words, or the address of the successor-version link
    announced: bool  # by the interface; else by the answer's own headers
    more: str | None = None  # address of the deprecation or sunset link, which tells more
