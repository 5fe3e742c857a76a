"""What goes wrong below the body: connections, HTTP itself, and compression."""

from __future__ import annotations

import gzip
import zlib

from pettui.settings import Limits
from tests.client.hostile.bodies import REX

LIST = f"[{REX}]".encode()
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
RETRYING = Limits(first_wait=0.002, longest_wait=0.01)
# One limit is short, so that it ends a call however busy the machine is.
SHORT_SILENCE = Limits(tries=0, silence=0.2, deadline=60)
SHORT_DEADLINE = Limits(tries=0, silence=60, deadline=0.5)
NONE = "it does not send HTTP"

# name → (the bytes of an answer, what is said about it)
NO_HTTP: dict[str, tuple[bytes, str]] = {
    "a mail server": (b"220 mail.example ESMTP\r\n\r\n", NONE),
    "SSH": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", f"{NONE} (illegal status line: SSH-2.0-OpenSSH_9.6)"),
    "HTTP/2": (b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\r\n\r\n", NONE),
    "a status in words": (b"HTTP/1.1 OK OK\r\n\r\n", NONE),
    "a status of four digits": (b"HTTP/1.1 2000 OK\r\n\r\n", NONE),
    "escapes for a status": (b"\x1b]52;c;AAAA\x07\r\n\r\n", NONE),
    "a header without a name": (OK + b": x\r\n\r\n", NONE),
    "a header with a blank": (OK + b"Con tent: x\r\n\r\n", NONE),
    "a length below nothing": (OK + b"Content-Length: -1\r\n\r\n", NONE),
    "two lengths": (OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]", NONE),
    "an unknown transfer": (OK + b"Transfer-Encoding: gzip\r\n\r\n", NONE),
    "a chunk below nothing": (CHUNKED + b"-5\r\n[]", NONE),
    "a chunk with an endless size": (CHUNKED + b"0" * 200_000, "more than 100 kB"),
    "headers without an end": (OK + b"X: " + b"x" * 300_000, "more than 100 kB"),
    "a status line without an end": (b"HTTP/1.1 200 " + b"O" * 300_000, "more than 100 kB"),
    "an ending without an end": (CHUNKED + b"0\r\n" + b"X: y\r\n" * 50_000, "more than 100 kB"),
    "a switch of protocols": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", NONE),
}

# name → what came before the connection was dropped, or before nothing more came
CUT: dict[str, bytes] = {
    "nothing": b"",
    "half a header": OK + b"Content-Le",
    "headers alone": OK + b"Content-Length: 50\r\n\r\n",
    "half a body": OK + b"Content-Length: 50\r\n\r\n[",
    "half a chunk": CHUNKED + b"50\r\n[",
    "after 100 Continue": b"HTTP/1.1 100 Continue\r\n\r\n",
}

# name → (how it begins, what comes again and again, the seconds between)
ENDLESS: dict[str, tuple[bytes, bytes, float]] = {
    "drips in chunks": (CHUNKED, b"1\r\n \r\n", 0.01),
    "drips headers": (OK, b"X: y\r\n", 0.01),
    "floods 100": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.0),
    "floods chunks": (CHUNKED, b"1\r\n \r\n" * 10_000, 0.0),
}

# name → how a body without an end begins
WITHOUT_END: dict[str, bytes] = {
    "until it is closed": OK + b"\r\n",
    "of 100 GB": OK + b"Content-Length: 99999999999\r\n\r\n",
}

# name → an answer that is as good as any
UNUSUAL: dict[str, bytes] = {
    "1.0": b"HTTP/1.0 200 OK\r\n\r\n" + LIST,
    "chunks": CHUNKED + b"%x;a=b\r\n%b\r\n0\r\nX: y\r\n\r\n" % (len(LIST), LIST),
    "1xx before": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
    + (OK + b"\r\n" + LIST),
    "bytes in headers": OK + b"X: \xff\xfe\x80\r\nX:\r\n\r\n" + LIST,
    "length twice": OK + b"Content-Length: %d\r\n" % len(LIST) * 2 + b"\r\n" + LIST,
    "more": OK + b"Content-Length: %d\r\n\r\n" % len(LIST) + LIST + b"HTTP/1.1 500 No\r\n\r\n",
}

# name → an answer that leaves something on its connection, for the next request to find
ONCE = OK + b"Content-Length: %d\r\n\r\n" % len(LIST) + LIST
TWICE: dict[str, bytes] = {
    "the same again": ONCE * 2,
    "chunks, again": (CHUNKED + b"%x\r\n%b\r\n0\r\n\r\n" % (len(LIST), LIST)) * 2,
    "half of it again": ONCE + ONCE[:30],
    "rubbish": ONCE + b"\0\x1b[2J",
}

# Content-Encoding → the list, packed so though nobody asked for it
PACKED: dict[str, bytes] = {
    "gzip": gzip.compress(LIST),
    "deflate": zlib.compress(LIST),
    "GZIP ": gzip.compress(LIST),
    "identity": LIST,
}


def bomb(character: bytes, megabytes: int, form: int = zlib.MAX_WBITS | 16) -> bytes:
    """Return what decompresses to so many megabytes of one character; gzip by default.

    Its checksum is wrong, but a client that gets that far has used the memory already.
    """
    packer = zlib.compressobj(wbits=form)
    first, again = (
        packer.compress(character * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
    )
    return first + again * (megabytes - 1) + packer.flush()


# name → (Content-Encoding, the body, what is said about it)
NOT_UNPACKED: dict[str, tuple[str, bytes, str]] = {
    "bomb": ("gzip", bomb(b" ", 60), "more than 2.0 MB"),
    "cut": ("gzip", gzip.compress(LIST)[:20], "cut off in its compression"),
    "plain": ("gzip", LIST, "damaged in its compression"),
    "twice": ("gzip", gzip.compress(gzip.compress(LIST)), "not UTF-8"),
    "br": ("br", LIST, "compressed as br, which was not asked for"),
    "two": ("gzip, gzip", LIST, "compressed as gzip, gzip, which was not asked for"),
    "long": ("x" * 5000, LIST, "compressed as xxxx"),
}
