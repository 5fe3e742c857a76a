"""The answers of the interface's operations → PetPage and PetAnswer, or the error that they are."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pettui.client.errors import UnreadableAnswerError
from pettui.client.http_messages import EXCERPT_LENGTH
from pettui.client.parsing.deprecation import notices
from pettui.client.parsing.error_responses import error_body
from pettui.client.parsing.next_link import next_link
from pettui.client.results import PetAnswer, PetPage, UnreadablePet
from pettui.field_rules import is_encodable
from pettui.json_text import (
    BLANK,
    NotJsonError,
    is_list,
    json_elements,
    json_text,
    json_value,
)
from pettui.json_types import WrongShapeError, fields_of, kind_of, reason_of
from pettui.models import Pet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.client.http_messages import Response

PIECE: Final = 65_536  # characters
ESCAPE: Final = "\\u"  # without one, what was UTF-8 holds no half characters


def pet_page(response: Response) -> PetPage:
    """Read the answer of listPets: an array of Pet.

    Raises:
        UnreadableAnswerError: the body is not that. One element that is no Pet costs itself alone.
    """
    try:
        room = max(response.limits.rows - response.request.rows_before, 0)
        rows, count = _rows(_list_text(response), room)
    except (NotJsonError, WrongShapeError) as error:
        wrong = error
    else:
        link, said = next_link(response)
        if link is not None and count >= room:
            link, said = None, (_full(response),) if count == room else ()
        page = PetPage(
            rows,
            notices(response.request.operation, response.headers),
            response.elapsed,
            link,
            response.request,
            size=len(response.body),
            is_cut=bool(said) or count > len(rows),
        )
        remarks = (*_status_remark(response), *_remarks(response, page, count), *said)
        return replace(page, remarks=remarks)
    raise _unreadable(response, wrong)


def pet_answer(response: Response) -> PetAnswer:
    """Read the answer of createPet and getPet: a Pet.

    Raises:
        UnreadableAnswerError: the body is not that, or another animal than the one asked for.
    """
    try:
        text = _text(response)
        pet = _pet(json_value(text), has_escapes=ESCAPE in text)
        pet.came_as(response.body.strip(BLANK.encode()))
        _check_asked_for(pet, response)
    except (NotJsonError, WrongShapeError) as error:
        wrong = error
    else:
        told = notices(response.request.operation, response.headers)
        remarks = (*_status_remark(response), *_difference(response, pet))
        return PetAnswer(pet, told, response.elapsed, remarks)
    raise _unreadable(response, wrong)


def _unreadable(response: Response, wrong: NotJsonError | WrongShapeError) -> UnreadableAnswerError:
    is_json = not isinstance(wrong, NotJsonError)
    return UnreadableAnswerError(
        response.status,
        str(wrong) if is_json else f"JSON was expected, {response.came} came: {wrong}",
        excerpt=response.excerpt,
        notices=notices(response.request.operation, response.headers),
        maybe_sent=response.request.is_add,
    )


def _text(response: Response) -> str:
    if response.body_error is not None or not response.body:
        raise WrongShapeError(f"JSON was expected, {response.came} came")
    return json_text(response.body, response.limits)


def _list_text(response: Response) -> str:
    text = _text(response)
    if is_list(text):
        return text
    value = json_value(text)
    raise WrongShapeError(
        f"a list was expected, {kind_of(value)} came{_error_told(value, response)}"
    )


def _error_told(value: Any, response: Response) -> str:
    """Give what an Error body says that stands under a success."""
    try:
        body = error_body(value, response.status)
    except WrongShapeError:
        return ""
    return f": {body.code}: {body.message}"


def _rows(text: str, maximum: int) -> tuple[tuple[Pet | UnreadablePet, ...], int]:
    """Return the first elements of a list, each read for itself, and how many there are in all."""
    rows: list[Pet | UnreadablePet] = []
    has_escapes, count = ESCAPE in text, 0
    for index, (value, where) in enumerate(json_elements(text)):
        count = index + 1
        if count > maximum:
            continue
        try:
            pet = _pet(value, has_escapes=has_escapes)
        except WrongShapeError as error:
            rows.append(UnreadablePet(index, str(error), text[where][:EXCERPT_LENGTH]))
        else:
            pet.came_as(_encoded(text, where))
            rows.append(pet)
    return tuple(rows), count


def _encoded(text: str, where: slice) -> bytes:
    """Return a part of a text in UTF-8, without a second copy of what may be 8 MB in memory."""
    starts = range(where.start, where.stop, PIECE)
    return b"".join(text[start : min(start + PIECE, where.stop)].encode() for start in starts)


def _pet(value: Any, *, has_escapes: bool) -> Pet:
    fields = fields_of(value)
    if has_escapes:
        _check_characters(fields)
    try:
        return Pet(**fields)
    except ValueError as error:
        raise WrongShapeError(reason_of(error)) from None


def _check_characters(fields: dict[str, Any]) -> None:
    """Refuse half characters, which an escape can write: no file or copy could hold them."""
    if not is_encodable(json.dumps(fields, ensure_ascii=False)):
        raise WrongShapeError("it contains an incomplete character")


def _check_asked_for(pet: Pet, response: Response) -> None:
    wanted = response.request.pet_id
    if wanted not in (None, pet.id):
        raise WrongShapeError(f"animal {wanted} was asked for, {pet.id} came")


def _status_remark(response: Response) -> Iterator[str]:
    expected = response.request.expected_status
    if response.status != expected:
        yield f"the service answered {response.status} in place of {expected}"


def _remarks(response: Response, page: PetPage, count: int) -> Iterator[str]:
    """Say what is odd about a list as a whole."""
    request, pets = response.request, page.pets
    if request.limit is not None and count > request.limit:
        shown = f"; the first {len(page.rows)} are shown" if count > len(page.rows) else ""
        yield f"{count} animals came where {request.limit} were asked for{shown}"
    elif count > len(page.rows):
        yield _full(response)
    strangers = sum(request.status not in (None, pet.status) for pet in pets)
    if strangers:
        yield f"{strangers} of another status than {request.status}"
    twice = [pet_id for pet_id, times in Counter(pet.id for pet in pets).items() if times > 1]
    if twice:
        yield f"id {twice[0]} is there more than once" + (", and others" if twice[1:] else "")


def _full(response: Response) -> str:
    return f"more than {response.limits.rows} animals in this list: the rest is not loaded"


def _difference(response: Response, pet: Pet) -> Iterator[str]:
    """Say which fields of an added animal are not what was sent."""
    new_pet = response.request.new_pet
    if new_pet is None:
        return
    for name, sent, kept in (
        ("name", new_pet.name, pet.name),
        ("categoryId", new_pet.category_id, pet.category_id),
        ("status", new_pet.status or pet.status, pet.status),
    ):
        if sent != kept:
            yield f"the service kept another {name} than was sent"
