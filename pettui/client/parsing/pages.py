"""The responses of the interface's operations → PetPage and PetAnswer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pettui.client.errors import UnreadableAnswerError
from pettui.client.http_messages import EXCERPT_LENGTH
from pettui.client.parsing.deprecation import notices
from pettui.client.parsing.error_responses import error_body
from pettui.client.parsing.next_link import next_link
from pettui.client.parsing.remarks import (
    added_pet_remarks,
    list_remarks,
    status_remarks,
    too_many_rows,
)
from pettui.client.results import PetAnswer, PetPage, UnreadablePet
from pettui.json_text import (
    BLANK,
    NotJsonError,
    is_list,
    json_elements,
    json_text,
    json_value,
    kind_of,
)
from pettui.models import Pet, is_encodable
from pettui.validation import WrongShapeError, fields_of, pet_of

if TYPE_CHECKING:
    from pettui.client.http_messages import Response

CHUNK: Final = 65_536  # characters
ESCAPE: Final = "\\u"  # without one, what was UTF-8 holds no half of a character


def pet_page(response: Response) -> PetPage:
    """Parse the response of listPets: an array of Pet, of which some may be unreadable.

    Raises:
        UnreadableAnswerError: the body is not an array.
    """
    try:
        room = max(response.limits.rows - response.request.rows_before, 0)
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
            response.request,
            size=len(response.body),
            is_cut=bool(link_remarks) or count > len(rows),
        )
        remarks = list_remarks(response, rows, page.pets, count)
        return replace(page, remarks=(*status_remarks(response), *remarks, *link_remarks))
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
        return PetAnswer(pet, announced, response.elapsed, remarks)
    raise _unreadable(response, wrong)


def _unreadable(response: Response, wrong: NotJsonError | WrongShapeError) -> UnreadableAnswerError:
    is_json = not isinstance(wrong, NotJsonError)
    return UnreadableAnswerError(
        response.status,
        str(wrong) if is_json else f"expected JSON, got {response.content}: {wrong}",
        excerpt=response.excerpt,
        notices=notices(response.request.operation, response.headers),
        maybe_sent=response.request.is_add,
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
    if not is_encodable(json.dumps(fields, ensure_ascii=False)):
        raise WrongShapeError("it contains an incomplete character")


def _check_asked_for(pet: Pet, response: Response) -> None:
    wanted = response.request.pet_id
    if wanted not in (None, pet.id):
        raise WrongShapeError(f"requested animal {wanted}, got {pet.id}")
