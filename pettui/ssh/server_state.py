"""ServerState: what all connections and sessions of one process have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pettui.ssh.apps.app_pool import AppPool
from pettui.ssh.apps.gc_schedule import GcSchedule
from pettui.ssh.limits import Logins

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    import asyncssh

    from pettui.ssh.apps.app_factory import AppFactory, User
    from pettui.ssh.apps.shared_resources import SharedResources
    from pettui.ssh.authorized_keys import AuthorizedKeys
    from pettui.ssh.event_log import EventLog
    from pettui.ssh.limits import SessionSlots
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
    factory: AppFactory[Any]
    tell_of_bug: Callable[[BaseException], None]
    event_log: EventLog
    slots: SessionSlots
    worker: int  # which process of the server this is, from 0
    shared: SharedResources
    keys: AuthorizedKeys | None  # None: anybody may log in
    logins: Logins = field(init=False)
    apps: AppPool = field(init=False)
    gc_schedule: GcSchedule = field(default_factory=GcSchedule)
    connections: set[asyncssh.SSHServerConnection] = field(default_factory=set)
    sessions: dict[asyncio.Task[None], Endable] = field(default_factory=dict)
    is_closing: bool = False

    def __post_init__(self) -> None:
        """Begin with nobody."""
        self.logins = Logins(self.options)
        self.apps = AppPool(self.shared, self.factory, self.gc_schedule, self.tell_of_bug)

    def began(self, session: Endable, task: asyncio.Task[None]) -> None:
        """Take note of a session until its task ends."""
        self.sessions[task] = session
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.sessions.pop(task, None)
        self.gc_schedule.session_ended()
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.tell_of_bug(error)

    def take_slot(self, user: User) -> str | None:
        """Take a slot for a session; return why there is none."""
        return STOPPING if self.is_closing else self.slots.take(self.worker, user.address)

    def release_slot(self, user: User) -> None:
        """Release it."""
        self.slots.release(self.worker, user.address)
