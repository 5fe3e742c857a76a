"""What a session's app is made of, and who makes it: this room knows no store and no service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.client import PetClient
    from pettui.outbox import Outbox
    from pettui.settings import Settings
    from pettui.ssh.client_terminal import ClientTerminal


@dataclass(frozen=True, slots=True)
class User:
    """Who came in."""

    name: str  # the comment of the key, or else the user name; raw text from outside
    address: str  # where the connection comes from
    fingerprint: str | None = None  # of the key, "SHA256:…"; None where anybody may come in

    @property
    def owner(self) -> str:
        """Give what the outbox knows this person by."""
        return f"ssh {self.fingerprint or 'anybody'}"


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A client, settings and an outbox for one session."""

    client: PetClient
    settings: Settings
    outbox: Outbox
    is_demo: bool
    shown_name: str  # in the header; "" in a demo, where everybody is alone
    close: Callable[[], Awaitable[None]]  # after the app has ended


class OpenDependencies(Protocol):
    """Makes the parts of a session."""

    def __call__(self, person: User, terminal: ClientTerminal) -> Dependencies:
        """Open what a person's app needs."""
        ...
