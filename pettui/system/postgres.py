"""PostgreSQL, for whatever keeps something there: addresses, and what a failure means.

It imports psycopg, an extra; who imports this does so once an address names PostgreSQL.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from psycopg import OperationalError, ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

if TYPE_CHECKING:
    from collections.abc import Mapping

SHAPE: Final = (
    "the database's address must look like postgresql://USER:PASSWORD@HOST:PORT/NAME,"
    " with %-escapes in each part"
)
# A server that vanishes without closing its connections is noticed in seconds, not in two hours.
UNREACHABLE: Final = "unreachable"
READ_ONLY: Final = "read-only"
KINDS: Final[Mapping[str, str]] = MappingProxyType(  # of what a server refuses, by SQLSTATE
    {
        "25006": READ_ONLY,
        "42501": "no right",
        "53100": "full",
        "55P03": "locked",
        "57014": "locked",  # a statement took too long
    }
)
# A condition that is true, and makes a commit wait for the disk whatever the server's default. It
# holds for its transaction alone: a pooler gives the connection to another program afterwards.
COMMITS_TO_DISK: Final = """
    (SELECT count(set_config('synchronous_commit', 'on', true))
        FROM current_setting('synchronous_commit') AS setting WHERE setting = 'off') >= 0
"""
_SECONDS: Final = {"connect_timeout": 3, "keepalives_idle": 5, "keepalives_interval": 2}


def checked_address(address: str) -> str:
    """Return an address with time-outs added where it sets none.

    Raises:
        ValueError: it is malformed. libpq's own message is not shown: it may quote a password.
    """
    try:
        given = conninfo_to_dict(address)
        if " " in address or _is_password_cut(given):  # an older libpq accepts spaces
            raise ValueError(SHAPE)
        return make_conninfo("", **{"application_name": "pettui", **_SECONDS, **given})
    except (ProgrammingError, UnicodeError):
        raise ValueError(SHAPE) from None


def _is_password_cut(given: Mapping[str, Any]) -> bool:
    """Whether a part of an unescaped password became host, port or database name.

    libpq ends it at the first ``@`` or ``/``, and shows what follows in its messages.
    """
    host, port, name = (str(given.get(part, "")) for part in ("host", "port", "dbname"))
    return "@" in host + port + name or re.fullmatch(r"[0-9,]*", port, re.ASCII) is None


def has_password(address: str) -> bool:
    """Whether a checked address has a password in it."""
    return bool(conninfo_to_dict(address).get("password"))


def with_password_of(address: str, other: str) -> str:
    """Return an address with the password of another one, if that is the same but for it."""
    parts, others = conninfo_to_dict(address), conninfo_to_dict(other)
    password = others.pop("password", None)
    if password is None or not parts.items() <= others.items():
        return address
    return make_conninfo(address, password=password)


def shown(address: str) -> str:
    """Return the name and host of a database, without user and password."""
    parts = conninfo_to_dict(address)
    return f"{parts.get('dbname', '')} on {parts.get('host', 'this machine')}"


def reason_of(error: Exception) -> str:
    """Return why a database could not be used, in the first line of its own words."""
    if isinstance(error, UnicodeError):  # a part of the host name is empty or too long
        return "no such host"
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def kind_of(error: Exception) -> str:
    """Return why a database could not be used, in a word: one of KINDS, UNREACHABLE, or "other"."""
    state = getattr(error, "sqlstate", None)
    return UNREACHABLE if state is None else KINDS.get(state, "other")


def is_away(error: Exception) -> bool:
    """Whether a database was not reached, whatever kept it, or was lost again.

    psycopg knows no SQLSTATE of a failed connection, not even if the server said one.
    """
    if not isinstance(error, OperationalError):
        return False
    return error.sqlstate is None or error.sqlstate[:2] in {"08", "53", "57"}
