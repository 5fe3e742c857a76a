"""ServerState: what the connections and sessions of one process share."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from pettui.ssh.apps.app_pool import AppPool
from pettui.ssh.apps.collecting import GcSchedule
from pettui.ssh.load import Load
from pettui.ssh.logins import Logins

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from pettui.ssh.admission import Session, Slots
    from pettui.ssh.apps.app_factory import AppFactory
    from pettui.ssh.apps.served_app import SharedResources
    from pettui.ssh.asyncssh_internals import ServerConnection
    from pettui.ssh.key_files import AuthorizedKeys
    from pettui.ssh.options import SshOptions
    from pettui.system.logs import EventLog

BUG = "a bug in {} ended this session; please log in again"
CRASHED = "crashed"  # the reason in the log
STOPPING = "the server is stopping; please reconnect in a moment"


@dataclass(slots=True)
class ServerState:
    """What the connections and sessions of one process share."""

    options: SshOptions
    factory: AppFactory[Any]
    report_bug: Callable[..., None]  # of an exception, and the log's fields of whose it is
    event_log: EventLog
    slots: Slots
    shared: SharedResources
    keys: AuthorizedKeys | None  # None: anyone can log in
    load: Load = field(default_factory=Load)
    logins: Logins = field(default_factory=Logins)
    apps: AppPool = field(init=False)
    gc_schedule: GcSchedule = field(default_factory=GcSchedule)
    accepted: WeakSet[asyncio.Protocol] = field(default_factory=WeakSet)  # not in connections yet
    without_header: dict[asyncio.Protocol, None] = field(default_factory=dict)  # by arrival
    connections: set[ServerConnection] = field(default_factory=set)
    connection_count: int = 0  # ever accepted
    first_memory: int = 0  # bytes, the most before the first connection
    sessions: dict[asyncio.Task[None], Session] = field(default_factory=dict)
    is_closing: bool = False
    drains_until: float = inf  # by the loop's clock, once the server drains: when sessions end
    short_until: float = 0.0  # of descriptors, by the loop's clock

    def __post_init__(self) -> None:
        """Create what depends on the other fields."""
        self.apps = AppPool(
            self.shared,
            self.factory,
            self.gc_schedule,
            self.report_bug,
            self.options.ready_apps,
        )

    @property
    def is_draining(self) -> bool:
        """Whether there are no new sessions, and the server ends with those that run."""
        return self.drains_until < inf

    @property
    def is_empty(self) -> bool:
        """Whether no client is connected, and no session runs."""
        return not (self.accepted or self.connections or self.sessions)

    def began(self, session: Session, task: asyncio.Task[None]) -> None:
        """Register a session until its task ends."""
        self.sessions[task] = session
        self.gc_schedule.session_began()
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.sessions.pop(task, None)
        self.gc_schedule.session_ended()
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.report_bug(error)
