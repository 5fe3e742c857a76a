"""A file of last lists is understood completely, or not read at all."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models import PetStatus
from pettui.transfer.last_lists import (
    CONTENT_MAXIMUM,
    LastList,
    LastLists,
    LastView,
    NotUnderstoodError,
    decoded,
    encoded,
)
from tests.transfer.animals import a_pet, pets, plain_pet

ADDRESS = "https://store.example/v1"
BODY = '{"id":7, "name":"Rex","categoryId":3,"price":1.10}'
LAST = LastLists(
    MappingProxyType(
        {
            None: LastList((a_pet(BODY), plain_pet(8, "Mimi 🐹", 2**53 + 1)), 1763726523.25),
            PetStatus.SOLD: LastList((), 0.0),
        }
    ),
    LastView(PetStatus.SOLD, 40, "name", is_descending=True),
)


def test_lists_are_read_back_to_the_last_digit() -> None:
    last = decoded(encoded(LAST, ADDRESS), ADDRESS)
    assert last == LAST
    assert last.lists[None].pets[0].as_json == BODY


def test_empty_lists_are_read_back() -> None:
    assert decoded(encoded(LastLists(), ADDRESS), ADDRESS) == LastLists()


VIEWS = st.builds(
    LastView,
    st.none() | st.sampled_from(PetStatus),
    st.none() | st.integers(1, 100),
    st.sampled_from([None, "id", "name", "category", "status"]),
    is_descending=st.booleans(),
)
LISTS = st.dictionaries(
    st.none() | st.sampled_from(PetStatus),
    st.builds(LastList, st.lists(pets(), max_size=3).map(tuple), st.floats(0, 2e11)),
)


@given(LISTS, VIEWS)
def test_any_lists_are_read_back(lists: dict[PetStatus | None, LastList], view: LastView) -> None:
    last = LastLists(MappingProxyType(lists), view)
    assert decoded(encoded(last, ADDRESS), ADDRESS) == last


def test_lists_of_another_address_are_not_read() -> None:
    with pytest.raises(NotUnderstoodError, match="unexpected content"):
        decoded(encoded(LAST, ADDRESS), "https://other.example/v1")


def test_the_largest_lists_are_left_out_of_a_file_that_would_be_too_large() -> None:
    large = tuple(plain_pet(number, "R" * 30_000) for number in range(20))
    lists = {
        None: LastList(large, 1.0),
        PetStatus.SOLD: LastList(large[:15], 1.0),
        PetStatus.PENDING: LastList(large[:1], 1.0),
    }
    content = encoded(LastLists(MappingProxyType(lists)), ADDRESS)
    assert len(content) <= CONTENT_MAXIMUM
    assert set(decoded(content, ADDRESS).lists) == {PetStatus.SOLD, PetStatus.PENDING}


def test_an_animal_that_is_too_large_is_not_stored() -> None:
    lists = {None: LastList((plain_pet(7, "R" * CONTENT_MAXIMUM),), 1.0)}
    content = encoded(LastLists(MappingProxyType(lists), LAST.view), ADDRESS)
    assert decoded(content, ADDRESS) == LastLists(view=LAST.view)


def changed(path: str, value: object) -> bytes:
    """Return the content with one value changed."""
    fields = json.loads(encoded(LAST, ADDRESS))
    *parents, last = path.split(".")
    part: Any = fields
    for name in parents:
        part = part[int(name)] if isinstance(part, list) else part[name]
    part[int(last) if isinstance(part, list) else last] = value
    return json.dumps(fields).encode()


def without(name: str) -> bytes:
    """Return the content without a field."""
    fields = json.loads(encoded(LAST, ADDRESS))
    del fields[name]
    return json.dumps(fields).encode()


GOOD = encoded(LAST, ADDRESS)
NOT_UNDERSTOOD = {
    "nothing": b"",
    "half of it": GOOD[: len(GOOD) // 2],
    "all but the end": GOOD[:-3],
    "something after it": GOOD + b"{}",
    "zeros": bytes(4096),
    "other bytes": b"\xff\xfe\x00",
    "a list": b"[]",
    "a number": b"7",
    "a number of 5,000 digits": b"7" * 5_000,
    "brackets without end": b"[" * 100_000,
    "more than 1 MB": GOOD + b" " * CONTENT_MAXIMUM,
    "the next version": changed("version", 2),
    "version true": changed("version", value=True),
    "no version": without("version"),
    "no view": without("view"),
    "a field of a later version": changed("api_key", "secret"),
    "no address": changed("address", None),
    "lists in a list": changed("lists", []),
    "a list of an unknown status": changed("lists.on loan", {"as_of": 1, "pets": []}),
    "a list that is null": changed("lists.all", None),
    "a list without time": changed("lists.all", {"pets": []}),
    "a time that is text": changed("lists.all.as_of", "1"),
    "a time that is true": changed("lists.all.as_of", value=True),
    "a time that is no number": changed("lists.all.as_of", float("nan")),
    "a time without end": changed("lists.all.as_of", float("inf")),
    "a time before all": changed("lists.all.as_of", -1),
    "a time after all": changed("lists.all.as_of", 10**400),
    "animals that are text": changed("lists.all.pets", "Rex"),
    "an animal that is an object": changed("lists.all.pets.0", {"id": 1}),
    "an animal that is no JSON": changed("lists.all.pets.0", "{"),
    "an animal that is null": changed("lists.all.pets.0", "null"),
    "an animal without a name": changed("lists.all.pets.0", '{"id":1,"categoryId":3}'),
    "an Error body": changed("lists.all.pets.0", '{"code":"x","message":"y","status":401}'),
    "an animal with two names": changed(
        "lists.all.pets.0", '{"id":1,"name":"a","name":"b","categoryId":3}'
    ),
    "an animal beyond 64 bits": changed(
        "lists.all.pets.0", '{"id":9223372036854775808,"name":"a","categoryId":3}'
    ),
    "half a character": changed(
        "lists.all.pets.0", '{"id":1,"name":"\ud800","categoryId":3}'
    ),
    "half a character, escaped": changed(
        "lists.all.pets.0", '{"id":1,"name":"\\ud800","categoryId":3}'
    ),
    "an animal that is nested deep": changed("lists.all.pets.0", '{"a":' * 50_000),
    "a number of many digits": changed(
        "lists.all.pets.0", '{"id":1,"name":"a","categoryId":3,"x":' + "1" * 5_000 + "}"
    ),
    "more rows than a page": changed("lists.all.pets", [BODY] * 1_001),
    "a view that is null": changed("view", None),
    "an unknown status": changed("view.status", "on loan"),
    "a status that is a list": changed("view.status", []),
    "a limit of nothing": changed("view.limit", 0),
    "a limit beyond the interface's": changed("view.limit", 101),
    "a limit that is text": changed("view.limit", "20"),
    "a limit that is true": changed("view.limit", value=True),
    "a column that is a path": changed("view.column", "../x"),
    "a column of a megabyte": changed("view.column", "x" * 500_000),
    "an order that is a number": changed("view.is_descending", 1),
    "a field of a later view": changed("view.words", "Luna"),
}  # fmt: skip


@pytest.mark.parametrize("content", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_unexpected_content_is_not_read(content: bytes) -> None:
    with pytest.raises(NotUnderstoodError):
        decoded(content, ADDRESS)


@given(st.data())
def test_a_changed_file_is_not_read_or_is_a_list(data: st.DataObject) -> None:
    content = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        last = decoded(bytes(content), ADDRESS)
    except NotUnderstoodError:
        return
    assert decoded(encoded(last, ADDRESS), ADDRESS) == last
