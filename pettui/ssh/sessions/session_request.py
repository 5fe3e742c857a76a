"""SessionRequest: what a client requests on a channel before a session starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.client_terminal import client_terminal

if TYPE_CHECKING:
    from pettui.ssh.asyncssh_internals import SessionChannel
    from pettui.ssh.client_terminal import ClientTerminal

NO_TERMINAL = "needs a terminal; connect with ssh -t"
NO_DRAWING = "TERM cannot draw screens; set it to your terminal's type, such as xterm-256color"
NO_COMMANDS = "commands are not supported; connect without one"


class SessionRequest(asyncssh.SSHServerSession[bytes]):
    """A request for a terminal and a shell; others are refused with a message."""

    _channel: SessionChannel

    def __init__(self) -> None:
        """Start without a request."""
        self._kind: str | None = None  # of the terminal
        self._size = (0, 0)
        self._refusal: str | None = None
        self._is_taken = False  # a shell, a command or a subsystem was requested

    @property
    def terminal(self) -> ClientTerminal:
        """The client's terminal, as it is now."""
        return client_terminal(self._kind, self._size, self._channel.environment)

    @property
    def refusal(self) -> str | None:
        """Why the request is refused; None if it is not."""
        if self._refusal is None and not self.terminal.can_draw:
            return NO_TERMINAL if self._kind is None else NO_DRAWING
        return self._refusal

    def pty_requested(
        self, term_type: str, term_size: tuple[int, int, int, int], _modes: object
    ) -> bool:
        """Keep the terminal's type and size."""
        self._kind, self._size = term_type, term_size[:2]
        return True

    def terminal_size_changed(
        self, width: int, height: int, _pixwidth: int, _pixheight: int
    ) -> None:
        """Keep the terminal's new size."""
        self._size = width, height

    def shell_requested(self) -> bool:
        """Accept the first request of a channel: it opens the app (RFC 4254, 6.5)."""
        return self._is_first()

    def exec_requested(self, _command: str) -> bool:
        """Accept a command, only to refuse it with a message."""
        return self._is_first(NO_COMMANDS)

    def subsystem_requested(self, subsystem: str) -> bool:
        """Accept a subsystem, only to refuse it with a message."""
        what = "file transfer is" if subsystem == "sftp" else "subsystems are"
        return self._is_first(f"{what} not supported; use ssh alone")

    def _is_first(self, refusal: str | None = None) -> bool:
        """Whether this is the channel's first request; if so, keep why it is refused."""
        if self._is_taken:
            return False
        self._is_taken, self._refusal = True, refusal
        return True
