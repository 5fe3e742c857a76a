"""Response: what came over the wire, before it is read as anything of the interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.client.request import Request
    from pettui.settings import Limits

EXCERPT_LENGTH: Final = 400  # characters of a body or an element that are kept for looking at


@dataclass(frozen=True, slots=True)
class Response:
    """One HTTP answer, bounded, and with the key masked wherever it was sent back."""

    question: Request
    address: str  # absolute; after redirects, the last one
    status: int
    headers: tuple[tuple[str, str], ...]  # names in lower case, in order
    body: bytes  # unpacked; what there is of it where there is a ``body_error``
    body_error: str | None  # why the body is not whole: "more than 2 MB"
    elapsed: float  # seconds, from sending to the last byte
    limits: Limits

    @property
    def is_success(self) -> bool:
        """Tell whether the service says that it did as it was asked."""
        return 200 <= self.status < 300

    @property
    def excerpt(self) -> str:
        """Give the first characters of the body, for looking at."""
        return self.body[: EXCERPT_LENGTH * 4].decode("utf-8", "replace")[:EXCERPT_LENGTH]

    @property
    def came(self) -> str:
        """Say what the body is, in a few words: "text/html, 1.2 kB"."""
        if not self.body and self.body_error is None:
            return "an empty body"
        kind = self.header("content-type").partition(";")[0].strip()[:80]
        return f"{kind or 'no content type'}, {self.body_error or in_bytes(len(self.body))}"

    def header(self, name: str) -> str:
        """Give a header's first value; "" where there is none."""
        return next((value for found, value in self.headers if found == name), "")


def in_bytes(count: int) -> str:
    """Give a size as a person reads it: "45 bytes", "1.2 kB", "2.1 MB"."""
    if count < 1000:
        return f"{count} byte" if count == 1 else f"{count} bytes"
    return f"{count / 1000:.1f} kB" if count < 999_950 else f"{count / 1_000_000:.1f} MB"
