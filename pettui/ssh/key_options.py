"""The options before a public key, which are refused unless they are fully understood.

See sshd(8), AUTHORIZED_KEYS FILE FORMAT. ``from`` and ``expiry-time`` are applied. What
``restrict`` and ``no-…`` forbid is never allowed here, except for a terminal (``no-pty``). An
option that would replace the app (``command``) is not supported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_network

_OPTION = re.compile(r'([A-Za-z0-9-]+)(?:="((?:[^"\\]|\\.)*)")?')
_FORWARDING = {"agent-forwarding", "port-forwarding", "x11-forwarding", "user-rc", "pty"}
_FLAGS = {"restrict", "no-touch-required", *_FORWARDING, *(f"no-{name}" for name in _FORWARDING)}
_ONCE = {"from", "expiry-time"}
_VALUED = {*_ONCE, "permitopen", "permitlisten", "environment"}
_ADDRESS_PATTERN = re.compile(r"!?[0-9A-Fa-f:.*?]+(/[0-9]{1,3})?")
_EXPIRY = re.compile(r"([0-9]{8})(?:([0-9]{4})([0-9]{2})?)?(Z)?")

NO_TIME = "option expiry-time has no valid time"


class UnknownOption(ValueError):
    """An option that is not understood or not supported."""


@dataclass(frozen=True, slots=True)
class KeyOptions:
    """The options of one line."""

    addresses: str | None  # the pattern list of ``from``
    expiry: datetime | None
    may_draw: bool  # without no-pty and restrict


def key_options(text: str) -> tuple[KeyOptions, str]:
    """Return the options at the start of a line, and the rest of the line.

    Raises:
        UnknownOption: they are not fully understood.
    """
    values: dict[str, str] = {}
    may_draw = True
    index = 0
    while index == 0 or text[index - 1] == ",":
        match = _OPTION.match(text, index)
        if match is None:
            raise UnknownOption("its options are malformed")
        name, value = match[1].lower(), match[2]
        _check(name, value, values)
        values[name] = value or ""
        if name in ("pty", "no-pty", "restrict"):  # the last one counts
            may_draw = name == "pty"
        index = match.end() + 1
    if text[index - 1 : index].strip(" \t"):
        raise UnknownOption("its options are malformed")
    addresses, expiry = values.get("from"), values.get("expiry-time")
    if addresses is not None:
        _check_addresses(addresses)
    time = None if expiry is None else _time(expiry)
    return KeyOptions(addresses, time, may_draw), text[index:].lstrip(" \t")


def _check(name: str, value: str | None, before: dict[str, str]) -> None:
    if name not in _FLAGS | _VALUED:
        raise UnknownOption(f"option {name[:40]} is not supported")
    if (value is None) is (name in _VALUED):
        raise UnknownOption(f"option {name} {'needs a' if value is None else 'takes no'} value")
    if name in _ONCE and name in before:
        raise UnknownOption(f"option {name} is given twice")


def _check_addresses(patterns: str) -> None:
    """Check that each pattern is of addresses, since host names are not looked up."""
    for pattern in patterns.split(","):
        match = _ADDRESS_PATTERN.fullmatch(pattern)
        try:
            if match is not None and match[1]:
                ip_network(pattern.removeprefix("!"))
        except ValueError:
            match = None
        if match is None:
            raise UnknownOption("option from has a pattern that is not an address")


def _time(text: str) -> datetime:
    """Parse YYYYMMDD[HHMM[SS]][Z]; without the Z it is in the server's time zone."""
    match = _EXPIRY.fullmatch(text)
    if match is None:
        raise UnknownOption(NO_TIME)
    digits = f"{match[1]}{match[2] or '0000'}{match[3] or '00'}"
    try:
        time = datetime.strptime(digits, "%Y%m%d%H%M%S")  # noqa: DTZ007 - its zone follows
        return time.replace(tzinfo=UTC) if match[4] else time.astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise UnknownOption(NO_TIME) from error
