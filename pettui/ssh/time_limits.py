"""The limits of a session in time: idle users, those who make room, and a server that drains."""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING, Final

from pettui.ssh.options import COUNTDOWN

if TYPE_CHECKING:
    from pettui.ssh.options import SshOptions

CHECK_MINIMUM: Final = 0.1  # seconds between two checks
TOLD: Final = 30.0  # seconds for which users are told at once that the server drains
BUSY_MAXIMUM: Final = 120.0  # seconds after the end for which a session may end what it has begun
DRAINED: Final = "session ended: the server restarts; please log in again"


class TimeLimits:
    """When a session ends by time; the clock is its owner's."""

    def __init__(self, options: SshOptions) -> None:
        """Start without a limit; ``touch`` starts that of idle users."""
        self._options = options
        self._touched = inf  # when something was typed last
        self._leaves_at = inf  # where it is to make room: when
        self._ends_at = inf  # where the server drains: when
        self._told_until = 0.0  # that it does

    def touch(self, now: float) -> None:
        """Begin to wait for the next key."""
        self._touched = now

    @property
    def is_leaving(self) -> bool:
        """Whether it is to make room."""
        return self._leaves_at < inf

    def make_room(self, now: float, *, is_asked: bool) -> None:
        """Start or continue the countdown of a session that is asked to leave; or stop it."""
        if not is_asked:
            self._leaves_at = inf
        elif not self.is_leaving:
            self._leaves_at = now + self._options.notice

    def drain(self, now: float, until: float) -> None:
        """Tell that the session ends at a time, since the server drains; inf if it does not."""
        self._told_until, self._ends_at = now + TOLD, until

    def _idle_left(self, now: float) -> float:
        timeout = self._options.idle_timeout
        return self._touched + timeout - now if timeout else inf

    def is_idle(self, now: float) -> bool:
        """Whether it ends soon since nothing is typed."""
        return self._idle_left(now) <= COUNTDOWN

    def reason(self, now: float, *, is_busy: bool = False) -> tuple[str, str] | None:
        """Return why it ends now, for the log and for the user; None if it does not.

        Args:
            now: the time.
            is_busy: whether its app has begun what a server that drains does not cut off.
        """
        if now >= self._leaves_at:
            minutes = (self._options.time_limit + self._options.notice) / 60
            return "time", f"session ended: the limit is {minutes:.0f} minutes while others wait"
        if self._idle_left(now) <= 0:
            return "idle", f"session ended: no input for {self._timeout_text}"
        if now >= self._ends_at + (BUSY_MAXIMUM if is_busy else 0.0):
            return "drained", DRAINED
        return None

    def countdown(self, now: float) -> str:
        """Return a line over the screen, of what ends it soon; "" for none."""
        left = self._idle_left(now)
        if self.is_leaving:
            return f"Others are waiting: this session ends in {ceil(self._leaves_at - now)} s."
        if not self.is_idle(now):
            return self._drain_line(now)
        return f"Press any key to stay: without input this session ends in {ceil(left)} s."

    def _drain_line(self, now: float) -> str:
        left = self._ends_at - now
        if left <= self._options.notice:
            seconds = max(ceil(left), 0)
            return f"The server restarts: this session ends in {seconds} s. Log in again then."
        if now >= self._told_until or left == inf:
            return ""
        minutes = ceil(left / 60)
        return f"The server restarts: finish and log in again; this session ends in {minutes} min."

    def next_check(self, now: float) -> float:
        """Return the seconds until the user is to be told something else; it may be never.

        Those who are to make room are told each second.
        """
        left = self._idle_left(now)
        idle = left - COUNTDOWN if left > COUNTDOWN else left % 1.0
        drains = (self._ends_at - now) % 1.0 if self._ends_at < inf else inf
        return max(min(idle, drains), CHECK_MINIMUM)

    @property
    def _timeout_text(self) -> str:
        """The timeout in words: 15 minutes, 90 seconds."""
        seconds = round(self._options.idle_timeout)
        count, unit = (seconds, "second") if seconds % 60 else (seconds // 60, "minute")
        return f"{count} {unit}{'' if count == 1 else 's'}"
