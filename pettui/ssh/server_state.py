"""ServerState: what all connections and sessions of one process have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pettui.ssh.apps.app_pool import AppPool
from pettui.ssh.apps.gc_schedule import GcSchedule
from pettui.ssh.limits import Logins

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    import asyncssh

    from pettui.ssh.apps.dependencies import OpenDependencies, User
    from pettui.ssh.apps.sharing import Sharing
    from pettui.ssh.authorized_keys import AuthorizedKeys
    from pettui.ssh.event_log import EventLog
    from pettui.ssh.limits import Places
    from pettui.ssh.options import SshOptions

STOPPING = "the server stops; come again in a moment"


class Endable(Protocol):
    """A session, as its server sees it."""

    def end(self, reason: str, message: str = ...) -> None:
        """End it soon, for a reason that is logged, with a message for its user."""
        ...


@dataclass(slots=True)
class ServerState:
    """What all connections and sessions of one process have in common."""

    options: SshOptions
    open_parts: OpenDependencies
    tell_of_bug: Callable[[BaseException], None]
    journal: EventLog
    places: Places
    worker: int  # which process of the server this is, from 0
    sharing: Sharing
    keys: AuthorizedKeys | None  # None: anybody may come in
    logins: Logins = field(init=False)
    apps: AppPool = field(init=False)
    rest: GcSchedule = field(default_factory=GcSchedule)
    connections: set[asyncssh.SSHServerConnection] = field(default_factory=set)
    sessions: dict[asyncio.Task[None], Endable] = field(default_factory=dict)
    is_closing: bool = False

    def __post_init__(self) -> None:
        """Begin with nobody."""
        self.logins = Logins(self.options)
        self.apps = AppPool(self.sharing, self.open_parts, self.rest, self.tell_of_bug)

    def began(self, session: Endable, task: asyncio.Task[None]) -> None:
        """Take note of a session until its task ends."""
        self.sessions[task] = session
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.sessions.pop(task, None)
        self.rest.session_ended()
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.tell_of_bug(error)

    def take_place(self, person: User) -> str | None:
        """Take a place for a session; gives why there is none."""
        return STOPPING if self.is_closing else self.places.take(self.worker, person.address)

    def leave_place(self, person: User) -> None:
        """Give it back."""
        self.places.leave(self.worker, person.address)
