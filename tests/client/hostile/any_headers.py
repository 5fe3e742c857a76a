"""Headers of every kind, as bytes on the wire: usual ones, absurd ones, and none at all."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.client.hostile.deprecations import DEPRECATIONS, MALFORMED
from tests.client.hostile.links import FOLLOWED, NO_LINK, NOT_FOLLOWED, WITHIN

SHORT = 3_000  # bytes; longer ones are cases of their own
ADDRESSES = tuple(
    address.strip("<>").replace("{origin}", "").replace("{port}", "1").replace("{other}", "1")
    for address in (*NOT_FOLLOWED.values(), *WITHIN.values())
)
NUMBERS = ("-1", "1e400", "NaN", "0x10", "7.5", "9" * 2_500, "\u0661", "1, 2")
CODINGS = ("gzip", "deflate", "identity", "gzip, gzip", "x-gzip;q=1", "")
TYPES = ("application/json; charset=utf-16", "json;;;", "text/html; charset=\x00", 'a/b; c="')
NAMES = (
    "Location", "Link", "Retry-After", "Sunset", "Deprecation", "Date", "Age", "Expires",
    "Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Content-Location",
    "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Trailer", "Set-Cookie",
    "WWW-Authenticate", "Strict-Transport-Security", "Refresh", "X-Anything", "Authorization",
)  # fmt: skip

RELATIONS = st.sampled_from(
    ("next", "successor-version", "deprecation", "sunset", '"next last"', "prev", "")
)
TARGETS = st.sampled_from(ADDRESSES) | st.builds(
    "{}{}{}".format,
    st.sampled_from(("", "http://", "https://", "//", "HTTP:", "http:/", "\\\\", "mailto:")),
    st.sampled_from(
        (
            "xn--a",
            "xn--",
            "[::1",
            "[::1]",
            "[v1.a]",
            "127.0.0.1",
            "0x7f.1",
            "a..b",
            "%41",
            "@",
            "\xdf",
        )
    ),
    st.sampled_from(("", ":", ":0", ":99999", ":x", "/", "/v1/pets", "?a", "#b", "/%zz", "/\xff")),
)
LINKS = st.builds("<{}>; rel={}".format, TARGETS, RELATIONS)
KNOWN = st.sampled_from(
    [
        value
        for value in (
            *(*ADDRESSES, *NUMBERS, *CODINGS, *TYPES, *MALFORMED, *DEPRECATIONS, *NO_LINK.values()),
            *(link for link, _ in FOLLOWED.values()),
            *("chunked", "close", "keep-alive", "h2c", "Bearer", "a=b; Path=/"),
            *("Thu, 05 Dec 2030 00:00:00 GMT", "Thu, 05 Dec 9999 23:59:60 GMT"),
        )
        if len(value) <= SHORT
    ]
)


def as_bytes(text: str) -> bytes:
    """Return a header's value as it goes over the wire, which has no line's end within."""
    return text.encode("utf-8", "surrogatepass").replace(b"\r", b"").replace(b"\n", b"")


VALUES = (
    (TARGETS | LINKS | KNOWN).map(as_bytes)
    | st.text(max_size=40).map(as_bytes)
    | st.binary(max_size=40).map(lambda value: value.replace(b"\r", b"").replace(b"\n", b""))
)
HEADERS = st.lists(st.tuples(st.sampled_from(NAMES).map(str.encode), VALUES), max_size=5)


def response(status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> bytes:
    """Return an HTTP response that ends with its connection."""
    lines = [b"HTTP/1.1 %d Whatever" % status, *(b"%b: %b" % pair for pair in headers)]
    return b"\r\n".join([*lines, b"", b""]) + body
