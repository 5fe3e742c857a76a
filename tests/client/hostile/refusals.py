"""Responses that are no success: any status, with Error bodies, other error bodies, or neither."""

from __future__ import annotations

ERROR_BODY = '{"code": "no_way", "message": "Not \\u2028 now", "status": 200, "hint": [1]}'
TRANSIENT = (429, 502, 503, 504)  # worth another attempt
STATUSES = (
    *(300, 304, 305, 306, 399, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413),
    *(414, 415, 417, 418, 421, 422, 423, 425, 426, 428, 429, 431, 451, 498, 499, 500, 501, 502),
    *(503, 504, 505, 507, 508, 511, 520, 521, 522, 523, 524, 525, 530, 599, 600, 799, 999),
)

# What an Error body may claim as its status, and is no number that a status can be.
CLAIMS: dict[str, object] = {
    "null": None,
    "digits": "401",
    "an empty text": "",
    "a list": [],
    "an object": {},
    "true": True,
    "a fraction": 1.5,
    "too much": 10**30,
    "too little": -(10**30),
    "a long text": "x" * 999,
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
    "FastAPI's list of null": ({"detail": [None]}, "code is missing"),
    "a bare message": ({"message": "Forbidden"}, "Forbidden"),
    "a bare error": ({"error": "invalid_token"}, "invalid_token"),
    "an error that is an object": ({"error": {"message": "no"}}, "code is missing"),
    "nothing of use": ({}, "code is missing"),
    "a code that is a number": ({"code": 7, "message": "no", "status": 400}, "no"),
    "a message that is null": ({"code": "c", "message": None}, "message: must be text"),
    "a message that is a list": ({"code": "c", "message": ["no"]}, "message: must be text"),
    "a list": ([{"code": "c", "message": "m"}], "expected an object, got a list"),
    "null": (None, "expected an object, got null"),
    "a text": ("no", "expected an object, got a text"),
    "a number": (404, "expected an object, got a number"),
}

# The answers to an add: the status, and whether it may have been made all the same.
ADDS: tuple[tuple[int, bool], ...] = (
    *((status, False) for status in (400, 401, 404, 413, 422, 429)),
    *((status, True) for status in (300, 301, 302, 303, 307, 308, 500, 501, 502, 503, 504, 999)),
)
BODIES_OF_ADDS: dict[str, str] = {
    "an Error body": '{"code": "c", "message": "m", "status": 1}',
    "a web page": "<html>",
    "nothing": "",
}

# What a Retry-After may say that is no bound to be waited for, or states nothing at all.
AFTER = (
    *("0", "-1", "1e3", "0.5", " ", "soon", "99999999999999999999", "\u0661", "\x1b[2J", "0, 0"),
    *("Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 31 Feb 2030"),
)
