"""AppFactory: creates the apps that are served; this package does not know what they do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.system.logs import Field

LOGIN_MAXIMUM = 80  # characters of a user name that are logged

AppT = TypeVar("AppT", bound="ServedApp[Any]")


@dataclass(frozen=True, slots=True)
class User:
    """Who logged in."""

    login: str  # the user name of the client; raw text from outside
    address: str  # of the client
    fingerprint: str | None = None  # of the key, "SHA256:…"; None if anyone may log in
    key: str | None = None  # the comment of the key in the file of keys, if it has one
    public_key: str | None = None  # as in a file of keys, "ssh-ed25519 AAAA…"
    command: str = ""  # what followed the host, if the app takes it; raw text from outside
    # What of ``accept_env`` the client sent; raw text from outside.
    environment: Mapping[str, str] = field(default_factory=dict, compare=False)
    # What ``authorize`` found out of them; perhaps nothing to be shown.
    data: Any = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """What the user is called."""
        return self.key or self.login

    @property
    def fields(self) -> dict[str, Field]:
        """Who it is, as the log says it."""
        return {
            "address": self.address,
            "user": self.login[:LOGIN_MAXIMUM],
            "key": self.key,
            "fingerprint": self.fingerprint,
        }


@dataclass(frozen=True, slots=True)
class Admitted:
    """An answer of ``authorize``: the user may log in, and is known."""

    data: Any = None  # is ``User.data`` of their app


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer of ``authorize``: the user may not log in, for a reason that they read."""

    reason: str  # is sent only to who has proved to have the key


Answer = bool | Admitted | Refused
Authorize = Callable[[User], Answer | Awaitable[Answer]]
"""Returns whether a user may log in, or is a coroutine that does."""


class AppFactory(ABC, Generic[AppT]):
    """Creates the apps of one process, and closes their resources."""

    can_prepare = False  # whether apps may run before a user has logged in: all get the same

    def prepare(self, terminal: ClientTerminal) -> AppT:
        """Return an app without a user, for terminals like this one. It is run at once."""
        raise NotImplementedError

    def fit(self, prepared: AppT, terminal: ClientTerminal) -> None:
        """Prepare a running app for this terminal, which has the characters of the one before."""

    @abstractmethod
    def claim(self, user: User, terminal: ClientTerminal, prepared: AppT | None) -> AppT:
        """Return a user's app: the prepared one, which is running, or a new one.

        Args:
            user: its user from now on.
            terminal: to draw on. Its characters are those that the app was prepared for;
                its size and colours may differ.
            prepared: None if none was ready.
        """

    def restarts(self, app: AppT) -> bool:  # noqa: ARG002
        """Whether an app that ends is followed by a new one."""
        return False

    def farewell(self, app: AppT) -> str:  # noqa: ARG002
        """Return a line to show once an app has ended; "" for none."""
        return ""

    def drain(self) -> None:
        """Learn that the process ends once its last session has, and that nobody else comes."""

    async def close(self, app: AppT) -> None:
        """Close an app's resources once it has ended, even if it was never claimed."""
