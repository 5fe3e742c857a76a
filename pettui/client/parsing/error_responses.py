"""A response that is no success → the error that it is."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypedDict

from pettui.client.errors import ErrorBodyError, NoErrorBodyError
from pettui.client.parsing.deprecation import notices
from pettui.client.parsing.http_dates import http_date
from pettui.client.parsing.redirects import one_too_many, why_not_followed
from pettui.json_text import NotJsonError, json_text, json_value
from pettui.json_types import WrongShapeError, fields_of, reason_of
from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, NOT_STORED, ErrorBody

if TYPE_CHECKING:
    from pettui.client.http_messages import Notice, Response

TRANSIENT: Final = frozenset({429, 502, 503, 504})
_MESSAGE_LENGTH: Final = 300  # characters of the message of another kind of error body


class _Circumstances(TypedDict):
    """What is true of a response that is no success, whatever its body says."""

    notices: tuple[Notice, ...]
    maybe_sent: bool
    transient: bool
    retry_after: float | None


def response_error(
    response: Response, *, is_in_process: bool = False
) -> ErrorBodyError | NoErrorBodyError:
    """Return the error of a response that is no success.

    The HTTP status counts, whatever the body says. An add that met one of 400 to 499 was not
    carried out; of the others that can't be known, unless the service says so and runs in this
    process, or got the request from here directly: a proxy may have sent it twice.
    """
    is_transient = response.status in TRANSIENT
    circumstances = _Circumstances(
        notices=notices(response.request.operation, response.headers),
        maybe_sent=response.request.is_add and not 400 <= response.status < 500,
        transient=is_transient,
        retry_after=retry_after(response) if is_transient else None,
    )
    body = _body_or_content(response)
    if isinstance(body, str):
        return NoErrorBodyError(response.status, body, excerpt=response.excerpt, **circumstances)
    nothing_stored = (is_in_process or response.is_direct) and body.code == NOT_STORED
    return ErrorBodyError(response.status, body, nothing_stored=nothing_stored, **circumstances)


def retry_after(response: Response) -> float | None:
    """Return the seconds that a service asks to wait (RFC 9110, 10.2.3); None where it does not.

    A date counts from the response's own Date, so that the two clocks need not agree.
    """
    value = response.header("retry-after").strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    until = http_date(value)
    if until is None:
        return None
    now = http_date(response.header("date")) or datetime.now(UTC)
    return max((until - now).total_seconds(), 0.0)


def error_body(value: Any, http_status: int) -> ErrorBody:
    """Parse the interface's Error, whose ``status`` is the HTTP status where it states no number.

    Raises:
        WrongShapeError: it is none; the message says why.
    """
    fields = fields_of(value)
    try:
        return ErrorBody(**{**fields, "status": _status(fields, http_status)})
    except ValueError as error:
        raise WrongShapeError(reason_of(error)) from None


def _body_or_content(response: Response) -> ErrorBody | str:
    content = why_not_followed(response) or one_too_many(response) or response.content
    if response.body and response.body_error is None:
        try:
            value = json_value(json_text(response.body, response.limits))
        except NotJsonError as error:
            if "json" in response.header("content-type").lower():
                content = f"{content}, but not JSON: {error}"
        else:
            try:
                return error_body(value, response.status)
            except WrongShapeError as error:
                content = f"{content}: {_message(value) or error}"
    return content


def _status(value: dict[str, Any], http_status: int) -> int:
    stated = value.get("status")
    if isinstance(stated, bool) or not isinstance(stated, int):
        return http_status
    return stated if INT64_MINIMUM <= stated <= INT64_MAXIMUM else http_status


def _message(value: Any) -> str:
    """Return the message of another kind of error body: RFC 9457's, FastAPI's, or a bare one."""
    if not isinstance(value, dict):
        return ""
    for name in ("detail", "title", "message", "error"):
        message = value.get(name)
        if isinstance(message, list) and message and isinstance(message[0], dict):
            location = message[0].get("loc")
            path = ".".join(map(str, location[:8])) if isinstance(location, list) else ""
            message = f"{path}: {message[0].get('msg')}" if path else message[0].get("msg")
        if isinstance(message, str) and message.strip():
            return message[:_MESSAGE_LENGTH]
    return ""
