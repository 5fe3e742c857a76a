"""What a response's headers say: dates, links, redirects, the next page, and deprecations.

Addresses are parsed by httpx, which would follow them, and by nothing else: two parsers that differ
would send the key to another host than was checked. ``httpx.URL.host`` is not used: it decodes a
host's name, and for ``xn--a`` raises what is not one of httpx's errors.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import httpx

from pettui.client.requests import (
    ANNOUNCED,
    IDEMPOTENCY_KEY,
    STORE,
    Notice,
    is_store_id,
    structured_string,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from pettui.client.requests import Response

    Origin: TypeAlias = tuple[str, str, int | None]

# ── Deprecation (RFC 9745), Sunset (RFC 8594) ─────────────────────────────────────────────────────

_STRUCTURED_DATE: Final = re.compile(r"@(-?\d{1,15})\s*(;.*)?", re.ASCII | re.DOTALL)


def notices(operation: str, headers: Sequence[tuple[str, str]]) -> tuple[Notice, ...]:
    """Return the notice of a response, or none.

    What the headers do not state is what the interface announces, if it does. A header that is
    malformed, or there twice with different values, states nothing.

    Args:
        operation: the interface's name, "getPet".
        headers: the response's, with their names in lower case.
    """
    announced = ANNOUNCED if operation == ANNOUNCED.operation else None
    stated = _stated(operation, headers)
    if stated is None or announced is None:
        return tuple(filter(None, (stated or announced,)))
    sunset = stated.sunset or announced.sunset
    return (stated._replace(sunset=sunset, replacement=_replacement(stated, announced)),)


def _replacement(stated: Notice, announced: Notice) -> str | None:
    """Return the stated successor; where it is the announced one, in the announcement's words."""
    target = stated.replacement
    is_announced = target is None or _path(target).endswith("/v1/pets")
    return announced.replacement if is_announced else target


def _path(target: str) -> str:
    """Return the path that a link leads to; "" where it is no address."""
    try:
        return urlsplit(target).path
    except ValueError:  # [::1, say
        return ""


def _stated(operation: str, headers: Sequence[tuple[str, str]]) -> Notice | None:
    deprecation, sunset = _only(headers, "deprecation"), _only(headers, "sunset")
    if not (deprecation or sunset):  # as in nearly every response
        return None
    since = deprecated_since(deprecation)
    end = http_date(sunset)
    # Deprecated without a date: the drafts' "true", or RFC 8941's "?1".
    if since is None and end is None and deprecation.lower() not in ("true", "?1"):
        return None
    found = targets(headers)
    return Notice(
        operation,
        since,
        None if end is None else end.date(),
        found.get("successor-version"),
        announced=False,
        more=found.get("deprecation") or found.get("sunset"),
    )


def deprecated_since(value: str) -> date | None:
    """Return the date of a Deprecation header: RFC 9745's ``@1688169599``, or a draft's date."""
    found = _STRUCTURED_DATE.fullmatch(value)
    if found is None:
        old_form = http_date(value)
        return None if old_form is None else old_form.date()
    try:
        return datetime.fromtimestamp(int(found[1]), UTC).date()
    except (ValueError, OverflowError, OSError):  # beyond the years that a date can hold
        return None


def _only(headers: Sequence[tuple[str, str]], wanted: str) -> str:
    values = {value.strip() for name, value in headers if name == wanted}
    return values.pop() if len(values) == 1 else ""


# ── Idempotency-Key (the draft of the IETF's HTTPAPI group), and which store keeps the keys ───────


def promised_store(response: Response) -> str | None:
    """Return the id of the store that adds once what is sent with a key; None without a promise.

    It counts only where the request's own key is sent back with it: what drops unknown headers of
    requests on the way then promises nothing in the name of the service behind it.
    """
    key = response.request.idempotency_key
    if key is None or _only(response.headers, IDEMPOTENCY_KEY.lower()) != structured_string(key):
        return None
    store_id = _only(response.headers, STORE.lower())
    return store_id if is_store_id(store_id) else None


def is_to_another_key(key: str | None, named: Sequence[str]) -> bool:
    """Whether a response names idempotency keys, but not that of its request."""
    return key is not None and bool(named) and structured_string(key) not in named


def is_replayed(response: Response) -> bool:
    """Whether the service says that an earlier request with the same key had added the animal."""
    return _only(response.headers, "idempotency-replayed") == "?1"


# ── Link (RFC 8288, section 3), as httpx reads it ─────────────────────────────────────────────────


def targets(headers: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return where the links of a response itself lead, by their relations in lower case."""
    values = [(b"link", value.encode()) for name, value in headers if name == "link"]
    found = httpx.Response(200, headers=values).links.values()
    own = [link for link in found if "rel" in link and "anchor" not in link]
    return {relation: link["url"] for link in own for relation in link["rel"].lower().split()}


# ── The next page of a list ───────────────────────────────────────────────────────────────────────

_ORIGIN_SHOWN: Final = 100  # characters of an origin


def next_link(response: Response) -> tuple[str | None, tuple[str, ...]]:
    """Return the next page's absolute address or None, and why a link is not followed.

    Source: RFC 8288. Only the service's own origin is followed, since the key goes along, and no
    address twice in one chain of pages.
    """
    target = targets(response.headers).get("next")
    if target is None:
        return None, ()
    try:
        address = at_own_origin(response, target)
    except ValueError:
        return None, ("the service's link to its next page is not an address: not followed",)
    if not same_origin(response.request.address, address):
        origin = origin_of(address)[:_ORIGIN_SHOWN]
        return None, (f"the service links its next page to {origin}: not followed",)
    return _within_chain(address, response)


def has_page_links(response: Response) -> bool:
    """Whether a service links pages: then one without a link to the next is the last one."""
    return bool({"next", "first", "prev", "last"} & targets(response.headers).keys())


def _within_chain(address: str, response: Response) -> tuple[str | None, tuple[str, ...]]:
    request, limits = response.request, response.limits
    if address in {*request.visited, request.milestone, request.address, response.address}:
        return None, ("the service's next page is one that came before: not followed",)
    if request.is_endless:
        return address, ()
    if request.pages_before + 1 >= limits.pages:
        return None, (f"the service's list does not end after {limits.pages} pages: not followed",)
    if request.bytes_before + len(response.body) >= limits.list_bytes:
        megabytes = limits.list_bytes // 1_000_000
        return None, (f"more than {megabytes} MB in this list: the rest is not loaded",)
    return address, ()


# ── Redirects (RFC 9110, 15.4) ────────────────────────────────────────────────────────────────────

_FOLLOWED: Final = frozenset({301, 302, 303, 307, 308})
_UNCHANGED: Final = frozenset({307, 308})  # the method stays, and so does the body
_ADDRESS_SHOWN: Final = 200  # characters of an address


def redirect_target(response: Response) -> str | None:
    """Return the address that is requested next; None where no redirect is followed.

    Only within the service's own origin, since the key goes along. An add goes on once, where 307
    or 308 says that nothing was done yet, and only a slash at the end of the path differs, which
    frameworks add or take away; any other redirect of it might send it twice.
    """
    return None if why_not_followed(response) else _target(response)


def why_not_followed(response: Response) -> str | None:
    """Return why a redirect is not followed; None where it is, or where there is none."""
    if not _location(response):
        return None
    target = _target(response)
    if target is None:
        return "it leads to what is not an address"
    if not same_origin(response.request.address, target):
        where = f"it leads to another origin, {target[:_ADDRESS_SHOWN]}"
        return f"{where}, which the key does not go to{_advice(response, target)}"
    if response.request.is_add and not _is_slash_alone(response, target):
        where = f"it leads to {target[:_ADDRESS_SHOWN]}"
        return f"{where}, and an add is not sent twice{_advice(response, target)}"
    return None


def _is_slash_alone(response: Response, target: str) -> bool:
    """Whether an add may go on: its first response leads to its own address, but for a slash."""
    asked = response.request.address
    is_first = response.status in _UNCHANGED and response.address == asked
    return is_first and target in (f"{asked}/", asked.removesuffix("/")) and target != asked


def _advice(response: Response, target: str) -> str:
    """Return to which address the profile should be set, where the target tells."""
    base, pets, _ = target.partition("/v1/pets")
    is_moved = not response.request.address.startswith(f"{base}/v1/")
    return f"; set base_url to {base[:_ADDRESS_SHOWN]}/v1" if pets and is_moved else ""


def one_too_many(response: Response) -> str | None:
    """Return why the last redirect of a chain is not followed; None where there is none."""
    target = _target(response)
    return f"it redirects too often, last to {target[:_ADDRESS_SHOWN]}" if target else None


def _location(response: Response) -> str:
    return response.header("location") if response.status in _FOLLOWED else ""


def _target(response: Response) -> str | None:
    location = _location(response)
    if not location:
        return None
    try:
        return at_own_origin(response, location)
    except ValueError:
        return None


# ── Addresses ─────────────────────────────────────────────────────────────────────────────────────

LONGEST: Final = 8_000  # characters, of an address (RFC 9110, 4.1); 60,000 of a name take minutes


def resolved(base: str, reference: str) -> str:
    """Return the absolute address that a reference leads to in a response of ``base``.

    It has no fragment, and is the same when it is parsed again.

    Raises:
        ValueError: it is not an address, or holds a user name.
    """
    if len(reference) > LONGEST:
        raise ValueError("it is too long")
    if "\\" in reference:
        raise ValueError("it holds a backslash")
    try:
        address = httpx.URL(base).join(reference).copy_with(fragment=None)
        again = httpx.URL(str(address))
    except httpx.InvalidURL as error:
        problem = str(error)
    else:
        if not again.userinfo and _origin(again) == _origin(address):
            return str(again)
        problem = "it holds a user name"
    raise ValueError(problem)


def at_own_origin(response: Response, reference: str) -> str:
    """Return the absolute address that a reference leads to, as ``resolved``.

    A service behind a proxy that does TLS often does not know of it, and links itself by ``http``.
    Such an address, with the service's host, and with its port or none, is asked for at the
    service's own origin, and so never in the clear or at another port.
    """
    own, address = httpx.URL(response.request.address), resolved(response.address, reference)
    found = httpx.URL(address)
    if (own.scheme, found.scheme) != ("https", "http") or own.raw_host != found.raw_host:
        return address
    written = _PORT.match(reference.strip())
    port = int(written[1]) if written is not None else None
    if port not in (None, own.port or 443):
        return address
    return str(found.copy_with(scheme="https", port=own.port))


_PORT: Final = re.compile(r"[a-z]+://[^/?#]*:([0-9]{1,5})(?:[/?#]|$)", re.IGNORECASE)


def same_origin(one: str, other: str) -> bool:
    """Whether two addresses have the same scheme, host and port (RFC 6454)."""
    try:
        return _origin(httpx.URL(one)) == _origin(httpx.URL(other))
    except httpx.InvalidURL:
        return False


def origin_of(address: str) -> str:
    """Return an address's origin, to be shown: "https://store.example:8443"."""
    read = httpx.URL(address)
    return f"{read.scheme}://{read.netloc.decode('ascii')}"


def host_and_port(address: str) -> str:
    """Return an address's host and port, to be shown: "127.0.0.1:8080"; "" of no address."""
    try:
        _, host, port = _origin(httpx.URL(address))
    except httpx.InvalidURL:
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _origin(address: httpx.URL) -> Origin:
    default = {"http": 80, "https": 443}.get(address.scheme)
    return address.scheme, address.raw_host.decode("ascii"), address.port or default


# ── Retry-After (RFC 9110, 10.2.3) ────────────────────────────────────────────────────────────────


def retry_after(response: Response) -> float | None:
    """Return the seconds that a service asks to wait; None where it does not.

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


# ── HTTP-date (RFC 9110, 5.6.7) ───────────────────────────────────────────────────────────────────

_DATE: Final = re.compile(
    r"[a-z]{3,9}, ?\d\d?[ -][a-z]{3}[ -]([1-9]\d{3}|\d\d) \d\d:\d\d:\d\d (GMT|UTC)"
    r"|[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d [1-9]\d{3}",
    re.ASCII | re.IGNORECASE,
)  # its usual form and two old ones; what ``email`` reads beside them is none


def http_date(text: str) -> datetime | None:
    """Return the time that a header states; None where it states none."""
    if not _DATE.fullmatch(text.strip()):
        return None
    try:  # 60 is a leap second
        return parsedate_to_datetime(text.replace(":60 ", ":59 ")).replace(tzinfo=UTC)
    except ValueError:
        return None
