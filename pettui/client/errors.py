"""What can go wrong with a call, as one tree.

::

    PetClientError
    ├── NoKeyError               nothing was sent: there is no API key yet
    ├── NoAnswerError            nothing came back: which step failed, on which address
    ├── ErrorBodyError           the interface's Error: code, message, status
    ├── NoErrorBodyError         neither a success nor an Error body
    ├── UnreadableAnswerError    a success whose body is not the interface's
    └── IncompleteListError      all pages were asked for, and one that is linked is not followed

Every call of ``PetClient`` returns or raises one of the six. ``str(error)`` is one line, without
the key, not yet made safe to draw: its parts may come from outside.
"""

from __future__ import annotations

import copyreg
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.client.requests import Notice  # noqa: TC001
from pettui.models.pets import ErrorBody  # noqa: TC001

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping
    from datetime import date


@dataclass(eq=False, kw_only=True)
class PetClientError(Exception):
    """A call without a response of the interface; not changed once it is raised."""

    status: int | None = None  # of HTTP; None where nothing came back
    excerpt: str = ""  # of a body that is not the interface's, as text, to be shown
    notices: tuple[Notice, ...] = ()  # of the response's own headers, on an error too
    maybe_sent: bool = False  # an add may have been carried out
    transient: bool = False  # may succeed if it is tried again
    retry_after: float | None = None  # seconds that the service asks to wait (RFC 9110, 10.2.3)
    store_id: str | None = None  # of the store that says so of this key; see ``promised_store``

    @property
    def title(self) -> str:
        """What it is, in few words; raw, as ``str(error)``."""
        return "Unexpected response"

    @property
    def is_unauthorized(self) -> bool:
        """Whether another API key would help (401)."""
        return self.status == 401

    def __reduce__(self) -> tuple[Any, ...]:
        """Have copies and pickles take the fields; those of exceptions call the class anew."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


@dataclass(eq=False)
class NoKeyError(PetClientError):
    """Nothing was sent, since there is no API key yet: for the caller as if it was refused."""

    reason: str  # "PETTUI_API_KEY: is not set in the environment …"
    status: int | None = field(default=401, kw_only=True)

    @property
    def title(self) -> str:
        return "No API key"

    def __str__(self) -> str:
        return self.reason


@dataclass(eq=False)
class NoAnswerError(PetClientError):
    """Nothing came back from the service."""

    step: str  # "connect to", "send to", "read from" …
    address: str  # host:port, without user name or path
    reason: str  # "connection refused", "timed out after 10 s" …

    @property
    def title(self) -> str:
        return "No response"

    def __str__(self) -> str:
        return f"cannot {self.step} {self.address}: {self.reason}"


@dataclass(eq=False)
class ErrorBodyError(PetClientError):
    """The service refused, with an Error body; ``status`` is the HTTP status.

    The body's own ``status`` is what its sender claims, or the HTTP status where it claims none.
    """

    status: int = field()  # positional, and always there
    body: ErrorBody

    @property
    def title(self) -> str:
        return refusal_title(self.status, self.body.code)

    def __str__(self) -> str:
        return f"{self.status} {self.body.code}: {self.body.message}"


def refusal_title(status: int | None, code: str) -> str:
    """Return what is said of what a service refused, in this session or before: "400 code"."""
    return f"{status or ''} {code}".strip()


TOO_MANY: Final = 429
UNAVAILABLE: Final = 503

# A proxy before the service answers so, without the interface's body, which is no fault of either.
_OF_A_PROXY: Final[Mapping[int, tuple[str, str]]] = MappingProxyType(
    {
        TOO_MANY: ("too many requests", "the service, or a proxy before it, asks to wait"),
        UNAVAILABLE: ("unavailable", "the service, or a proxy before it, is away or has no room"),
    }
)


@dataclass(eq=False)
class NoErrorBodyError(PetClientError):
    """A response that is neither a success nor an Error body: a proxy's page, say."""

    status: int = field()
    content: str  # what was received instead: "text/html, 1.2 kB"

    @property
    def title(self) -> str:
        if self.status in _OF_A_PROXY:
            return f"{self.status} {_OF_A_PROXY[self.status][0]}"
        return "No Error body"

    def __str__(self) -> str:
        if self.status in _OF_A_PROXY:
            return f"{self.title}: {_OF_A_PROXY[self.status][1]} ({self.content})"
        return f"{self.status} from the service, no Error body: {self.content}"


@dataclass(eq=False)
class UnreadableAnswerError(PetClientError):
    """A success whose body is not what the interface states."""

    status: int = field()
    reason: str  # "expected a list, got an object" …
    maybe_sent: bool = field(default=True, kw_only=True)

    def __str__(self) -> str:
        return f"{self.status} from the service, but not its interface: {self.reason}"


@dataclass(eq=False)
class IncompleteListError(PetClientError):
    """The pages before it have come."""

    reason: str  # "the service links its next page to http://other.example: not followed" …

    def __str__(self) -> str:
        return f"the list is incomplete: {self.reason}"


_MAYBE_SENT: Final = "maybe_sent"


def note_maybe_sent(error: asyncio.CancelledError) -> None:
    """Note on what ends a call that an add may have been carried out; see ``maybe_sent``."""
    vars(error)[_MAYBE_SENT] = True


def maybe_sent(error: BaseException) -> bool:
    """Whether an add may have been carried out although its call raised this.

    Also of a call that was cancelled: the ``CancelledError``, or the ``TimeoutError`` that
    ``asyncio.timeout`` and ``wait_for`` make of it.
    """
    current: BaseException | None = error
    while current is not None:
        if getattr(current, _MAYBE_SENT, False):
            return True
        current = current.__cause__
    return False


NOT_FOUND: Final = 404
_GONE: Final = (405, 410, 501)  # for an operation that is no longer served


def is_gone(error: PetClientError, today: date) -> bool:
    """Whether getPet itself is gone; after its removal date a 404 means that too."""
    if not isinstance(error, ErrorBodyError | NoErrorBodyError):
        return False
    if error.status in _GONE:
        return True
    is_past = any(notice.sunset and notice.sunset <= today for notice in error.notices)
    return error.status == NOT_FOUND and is_past
