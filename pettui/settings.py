"""Settings and profiles as frozen data; ``configuration`` loads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from pettui.api_key import ApiKey, is_bearer_token
from pettui.capabilities import Colours, Glyphs
from pettui.service_addresses import (
    base_address,
    proxy_address,
    service_proxy,
    travels_in_the_clear,
)
from pettui.themes import THEMES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "COLOURS", "LIMIT_BOUNDS", "LIMIT_DEFAULT", "LIMIT_MAXIMUM", "LIMIT_MINIMUM", "LIMIT_VALUES",
    "USER_LIMITS",
    "ApiKey", "Colours", "Glyphs", "Limits", "Profile", "Settings", "StoreKind", "base_address",
    "is_bearer_token", "proxy_address", "service_proxy", "travels_in_the_clear",
]  # fmt: skip

LIMIT_MINIMUM = 1
LIMIT_MAXIMUM = 100
LIMIT_BOUNDS = f"{LIMIT_MINIMUM} to {LIMIT_MAXIMUM}"  # as messages and help say it
LIMIT_DEFAULT = 20

NO_NAMES: Mapping[int, str] = MappingProxyType({})

LIMIT_VALUES: Mapping[str, tuple[float, int]] = MappingProxyType(
    {
        "rows": (1, 1_000_000),
        "deadline": (0.1, 3600),
        "connect": (0.1, 3600),
        "silence": (0.1, 3600),
        "tries": (0, 10),  # the waits between ten take a minute
    }
)
USER_LIMITS = tuple(LIMIT_VALUES)  # those that a file may set


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a response the client accepts, and how long it keeps trying for one.

    Users differ in the first five. The others protect memory and the service: nobody who reaches
    one is helped by a larger number.
    """

    rows: int = 10_000  # animals kept of one list, all its pages; more are only counted
    deadline: float = 20.0  # seconds for one attempt, from connecting to the last byte
    connect: float = 5.0  # seconds to open a connection, TLS included
    silence: float = 10.0  # seconds without a byte, while sending or reading
    tries: int = 3  # retries of a read after a dropped connection, 429, 502, 503 or 504

    body: int = 2_000_000  # bytes of a body, unpacked: the longest list at 20 kB an animal
    values: int = 30_000  # in one body: a parsed value takes 15 times its bytes in memory
    depth: int = 64  # of lists and objects within each other; Python's parser recurses
    digits: int = 400  # of one number: more than any float has, and parsing them is quadratic
    pages: int = 200  # of one list: a service may link pages without end
    redirects: int = 3  # of one call, all within the service's own origin; they may go in circles
    first_wait: float = (
        0.5  # seconds before the second attempt at most; doubled for each that follows
    )
    longest_wait: float = 8.0  # seconds, of those: a clerk waits in front of the screen
    retry_after: float = 30.0  # seconds that a service may ask for; past that the clerk decides
    connections: int = 8  # at once: a session rarely has more than three requests out
    idle: float = 4.0  # seconds that an unused connection is kept; servers drop theirs after 5


class StoreKind(Enum):
    """Where a profile's animals are stored."""

    SERVICE = "service"  # over HTTP, at base_url
    EMBEDDED = "embedded"  # in this process, in a file of the user's
    DEMO = "demo"  # in this process, in memory


@dataclass(frozen=True, slots=True)
class Profile:
    """One store to work with: where it is, and how the header shows it."""

    name: str
    kind: StoreKind
    base_url: str  # ends in /v1; that of an embedded store is never looked up
    api_key: ApiKey
    label: str  # in the header: PRODUCTION, STAGING, DEMO …
    colour: str  # of the label; a name of COLOURS
    database: Path | None = None  # of an embedded store
    # The shop's own names; the interface has none.
    categories: Mapping[int, str] = field(default_factory=lambda: NO_NAMES)
    warnings: tuple[str, ...] = ()  # e.g. that the key travels in the clear
    proxy: str | None = None  # address of an HTTP proxy; for a service over https alone
    missing_key: str = ""  # why there is no API key yet: the app asks for it
    ca_file: Path | None = None  # certificates (PEM) to trust in place of the well-known ones


COLOURS = ("red", "orange", "yellow", "green", "blue", "violet", "grey")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user can set, read once at the start."""

    profile: Profile
    limit: int | None = None  # animals per request; if not set, as many as the screen has rows
    theme: str = THEMES[0].textual_name  # colours; ansi uses the terminal's own
    glyphs: Glyphs = Glyphs.UNICODE  # characters; auto goes by locale and terminal
    has_latin_1: bool = False  # ASCII glyphs, but the letters of Latin-1 in texts
    colours: Colours = Colours.TRUE
    mouse: bool = True  # whether the mouse works; if not, the terminal selects text with it
    keep_list: bool = True  # keep what the list showed for the next start
    watch: float = 10.0  # seconds between refreshes while watching the list
    delay: float = 3.0  # seconds in which F8 can take back an animal before it is sent
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # action → keys
    limits: Limits = Limits()
