"""Animals as the client returns them, from their JSON, and lines of imports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pettui.models.pets import INT64_MAXIMUM, INT64_MINIMUM, NewPet, Pet, PetStatus
from pettui.models.validation import pet_of
from pettui.text.json import json_value
from pettui.transfer.lines import GoodLine, Position
from pettui.transfer.runs import LineId, numbered_lines

if TYPE_CHECKING:
    from collections.abc import Iterable


INT64 = st.integers(INT64_MINIMUM, INT64_MAXIMUM)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
AWKWARD = st.sampled_from(
    ["", "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'x", "''", "'=1", 'a"b', "a,b", "a\nb",
     "a\r\nb", " Rex ", "\ufeffRex", "id", "name", "3", "Señor Orejas", "🐹", "\0", "\u2028"]
)  # fmt: skip
NAMES = TEXT | AWKWARD
STATUS = st.none() | st.sampled_from(PetStatus)
OTHERS = st.dictionaries(
    NAMES.filter(lambda name: name not in {"id", "name", "categoryId", "status"}),
    st.recursive(
        st.none() | st.booleans() | st.integers() | NAMES,
        lambda values: st.lists(values, max_size=3) | st.dictionaries(NAMES, values, max_size=3),
        max_leaves=5,
    ),
    max_size=3,
)


def a_pet(body: str) -> Pet:
    return pet_of(json_value(body), body.encode())


def plain_pet(pet_id: int = 7, name: str = "Rex", category_id: int = 3, **others: object) -> Pet:
    return a_pet(json.dumps({"id": pet_id, "name": name, "categoryId": category_id, **others}))


@st.composite
def pets(draw: st.DrawFn, statuses: st.SearchStrategy = STATUS | NAMES) -> Pet:
    """Return any animal that a service may send."""
    status = draw(statuses)
    fields = {"id": draw(INT64), "name": draw(NAMES), "categoryId": draw(INT64), **draw(OTHERS)}
    if status is not None or draw(st.booleans()):
        fields["status"] = status
    return a_pet(json.dumps(fields, ensure_ascii=draw(st.booleans())))


def a_line(name: str, category: int = 3, status: str | None = None, line: int = 1) -> GoodLine:
    return GoodLine(Position(line), NewPet(name=name, category_id=category, status=status))


def lines_of(*names: str) -> list[tuple[LineId, GoodLine]]:
    return numbered_lines(a_line(name, line=number) for number, name in enumerate(names, start=2))


def animals(count: int) -> list[tuple[LineId, GoodLine]]:
    return lines_of(*(f"animal {number}" for number in range(1, count + 1)))


def line_ids_of(lines: Iterable[GoodLine]) -> list[LineId]:
    return [line_id for line_id, _ in numbered_lines(lines)]
