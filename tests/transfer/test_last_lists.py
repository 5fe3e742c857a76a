"""A file of last lists is understood completely, or not read at all."""

from __future__ import annotations

import hashlib
import re
from types import MappingProxyType

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pettui.models import PetStatus
from pettui.transfer.last_lists import (
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
    with pytest.raises(NotUnderstoodError, match="another address"):
        decoded(encoded(LAST, ADDRESS), "https://other.example/v1")


def test_the_largest_lists_are_left_out_of_a_file_that_would_be_too_large() -> None:
    large = tuple(plain_pet(number, "R" * 30_000) for number in range(20))
    lists = {
        None: LastList(large, 1.0),
        PetStatus.SOLD: LastList(large[:15], 1.0),
        PetStatus.PENDING: LastList(large[:1], 1.0),
    }
    content = encoded(LastLists(MappingProxyType(lists)), ADDRESS)
    assert len(content) <= 1_000_000
    assert set(decoded(content, ADDRESS).lists) == {PetStatus.SOLD, PetStatus.PENDING}


def test_an_animal_that_is_too_large_is_not_stored() -> None:
    lists = {None: LastList((plain_pet(7, "R" * 1_000_000),), 1.0)}
    content = encoded(LastLists(MappingProxyType(lists), LAST.view), ADDRESS)
    assert decoded(content, ADDRESS) == LastLists(view=LAST.view)


GOOD = encoded(LAST, ADDRESS)
OTHER_VERSION = re.sub(rb'"version":1', b'"version":2', GOOD.partition(b"\n")[2])
NOT_UNDERSTOOD = {
    "nothing": b"",
    "half of it": GOOD[: len(GOOD) // 2],
    "its JSON alone": GOOD.partition(b"\n")[2],
    "another animal": GOOD.replace(b"Rex", b"Max"),
    "brackets without end": b"[" * 100_000,
    "the next version": hashlib.sha256(OTHER_VERSION).hexdigest().encode() + b"\n" + OTHER_VERSION,
}


@pytest.mark.parametrize("content", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_what_this_version_did_not_write_like_this_is_not_read(content: bytes) -> None:
    with pytest.raises(NotUnderstoodError):
        decoded(content, ADDRESS)


@given(st.data())
def test_a_changed_file_is_not_read(data: st.DataObject) -> None:
    content = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    assume(bytes(content) != GOOD)
    with pytest.raises(NotUnderstoodError):
        decoded(bytes(content), ADDRESS)
