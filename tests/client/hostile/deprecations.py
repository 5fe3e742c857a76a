"""Deprecation and Sunset headers, in every form that services send, and worse."""

from __future__ import annotations

from datetime import date

# the value → the day since when, or None where it is deprecated without one
DEPRECATIONS: dict[str, date | None] = {
    "@1688169599": date(2023, 6, 30),
    "@0": date(1970, 1, 1),
    "@-86400": date(1969, 12, 31),
    " @1688169599 ": date(2023, 6, 30),
    "@1688169599;a=b": date(2023, 6, 30),
    "@253402300799": date(9999, 12, 31),
    "Fri, 30 Jun 2023 23:59:59 GMT": date(2023, 6, 30),
    "Friday, 30-Jun-23 23:59:59 GMT": date(2023, 6, 30),
    "Fri Jun 30 23:59:59 2023": date(2023, 6, 30),
    "true": None,
    "True": None,
    "?1": None,
}
# What states nothing, as either header.
MALFORMED: tuple[str, ...] = (
    "",
    "@x",
    "@1688169599, @1688169600",
    "@253402300800",
    "@-62135596801",
    "@99999999999999999999",
    "@\u0661\u0662",
    "1688169599",
    "false",
    "2030-12-05",
    "Thu, 31 Feb 2030 00:00:00 GMT",
    "Thu, 05 Dec 0000 00:00:00 GMT",
    "Thu, 05 Dez 2030 00:00:00 GMT",
    "Thu, 05 Dec 2030 00:00:00 PST",
    "@1688169599\x1b]52;c;AAAA\x07",
    "@" + "1" * 90_000,
    "Thu, \u0660\u0665 Dec 2030 00:00:00 GMT",
    "@NaN",
)
END = "Thu, 05 Dec 2030 00:00:00 GMT"
# name → the headers, and the end of the sentence that stands there: none where they state nothing
ENDS: dict[str, tuple[list[tuple[str, str]], str | None]] = {
    "a date to come": ([("Sunset", END)], "goes away on 5 December 2030 (in 1,475 days)."),
    "a date gone by": (
        [("Sunset", "Fri, 20 Nov 2026 00:00:00 GMT")],
        "was to go away on 20 November 2026 (1 day ago).",
    ),
    "the first year": ([("Sunset", "Mon, 01 Jan 0001 00:00:00 GMT")], "1 January 1 ("),
    "a leap second": ([("Sunset", "Sat, 31 Dec 2016 23:59:60 GMT")], "on 31 December 2016 ("),
    "twice, two dates": ([("Sunset", END), ("Sunset", "Fri, 06 Dec 2030 00:00:00 GMT")], None),
    "two deprecations": ([("Deprecation", "true"), ("Deprecation", "@1")], None),
    "to come": ([("Deprecation", "@32503680000")], "will be deprecated on 1 January 3000."),
    "with a successor": (
        [("Deprecation", "@0"), ("Link", "<https://s.example/v2>; rel=successor-version")],
        "is deprecated. Use instead: https://s.example/v2.",
    ),
    "with a successor that is not an address": (
        [("Deprecation", "@0"), ("Link", "<http://[::1>; rel=successor-version")],
        "is deprecated. Use instead: http://[::1.",
    ),
    "with escapes for a successor": (
        [("Deprecation", "@0"), ("Link", "<x\x1b]52;c;AAAA\x07\x9b2J>; rel=successor-version")],
        "is deprecated. Use instead: x␛]52;c;AAAA␇<U+009B>2J.",
    ),
}
