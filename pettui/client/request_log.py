"""The last requests of one client, for users to look at; the key is masked in all of it."""

from __future__ import annotations

import shlex
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pettui.client.requests import IDEMPOTENCY_KEY, STORE

if TYPE_CHECKING:
    from collections.abc import Sequence

Headers: TypeAlias = tuple[tuple[str, str], ...]

REQUESTS_KEPT: Final = 200
BYTES_KEPT: Final = 256 * 1024  # of all texts together; older requests go first
BODY_KEPT: Final = 2000  # bytes of one body, its beginning


class LoggedRequest(NamedTuple):
    """One request that went out, and what came back; each redirect and retry is one of its own."""

    at: float  # when it was sent, in seconds since 1970
    method: str
    address: str  # absolute
    sent_headers: Headers
    sent_body: bytes
    elapsed: float  # seconds, to the last byte or the failure
    status: int | None  # None: no response came
    headers: Headers = ()
    body: bytes = b""  # its beginning
    size: int = 0  # bytes of the whole body, as far as it was read
    failure: str = ""  # why there is no whole response; not yet safe to draw

    @property
    def bytes_kept(self) -> int:
        """About how much memory its texts take."""
        headers = sum(len(name) + len(value) for name, value in (*self.sent_headers, *self.headers))
        return headers + len(self.address) + len(self.sent_body) + len(self.body)

    def as_curl(self, variable: str) -> str:
        """Return the command that sends the same request, for any shell.

        The shell itself writes the key into a pipe: other users can read curl's command line.

        Args:
            variable: of the environment that has the API key.
        """
        words = ["curl", "--config", "-", "--globoff"]
        if self.method != "GET":
            words += ["--request", self.method]
        key = r"printf 'oauth2-bearer = %s\n' " + f'"${variable}"'
        command = f"{key} | {shlex.join([*words, self.address])}"
        for name, value in self.sent_headers:
            if name in ("Accept", "Content-Type", IDEMPOTENCY_KEY, STORE):
                command += f" --header {shlex.quote(f'{name}: {value}')}"
        if self.sent_body:
            body = self.sent_body.decode("utf-8", "replace")
            command += f" --data-raw {shlex.quote(body)}"
        return command


class RequestLog:
    """At most 200 requests, fewer where they are large."""

    def __init__(self) -> None:
        self.count = 0  # of all that were ever added
        self._requests: deque[LoggedRequest] = deque()
        self._bytes = 0

    @property
    def newest_first(self) -> Sequence[LoggedRequest]:
        """The requests that are kept."""
        return tuple(reversed(self._requests))

    def add(self, request: LoggedRequest) -> None:
        """Add the newest; the oldest go."""
        self.count += 1
        self._requests.append(request)
        self._bytes += request.bytes_kept
        while len(self._requests) > REQUESTS_KEPT or self._bytes > BYTES_KEPT:
            self._bytes -= self._requests.popleft().bytes_kept
