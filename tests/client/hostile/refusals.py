"""Responses that are no success: any status, with Error bodies, other error bodies, or neither."""

from __future__ import annotations

ERROR_BODY = '{"code": "no_way", "message": "Not \\u2028 now", "status": 200, "hint": [1]}'
TRANSIENT = (429, 502, 503, 504)  # worth another attempt
STATUSES = (300, 304, 399, 400, 401, 404, 408, 410, 429, 499, 500, 503, 599, 999)

# What an Error body may claim as its status, and is no number that a status can be.
CLAIMS: dict[str, object] = {
    "null": None,
    "digits": "401",
    "a list": [],
    "a fraction": 1.5,
    "too much": 10**30,
}

# name → (the body, what is said of it)
OTHER_ERRORS: dict[str, tuple[object, str]] = {
    "RFC 9457": ({"type": "about:blank", "title": "Out of stock", "status": 403}, "Out of stock"),
    "RFC 9457, detailed": ({"title": "No", "detail": "Out of\nstock"}, "Out of\nstock"),
    "FastAPI": ({"detail": "Not authenticated"}, "Not authenticated"),
    "FastAPI's list": (
        {"detail": [{"loc": ["body", "name"], "msg": "field required", "type": "missing"}]},
        "body.name: field required",
    ),
    "FastAPI's list, odd": ({"detail": [{"loc": 5, "msg": "no"}]}, "no"),
    "FastAPI's list, empty": ({"detail": []}, "code is missing"),
    "a bare message": ({"message": "Forbidden"}, "Forbidden"),
    "a bare error": ({"error": "invalid_token"}, "invalid_token"),
    "nothing of use": ({}, "code is missing"),
    "a code that is a number": ({"code": 7, "message": "no", "status": 400}, "no"),
    "a message that is null": ({"code": "c", "message": None}, "message: must be text"),
    "a list": ([{"code": "c", "message": "m"}], "expected an object, got a list"),
    "null": (None, "expected an object, got null"),
}

# The answers to an add: the status, and whether it may have been made all the same.
ADDS: tuple[tuple[int, bool], ...] = (
    *((status, False) for status in (400, 401, 404, 422, 429)),
    *((status, True) for status in (300, 302, 303, 308, 500, 501, 503, 999)),
)
BODIES_OF_ADDS: dict[str, str] = {
    "an Error body": '{"code": "c", "message": "m", "status": 1}',
    "a web page": "<html>",
    "nothing": "",
}

# What a Retry-After may say that is no bound to be waited for, or states nothing at all.
AFTER = (
    "0",
    "-1",
    "soon",
    "99999999999999999999",
    "\u0661",
    "\x1b[2J",
    "Thu, 01 Jan 1970 00:00:00 GMT",
    "Fri, 31 Dec 9999 23:59:59 GMT",
    "Thu, 31 Feb 2030",
)
