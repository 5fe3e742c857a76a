"""The limits of a session in time: idle users, and those who have to make room for others."""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING, Final

from pettui.ssh.options import COUNTDOWN

if TYPE_CHECKING:
    from pettui.ssh.options import SshOptions

CHECK_MINIMUM: Final = 0.1  # seconds between two checks


class TimeLimits:
    """When a session ends by time; the clock is its owner's."""

    def __init__(self, options: SshOptions) -> None:
        """Start without a limit; ``touch`` starts that of idle users."""
        self._options = options
        self._touched = inf  # when something was typed last
        self._leaves_at = inf  # where it is to make room: when

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

    def _idle_left(self, now: float) -> float:
        timeout = self._options.idle_timeout
        return self._touched + timeout - now if timeout else inf

    def reason(self, now: float) -> tuple[str, str] | None:
        """Return why it ends now, for the log and for the user; None if it does not."""
        if now >= self._leaves_at:
            minutes = (self._options.time_limit + self._options.notice) / 60
            return "time", f"session ended: the limit is {minutes:.0f} minutes while others wait"
        if self._idle_left(now) <= 0:
            return "idle", f"session ended: no input for {self._timeout_text}"
        return None

    def countdown(self, now: float) -> str:
        """Return a line over the screen, of what ends it soon; "" for none."""
        left = self._idle_left(now)
        if self.is_leaving:
            return f"Others are waiting: this session ends in {ceil(self._leaves_at - now)} s."
        if left > COUNTDOWN:
            return ""
        return f"No input for a while: this session ends in {ceil(left)} s. Press any key to stay."

    def next_check(self, now: float) -> float:
        """Return the seconds until an idle user is to be told something else; it may be never."""
        left = self._idle_left(now)
        return max(left - COUNTDOWN if left > COUNTDOWN else left % 1.0, CHECK_MINIMUM)

    @property
    def _timeout_text(self) -> str:
        """The timeout in words: 15 minutes, 90 seconds."""
        seconds = round(self._options.idle_timeout)
        count, unit = (seconds, "second") if seconds % 60 else (seconds // 60, "minute")
        return f"{count} {unit}{'' if count == 1 else 's'}"
