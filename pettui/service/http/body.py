"""Reading a request body: which types are accepted, how large and how slow they may be."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.service.http.errors import CutBodyError, ServiceError
from pettui.service.stores.store import BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import Receive, Scope

_JSON: Final = "application/json"
_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PARAMETER = re.compile(
    rf"""[ \t]*;[ \t]*(?:(?P<name>{_WORD})=(?P<value>{_WORD}|"(?:[^"\\]|\\.)*"))?"""
)


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How large and how slow a body may be; the interface names no limit."""

    size: int = BODY_BYTES
    seconds: float = 30.0  # from the headers to the last byte


DEFAULT_LIMITS = BodyLimits()


async def read_body(scope: Scope, receive: Receive, limits: BodyLimits) -> bytes:
    """Return the whole body of a JSON request.

    Raises:
        ServiceError: 400, the only status that the interface documents for a body.
        CutBodyError: the client went away.
    """
    _check_headers(scope["headers"], limits)
    try:
        async with asyncio.timeout(limits.seconds):
            return await _received(receive, limits)
    except TimeoutError:
        message = f"The body must arrive within {limits.seconds:g} seconds"
        close = {"Connection": "close"}  # the rest of the body can't be told from the next request
        raise ServiceError(400, "body_too_slow", message, close) from None


async def _received(receive: Receive, limits: BodyLimits) -> bytes:
    parts: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise CutBodyError
        part = message.get("body", b"")
        size += len(part)
        if size > limits.size:
            raise _too_large(limits)
        parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts)


def _check_headers(headers: Sequence[tuple[bytes, bytes]], limits: BodyLimits) -> None:
    if not _is_json([value for name, value in headers if name == b"content-type"]):
        message = "Content-Type must be application/json, in UTF-8"
        raise ServiceError(400, "invalid_content_type", message)
    encodings = [value.strip().lower() for name, value in headers if name == b"content-encoding"]
    if any(encoding not in {b"", b"identity"} for encoding in encodings):
        message = "Content-Encoding must be left out; the body must not be compressed"
        raise ServiceError(400, "invalid_content_encoding", message)
    length = next((value for name, value in headers if name == b"content-length"), b"")
    if length.isdigit() and (len(length) > 18 or int(length) > limits.size):
        raise _too_large(limits)


def _is_json(content_types: list[bytes]) -> bool:
    """Whether there is exactly one, JSON in UTF-8 (RFC 9110, 8.3.1), checked in linear time."""
    if len(content_types) != 1:
        return False
    text = content_types[0].decode("latin-1").rstrip(" \t")
    end = len(_JSON)
    if text[:end].lower() != _JSON:
        return False
    charsets = []
    while parameter := _PARAMETER.match(text, end):
        end = parameter.end()
        if (parameter["name"] or "").lower() == "charset":
            charsets.append(_unquoted(parameter["value"]).lower())
    return end == len(text) and set(charsets) <= {"utf-8", "utf8"}


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value


def _too_large(limits: BodyLimits) -> ServiceError:
    message = f"The body must have at most {limits.size} bytes"
    return ServiceError(400, "body_too_large", message)
