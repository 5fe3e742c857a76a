"""Bodies that no service should send, and what is said about each under a success."""

from __future__ import annotations

import json

PET = {"id": 7, "name": "Rex", "categoryId": 3, "status": "available"}
REX = json.dumps(PET)

# name → (the body, what is said where a list was asked for, and where one animal was)
NO_JSON: dict[str, tuple[bytes, str]] = {
    "nothing at all": (b"", "an empty body"),
    "a web page": (b"<!doctype html><title>Sign in</title>", "it is not JSON"),
    "a text that is cut": (REX[:20].encode(), "it ends in the middle, after 20 characters"),
    "an escape that is cut": (b'{"name": "\\u00', "it is damaged at character"),
    "an escape that is none": (b'{"name": "\\x41"}', "it is damaged at character"),
    "two lists": (b"[][]", "something follows its end"),
    "a text and rubbish": (REX.encode() + b"\0\0\0", "something follows its end"),
    "single quotes": (b"{'id': 7}", "it is damaged at character 2"),
    "latin-1": ('{"name": "Ré"}'.encode("latin-1"), "it is not UTF-8: byte 0xE9 at place 11"),
    "UTF-16 with its mark": (REX.encode("utf-16"), "it is not UTF-8: byte 0xFF at place 0"),
    "a surrogate in UTF-8": (b'{"name": "\xed\xa0\x80"}', "it is not UTF-8"),
    "bytes of any kind": (bytes(range(256)), "it is not UTF-8"),
    "lists without an end": (b"[" * 100_000, "nested deeper than 64"),
    "a number of 5,000 digits": (b"9" * 5000, "a number of more than 400 digits"),
    "a fraction of 5,000 digits": (b"[0." + b"1" * 5000 + b"]", "more than 400 digits"),
    "a million commas": (b"[" + b"," * 1_000_000 + b"]", "more than 30000 values"),
    "a million numbers without commas": (b"1 " * 950_000, "more than 30000 values"),
}

OTHER_SHAPES: dict[str, tuple[bytes, str]] = {
    "null": (b"null", "got null"),
    "true": (b"true", "got true"),
    "a number": (b"0", "got a number"),
    "NaN": (b"NaN", "got a number"),
    "a text": (b'"[]"', "got a text"),
}

NO_LISTS: dict[str, tuple[bytes, str]] = {
    **OTHER_SHAPES,
    "an object": (b"{}", "expected a list, got an object"),
    "an envelope": (b'{"items": [%s]}' % REX.encode(), "expected a list, got an object"),
    "an Error body": (
        b'{"code": "gone_away", "message": "Back at noon", "status": 503}',
        "expected a list, got an object: gone_away: Back at noon",
    ),
}

NO_PETS: dict[str, tuple[bytes, str]] = {
    **OTHER_SHAPES,
    "an empty list": (b"[]", "expected an object, got a list"),
    "no id": (b'{"name": "Rex", "categoryId": 3}', "id is missing"),
    "no name": (b'{"id": 7, "categoryId": 3}', "name is missing"),
    "no category": (b'{"id": 7, "name": "Rex"}', "categoryId is missing"),
    "an id as text": (b'{"id": "7", "name": "Rex", "categoryId": 3}', "id: must be a whole number"),
    "an id that is true": (b'{"id": true, "name": "R", "categoryId": 3}', "id: must be a whole"),
    "an id that is NaN": (b'{"id": NaN, "name": "R", "categoryId": 3}', "id: must be a whole"),
    "an id above int64": (
        b'{"id": 9223372036854775808, "name": "R", "categoryId": 3}',
        "id: this number is too large",
    ),
    "an id below int64": (
        b'{"id": -9223372036854775809, "name": "R", "categoryId": 3}',
        "id: this number is too small",
    ),
    "an id that is null": (b'{"id": null, "name": "R", "categoryId": 3}', "id: must be a whole"),
    "an id twice": (
        b'{"id": 7, "id": 8, "name": "R", "categoryId": 3}',
        "id occurs more than once",
    ),
    "a name that is null": (b'{"id": 7, "name": null, "categoryId": 3}', "name: must be text"),
    "half a character as name": (
        b'{"id": 7, "name": "\\ud800", "categoryId": 3}',
        "it contains an incomplete character",
    ),
    "a status that is a number": (
        b'{"id": 7, "name": "R", "categoryId": 3, "status": 1}',
        "status: must be text or null",
    ),
    "an Error body": (b'{"code": "no", "message": "no", "status": 400}', "id is missing"),
}
