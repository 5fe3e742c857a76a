"""In whatever pieces a file is read, its lines, records and elements are the same."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.transfer.reading.csv_records import csv_records
from pettui.transfer.reading.json_elements import list_elements, listless_values
from pettui.transfer.reading.physical_lines import physical_lines
from pettui.transfer.reading.text_pieces import text_pieces
from tests.transfer.animals import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

MAXIMUM = 1_000
CUTS = st.lists(st.integers(0, 200), max_size=5).map(sorted)


def cut(text: str, cuts: list[int]) -> Iterator[str]:
    """Return a text in pieces."""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        yield text[start:end]


class Trickle(io.BytesIO):
    """A file that returns a byte at a time."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size or 0, 1) if (size or 0) > 0 else size)


@given(st.text(st.sampled_from("ab,\r\n\u2028\x0b")), CUTS)
def test_lines_end_as_in_an_editor(text: str, cuts: list[int]) -> None:
    lines = list(physical_lines(cut(text, cuts), MAXIMUM))
    assert "".join(line.text or "" for line in lines) == text
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    assert [(line.text or "").rstrip("\r\n") for line in lines] == (
        unified.removesuffix("\n").split("\n") if text else []
    )


@pytest.mark.parametrize("size", [10, 11, 100])
def test_a_line_that_is_too_long_is_not_kept_in_memory(size: int) -> None:
    pieces = ["a\n", "x" * (size // 2), "x" * (size - size // 2), "\nb"]
    texts = [line.text for line in physical_lines(pieces, 11)]
    assert texts == ["a\n", "x" * size + "\n" if size < 11 else None, "b"]


@given(st.lists(st.lists(NAMES, min_size=2, max_size=4), max_size=5), CUTS, st.sampled_from(",;\t"))
def test_what_the_csv_module_writes_is_read(
    rows: list[list[str]], cuts: list[int], delimiter: str
) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows(rows)
    lines = physical_lines(cut(file.getvalue(), cuts), MAXIMUM * 100)
    records = [list(record.cells) for record in csv_records(lines, delimiter, MAXIMUM * 100)]
    assert records == [row for row in rows if any(cell and not cell.isspace() for cell in row)]


@given(st.text(st.sampled_from('a",\n')), CUTS)
def test_any_quotation_marks_are_read_or_reported(text: str, cuts: list[int]) -> None:
    whole = list(csv_records(physical_lines([text], MAXIMUM), ",", MAXIMUM))
    assert whole == list(csv_records(physical_lines(cut(text, cuts), MAXIMUM), ",", MAXIMUM))
    lines = [record.line for record in whole]
    assert lines == sorted(set(lines))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(VALUES, max_size=5), CUTS, st.sampled_from([None, 1]))
def test_the_elements_of_any_list_are_found(
    values: list[object], cuts: list[int], indent: int | None
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=indent is None)
    pieces = [text[:1], *cut(text[1:], cuts)]
    elements = list(list_elements(pieces, MAXIMUM * 100))
    assert [json.loads(element.text or "") for element in elements] == values
    assert all(element.fault is None for element in elements)


@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=3), max_size=4), CUTS)
def test_objects_without_a_list_are_found(values: list[object], cuts: list[int]) -> None:
    text = "\n".join(json.dumps(value, indent=1) for value in values)
    elements = list(listless_values(cut(text, cuts), MAXIMUM * 100))
    assert [json.loads(element.text or "") for element in elements] == values


@given(st.text(st.sampled_from('[]{},"\\ \na')), CUTS)
def test_the_elements_of_a_broken_list_do_not_depend_on_the_pieces(
    text: str, cuts: list[int]
) -> None:
    whole = list(list_elements(["[" + text], MAXIMUM))
    assert whole == list(list_elements(["[", *cut(text, cuts)], MAXIMUM))
    assert [element.line for element in whole] == sorted(element.line for element in whole)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_slow_file_is_read_completely(encoding: str) -> None:
    text = "Señor Orejas 🐹,3\r\n" * 5
    assert "".join(text_pieces(Trickle(text.encode(encoding)), "a.csv", MAXIMUM)) == text
