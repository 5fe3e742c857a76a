"""Links and redirects, to the service's own origin and to any other.

``{origin}`` and ``{port}`` stand for the service's own, ``{other}`` for another service's port.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.client.hostile.server import http

if TYPE_CHECKING:
    from tests.client.hostile.server import HostileServer, Step

# name → (the header, the target that is asked for then)
FOLLOWED: dict[str, tuple[str, str]] = {
    "a relative path": ('<pets?cursor=2>; rel="next"', "/v1/pets?cursor=2"),
    "a query alone": ("<?cursor=2>; rel=next", "/v1/pets?cursor=2"),
    "a path outside of v1": ('</api/pets?cursor=2>;rel="next"', "/api/pets?cursor=2"),
    "a full address": ('<{origin}/v1/pets?cursor=2>; rel="next"', "/v1/pets?cursor=2"),
    "a scheme in capitals": ('<HTTP://127.0.0.1:{port}/x>; rel="next"', "/x"),
    "a fragment": ("<pets?cursor=2#end>; rel=next", "/v1/pets?cursor=2"),
    "among others": (
        '<a>; rel="prev", <b>; title="x, <c>; rel=next"; rel="last", <pets?d>; rel="next"',
        "/v1/pets?d",
    ),
    "several relations": ('<pets?d>; rel="last NEXT"', "/v1/pets?d"),
    "the first of two": ("<pets?a>; rel=next, <pets?b>; rel=next", "/v1/pets?a"),
    "blanks everywhere": ("  <pets?a>  ;  rel  =  next  ", "/v1/pets?a"),
    "escapes in quotes": ('<pets?a>; title="a\\"; rel=prev"; rel=next', "/v1/pets?a"),
    "characters beyond ASCII": ("<pets?a=\xe9>; rel=next", "/v1/pets?a=%C3%A9"),
}
NOT_FOLLOWED: dict[str, str] = {
    "another host": "<http://evil.example/v1/pets>",
    "another port": "<http://127.0.0.1:{other}/v1/pets>",
    "another scheme": "<https://127.0.0.1:{port}/v1/pets>",
    "a name for the same host": "<http://localhost:{port}/v1/pets>",
    "a user name": "<http://admin@127.0.0.1:{port}/v1/pets>",
    "our host as user name": "<http://127.0.0.1:{port}@127.0.0.1:{other}/>",
    "backslashes": "<http:\\\\127.0.0.1:{other}\\v1>",
    "a file": "<file:///etc/passwd>",
    "a script": "<javascript:alert(1)>",
    "a port in words": "<http://127.0.0.1:http/>",
    "a broken address of IPv6": "<http://[::1/>",
    "an address of IPv4 that is none": "<http://999.1.1.1/>",
    "a name that stands for nothing": "<http://xn--a/>",
    "a port of 5,000 digits": "<http://127.0.0.1:" + "1" * 5_000 + "/>",
    "an address that grows beyond the longest": "<http://127.0.0.1:{port}/" + "\xe9" * 20_000 + ">",
    "an address without end": "<http://127.0.0.1:{port}/" + "x" * 70_000 + ">",
    "a tab in the scheme": "<ht\ttp://127.0.0.1:{other}/>",
    "escapes": "<http://\x1b]52;c;AAAA\x07.example/>",
}
NO_LINK: dict[str, str] = {
    "nothing": "",
    "brackets": "<>",
    "a word": "nonsense",
    "no end": "<pets?a",
    "no relation": "<pets?a>",
    "another relation": "<pets?a>; rel=prev",
    "a longer relation": "<pets?a>; rel=nextpage",
    "no semicolon": "<pets?a> rel=next",
    "a quote without end": '<pets?a>; title="; rel=next',
    "the way back": "<pets?a>; rev=next",
    "another resource's": '<pets?a>; rel=next; anchor="/elsewhere"',
    "semicolons": ";" * 50_000,
    "many backslashes": '<a>; rel="' + "\\" * 50_000,
    "many blanks": "<a>;" + " " * 90_000 + "x",
}

REDIRECTS = (301, 302, 303, 307, 308)
WITHIN: dict[str, str] = {
    "an absolute path": "/v1/there",
    "a relative path": "there",
    "a full address": "{origin}/v1/there#x",
}


def placed(text: str, server: HostileServer, other: HostileServer | None = None) -> str:
    """Return a header as this service sends it."""
    port = str(other.port) if other is not None else "1"
    text = text.replace("{origin}", server.origin).replace("{port}", str(server.port))
    return text.replace("{other}", port)


def redirect(status: int, location: str) -> Step:
    """Send the client elsewhere."""
    return http(status, "", [("Location", location.strip("<>"))])
