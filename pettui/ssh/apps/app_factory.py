"""AppFactory: where the apps come from that are served; this room knows nothing of what they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.client_terminal import ClientTerminal

AppT = TypeVar("AppT", bound="ServedApp[Any]")


@dataclass(frozen=True, slots=True)
class User:
    """Who logged in."""

    name: str  # the comment of the key, or else the user name; raw text from outside
    address: str  # where the connection comes from
    fingerprint: str | None = None  # of the key, "SHA256:…"; None where anybody may log in


class AppFactory(Protocol[AppT]):
    """Makes the apps of one process, and closes what they are made of."""

    @property
    def can_prepare(self) -> bool:
        """Whether apps may run before anybody has logged in: all users get the same."""
        ...

    def prepare(self, terminal: ClientTerminal) -> AppT:
        """Return an app for nobody yet, for terminals of this one's kind. It is run at once."""
        ...

    def claim(self, user: User, terminal: ClientTerminal, prepared: AppT | None) -> AppT:
        """Return a user's app: the one that was prepared, which runs; or a new one.

        Args:
            user: whose it is from now on.
            terminal: that it is drawn on. Its characters are those that the app was prepared for;
                its size and its colours may differ.
            prepared: None where none was ready.
        """
        ...

    def restarts(self, app: AppT) -> bool:
        """Whether an app that was asked to end is followed by another one, as at the start."""
        ...

    def farewell(self, app: AppT) -> str:
        """Return what the user of an app that has ended is told in a raw line; "" for nothing."""
        ...

    async def close(self, app: AppT) -> None:
        """Close what an app is made of, once it has ended; also one that nobody claimed."""
        ...
