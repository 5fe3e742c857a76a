"""Responses → what a call returns, or the error that they are."""

from __future__ import annotations

from collections import Counter
from sys import maxsize
from typing import TYPE_CHECKING, Any, Final

from pettui.client.errors import (
    TOO_MANY,
    UNAVAILABLE,
    ErrorBodyError,
    NoErrorBodyError,
    UnreadableAnswerError,
)
from pettui.client.headers import (
    has_page_links,
    is_replayed,
    next_link,
    notices,
    one_too_many,
    promised_store,
    retry_after,
    why_not_followed,
)
from pettui.client.requests import EXCERPT_LENGTH, PetAnswer, PetPage, Response
from pettui.models.pets import ErrorBody, Pet, UnreadablePet, int64, is_encodable
from pettui.models.validation import WrongShapeError, error_body_of, fields_of, pet_of
from pettui.text.json import (
    BLANK,
    NotJsonError,
    is_list,
    json_elements,
    json_text,
    json_value,
    kind_of,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


CHUNK: Final = 65_536  # characters
ESCAPE: Final = "\\u"  # without one, what was UTF-8 holds no half of a character


def pet_page(response: Response) -> PetPage:
    """Parse the response of listPets: an array of Pet, of which some may be unreadable.

    Raises:
        UnreadableAnswerError: the body is not an array.
    """
    try:
        request = response.request
        maximum = maxsize if request.is_endless else response.limits.rows
        room = max(maximum - request.rows_before, 0)
        rows, count = _rows(_list_text(response), room)
    except (NotJsonError, WrongShapeError) as error:
        wrong = error
    else:
        link, link_remarks = next_link(response)
        if link is not None and count >= room:
            link, link_remarks = None, (too_many_rows(response),) if count == room else ()
        page = PetPage(
            rows,
            notices(response.request.operation, response.headers),
            response.elapsed,
            link,
            request,
            size=len(response.body),
            store_id=promised_store(response),
            is_cut=bool(link_remarks) or count > len(rows),
            is_linked=has_page_links(response),
        )
        remarks = list_remarks(response, page, count)
        return page._replace(remarks=(*status_remarks(response), *remarks, *link_remarks))
    raise _unreadable(response, wrong)


def pet_answer(response: Response) -> PetAnswer:
    """Parse the response of createPet or getPet: a Pet.

    Raises:
        UnreadableAnswerError: the body is not that, or another animal than the one requested.
    """
    try:
        text = _text(response)
        sent = response.body.strip(BLANK.encode())
        pet = _pet(json_value(text), sent, has_escapes=ESCAPE in text)
        _check_asked_for(pet, response)
    except (NotJsonError, WrongShapeError) as error:
        wrong = error
    else:
        announced = notices(response.request.operation, response.headers)
        remarks = (*status_remarks(response), *added_pet_remarks(response, pet))
        return PetAnswer(
            pet,
            announced,
            response.elapsed,
            remarks,
            promised_store(response),
            is_replayed(response),
        )
    raise _unreadable(response, wrong)


def _unreadable(response: Response, wrong: NotJsonError | WrongShapeError) -> UnreadableAnswerError:
    reason = str(wrong)
    if isinstance(wrong, NotJsonError):
        reason = f"expected JSON, got {response.content}: {wrong}"
        if "html" in response.header("content-type").lower():
            reason = f"it is a web page ({response.content}): of a proxy, or of another base_url"
    return UnreadableAnswerError(
        response.status,
        reason,
        excerpt=response.excerpt,
        notices=notices(response.request.operation, response.headers),
        maybe_sent=response.request.is_add,
        store_id=promised_store(response),
    )


def _text(response: Response) -> str:
    if response.body_error is not None or not response.body:
        raise WrongShapeError(f"expected JSON, got {response.content}")
    return json_text(response.body, response.limits)


def _list_text(response: Response) -> str:
    text = _text(response)
    if is_list(text):
        return text
    value = json_value(text)
    raise WrongShapeError(f"expected a list, got {kind_of(value)}{_error_in(value, response)}")


def _error_in(value: Any, response: Response) -> str:
    """Return what an Error body says that came with a status of success; "" where there is none."""
    try:
        body = error_body(value, response.status)
    except WrongShapeError:
        return ""
    return f": {body.code}: {body.message}"


def _rows(text: str, maximum: int) -> tuple[tuple[Pet | UnreadablePet, ...], int]:
    """Return the first elements of a list, each parsed by itself, and how many there are in all."""
    rows: list[Pet | UnreadablePet] = []
    has_escapes, count = ESCAPE in text, 0
    for index, (value, where) in enumerate(json_elements(text)):
        count = index + 1
        if count > maximum:
            continue
        try:
            pet = _pet(value, _encoded(text, where), has_escapes=has_escapes)
        except WrongShapeError as error:
            rows.append(UnreadablePet(index, str(error), text[where][:EXCERPT_LENGTH]))
        else:
            rows.append(pet)
    return tuple(rows), count


def _encoded(text: str, where: slice) -> bytes:
    """Return a part of a text in UTF-8, without a second copy of what may be 8 MB in memory."""
    starts = range(where.start, where.stop, CHUNK)
    return b"".join(text[start : min(start + CHUNK, where.stop)].encode() for start in starts)


def _pet(value: Any, sent: bytes, *, has_escapes: bool) -> Pet:
    fields = fields_of(value)
    if has_escapes:
        _check_characters(fields)
    return pet_of(fields, sent)


def _check_characters(fields: dict[str, Any]) -> None:
    """Refuse halves of characters, which an escape can write: no file or copy could hold them."""
    if not is_encodable(written(fields)):
        raise WrongShapeError("it contains an incomplete character")


def _check_asked_for(pet: Pet, response: Response) -> None:
    wanted = response.request.pet_id
    if wanted not in (None, pet.id):
        raise WrongShapeError(f"requested animal {wanted}, got {pet.id}")


# ── What is odd about a response that can be used all the same, in words; not yet safe to draw ────


def status_remarks(response: Response) -> Iterator[str]:
    """Yield a remark if a success has another status than the interface says."""
    expected = response.request.expected_status
    if response.status != expected:
        yield f"the service answered {response.status} instead of {expected}"


def list_remarks(response: Response, page: PetPage, count: int) -> Iterator[str]:
    """Yield what is odd about a list as a whole.

    Args:
        response: of listPets.
        page: what is loaded of it.
        count: how many rows the response has.
    """
    request, rows = response.request, page.rows
    if request.limit is not None and count > request.limit:
        shown = ", and all are used" if len(page.pets) == count else ""
        if count > len(rows):
            shown = f"; the first {len(rows)} are shown"
        yield f"the service sent {count} animals instead of at most {request.limit}{shown}"
    elif count > len(rows):
        yield too_many_rows(response)
    if page.unfiltered:
        yield page.unfiltered
    if rows and not page.pets:
        yield _no_animal(rows)
    ids = Counter(pet.id for pet in page.pets)
    twice = [pet_id for pet_id, times in ids.items() if times > 1]
    if twice:
        yield f"id {twice[0]} occurs more than once" + (", and others" if twice[1:] else "")


def _no_animal(rows: Sequence[Pet | UnreadablePet]) -> str:
    """Return the remark about a list none of whose rows can be read, as where ids are text."""
    first = next(row for row in rows if isinstance(row, UnreadablePet))
    which = (
        "the only row is no animal" if len(rows) == 1 else f"none of {len(rows)} rows is an animal"
    )
    return (
        f"{which} ({first.reason}); adds are sent all the same, "
        "and are unknown if they are answered like that"
    )


def too_many_rows(response: Response) -> str:
    """Return the remark about a list that is longer than what is loaded of it."""
    return f"more than {response.limits.rows} animals in this list: the rest is not loaded"


def added_pet_remarks(response: Response, pet: Pet) -> Iterator[str]:
    """Yield a remark for each field of an added animal that is not what was sent."""
    new_pet = response.request.new_pet
    if new_pet is None:
        return
    for name, sent, stored in (
        ("name", new_pet.name, pet.name),
        ("categoryId", new_pet.category_id, pet.category_id),
        ("status", new_pet.status or pet.status, pet.status),
    ):
        if sent != stored:
            yield f"the service stored another {name} than was sent"


# ── A response that is no success ─────────────────────────────────────────────────────────────────

TRANSIENT: Final = frozenset({TOO_MANY, 502, UNAVAILABLE, 504})
_MESSAGE_LENGTH: Final = 300  # characters of the message of another kind of error body


def response_error(response: Response) -> ErrorBodyError | NoErrorBodyError:
    """Return the error of a response that is no success.

    The HTTP status counts, whatever the body says. An add that met one of 400 to 499 was not
    carried out. Of the others that can't be known, whatever they say: a proxy may have sent it
    twice.
    """
    is_transient = response.status in TRANSIENT
    circumstances: dict[str, Any] = {  # true whatever its body says
        "notices": notices(response.request.operation, response.headers),
        "maybe_sent": response.request.is_add and not 400 <= response.status < 500,
        "transient": is_transient,
        "retry_after": retry_after(response) if is_transient else None,
        "store_id": promised_store(response),
    }
    body = _body_or_content(response)
    if isinstance(body, str):
        return NoErrorBodyError(response.status, body, excerpt=response.excerpt, **circumstances)
    return ErrorBodyError(response.status, body, **circumstances)


def error_body(value: Any, http_status: int) -> ErrorBody:
    """Parse the interface's Error, whose ``status`` is the HTTP status where it states no number.

    Raises:
        WrongShapeError: it is none; the message says why.
    """
    fields = fields_of(value)
    return error_body_of({**fields, "status": _status(fields, http_status)})


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
    try:
        return int64(value.get("status"))
    except ValueError:
        return http_status


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
