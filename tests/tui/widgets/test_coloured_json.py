"""JSON in rows: indented and coloured by kind, with every token as it was sent."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.appearance.glyphs import GlyphSet
from pettui.tui.widgets.coloured_json import json_rows
from pettui.tui.widgets.runs import width_of


def drawn(text: str, width: int = 60, *, is_cut: bool = False) -> list[str] | None:
    rows = json_rows(GlyphSet(), text, width, is_cut=is_cut)
    return None if rows is None else ["".join(piece for piece, _ in row) for row in rows]


def test_members_stand_on_a_row_each_and_empty_containers_on_one() -> None:
    text = '[{"id":7,"name":"Rex","others":{}},[]]'
    assert drawn(text) == json.dumps(json.loads(text), indent=2).splitlines()


def test_each_kind_of_value_has_its_style_and_numbers_keep_their_digits() -> None:
    rows = json_rows(GlyphSet(), '{"a":1.10,"b":"x","c":null}', 60)
    assert rows is not None
    styles = {piece.strip(): style for row in rows for piece, style in row}
    assert {
        '"a"': "json-name",
        "1.10": "json-number",
        '"x"': "json-string",
    }.items() <= styles.items()
    assert styles["null"] == "json-word"


@pytest.mark.parametrize("end", [*range(1, 41)])
def test_what_was_cut_anywhere_is_shown_as_far_as_it_goes(end: int) -> None:
    text = '[{"id":7,"name":"R\\"x","a":-1.5e3,"b":nul'[:end]
    rows = drawn(text, is_cut=True)
    assert rows is not None
    assert re.sub(r"\s", "", "".join(rows)) == text


@pytest.mark.parametrize(
    "text", ["", "Rex", "7", '"x"', "[1", "{]", "[] []", "<html>", "[tru]", "[Rex]"]
)
def test_anything_else_is_no_json(text: str) -> None:
    assert drawn(text) is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=30),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    ).filter(lambda value: isinstance(value, list | dict)),
    st.integers(3, 70),
)  # fmt: skip
def test_no_row_is_wider_than_its_room_and_nothing_is_lost(value: object, width: int) -> None:
    text = json.dumps(value)
    rows = json_rows(GlyphSet(), text, width)
    assert rows is not None
    assert all(width_of(row) <= width for row in rows)
    shown = "".join(piece for row in rows for piece, style in row if style)
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", text)
