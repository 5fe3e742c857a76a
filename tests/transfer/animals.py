"""Animals as the client returns them, from their JSON."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from pettui.json_text import json_value
from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, Pet, PetStatus
from pettui.validation import pet_of

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
