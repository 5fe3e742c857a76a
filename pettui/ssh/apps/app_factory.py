"""AppFactory: creates the apps that are served; this package does not know what they do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.system.logs import Field
    from pettui.terminal.client_terminal import ClientTerminal

LOGIN_MAXIMUM = 80  # characters of a user name that are logged
GOOD = "ok"  # what a look says of a part that can be used

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
    account: str | None = None  # that the key's line in the file of keys names, if it does …
    account_keys: frozenset[str] = frozenset()  # … and the fingerprints of all keys of it there

    @property
    def name(self) -> str:
        """What the user is called."""
        return self.account or self.key or self.login

    @property
    def fields(self) -> dict[str, Field]:
        """Who it is, as the log says it."""
        return {
            "address": self.address,
            "user": self.login[:LOGIN_MAXIMUM],
            "key": self.key,
            "fingerprint": self.fingerprint,
            **({"account": self.account} if self.account else {}),
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


@dataclass(frozen=True, slots=True)
class Watched:
    """What is looked at, by its names: they are in metrics, and no text from outside is."""

    # What apps need, and why each can't be used.
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)  # what each counts


@dataclass(frozen=True, slots=True)
class Look:
    """What a worker found."""

    parts: Mapping[str, str] = field(default_factory=dict)  # GOOD, or a reason
    numbers: Mapping[str, float] = field(default_factory=dict)  # nan for one that is not known


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

    async def look(self) -> Look:
        """Look at what the apps depend on; see ``Hooks.watched``. It takes two seconds at most."""
        return Look()

    def farewell(self, app: AppT) -> str:  # noqa: ARG002
        """Return a line to show once an app has ended; "" for none."""
        return ""

    def read_again(self) -> None:
        """Read what may have changed: somebody asked for it (SIGHUP)."""

    def drain(self) -> None:
        """Learn that the process ends once its last session has, and that nobody else comes."""

    async def close(self, app: AppT) -> None:
        """Close an app's resources once it has ended, even if it was never claimed."""
