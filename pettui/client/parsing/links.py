"""The Link header (RFC 8288, section 3) → links. Malformed ones are left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_TARGET: Final = re.compile(r"[\s,]*+<([^<>]*+)>")
_PARAMETER: Final = re.compile(
    r'\s*+;\s*+(?P<name>[^\s;,="<>]++)\s*+'
    r'(?:=\s*+(?:"(?P<quoted>[^"\\]*+(?:\\.[^"\\]*+)*+)"|(?P<token>[^\s;,"]*+)))?'
)
_END: Final = re.compile(r"[\s;]*+(?:,|$)")


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a header, as it was written."""

    target: str  # absolute or relative
    relations: frozenset[str]  # in lower case: "next", "successor-version"
    anchor: str | None = None  # the resource that the link is of, if not the response's own


def links(values: Iterable[str]) -> tuple[Link, ...]:
    """Return the links of all Link headers of one response, in order."""
    return tuple(link for value in values for link in _links(value))


def first_target(found: Iterable[Link], relation: str) -> str | None:
    """Return the target of the first link of a relation, of those of the response itself."""
    for link in found:
        if relation in link.relations and link.anchor is None:
            return link.target
    return None


def _links(value: str) -> Iterator[Link]:
    position = 0
    while match := _TARGET.match(value, position):
        parameters, position = _parameters(value, match.end())
        end = _END.match(value, position)
        if end is None:  # what follows can't be parsed
            return
        position = end.end()
        relations = frozenset(parameters.get("rel", "").lower().split())
        yield Link(match[1].strip(), relations, parameters.get("anchor"))


def _parameters(value: str, position: int) -> tuple[Mapping[str, str], int]:
    """Return a link's parameters, of which the first of a name counts, and where they end."""
    parameters: dict[str, str] = {}
    while match := _PARAMETER.match(value, position):
        quoted = match["quoted"]
        content = match["token"] or "" if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        parameters.setdefault(match["name"].lower(), content)
        position = match.end()
    return parameters, position
