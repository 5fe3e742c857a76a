"""The animals that tests have: plain ones, as a service sends them, awkward ones, and any."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from pettui.client import UnreadablePet
from pettui.models.pets import INT64_MAXIMUM, INT64_MINIMUM, NewPet, Pet, PetStatus
from pettui.models.validation import pet_of
from pettui.text.json import json_value


def a_pet(
    pet_id: int = 1, name: str = "Rex", category: int = 3, status: str | None = "available"
) -> Pet:
    return Pet(id=pet_id, name=name, category_id=category, status=status)


def a_new_pet(name: str = "Rex", category: int = 3, status: PetStatus | None = None) -> NewPet:
    return NewPet(name=name, category_id=category, status=status)


NEW_REX = a_new_pet()


def sent_pet(body: str) -> Pet:
    """Return the animal that a service sends as this JSON, which is kept."""
    return pet_of(json_value(body), body.encode())


def plain_pet(pet_id: int = 7, name: str = "Rex", category_id: int = 3, **others: object) -> Pet:
    """Return an animal as a service sends it, with further fields."""
    return sent_pet(json.dumps({"id": pet_id, "name": name, "categoryId": category_id, **others}))


def an_unreadable(index: int = 0) -> UnreadablePet:
    return UnreadablePet(index, "name: is missing", "{}")


AWKWARD_NAMES = (
    "Rex", "rex", "REX", "Señor Orejas", "Sen\u0303or", "ｆｕｌｌ", "Strauß", "STRAUSS", "STRAUẞ",
    "İzmir", "ırmak", "Irmak", "ﬁn", "Œuvre", "Ægir", "Λόγος", "ΛΟΓΟΣ", "각", "가", "한글",
    "\u1100\u1161\u11a8", "がぎ", "かき", "ｶﾞｷﾞ", "猫", "猫の名前", "שָׁלוֹם", "שלום", "مُحَمَّد", "محمد",
    "أحمد", "कि", "क", "की", "ที่", "ท", "👩\u200d👩\u200d👧", "👩", "👍🏽", "👍", "🇩🇪", "🇩🇪🇫🇷", "✈️",
    "", " ", "\u00a0", "\u200b", "\u0301", "e\u0301\u0302\u0303", "Lu\u00adna", "Lu\u200bna",
    "O’Malley", "O'Malley", "Jean‑Luc", "№ 5", "x² ½", "¨", "´", "٣", "ﷺ", "a\nb", "a\r\nb",
    "<U+200B>", "[bold]x[/]", "\x1b[31mred", "Rex" * 200, "e" + "\u0301" * 600, "\U0001f1e9x",
)  # fmt: skip

awkward_texts = st.one_of(
    st.sampled_from(AWKWARD_NAMES),
    st.lists(st.sampled_from(AWKWARD_NAMES), max_size=3).map(" ".join),
    st.text(
        st.sampled_from("aAáÁ\u0301\u0323sSßﬁfi각가ᄀ\u1161\u11a8かが\u3099ﾞıİi🇩🇪👩\u200d👧🏽 \n"),
        max_size=8,
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)


def category_name(category: int) -> str:
    """The shop's own names; most categories have none."""
    return {1: "Cats", 3: "Dogs", 7: "Vögel und Fische"}.get(category, "")


pets = st.builds(
    a_pet,
    st.integers(-3, 30) | st.integers(INT64_MINIMUM, INT64_MAXIMUM),
    awkward_texts,
    st.integers(-1, 12),
    st.sampled_from(["available", "pending", "sold", None, "lost", "Lost", "zzz", ""]),
)
elements = st.one_of(pets, pets, pets, st.builds(an_unreadable, st.integers(0, 3)))
lists = st.lists(elements, max_size=25)
words = st.one_of(
    st.just(""),
    awkward_texts,
    st.sampled_from(
        ["r", "re", "rex", "se", "or x", "3", "dogs", "not set", "sold", "s", "ss", "가", "か"]
    ),
)

# What a service may send: any text, any number, further fields of any kind.

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


@st.composite
def sent_pets(draw: st.DrawFn, statuses: st.SearchStrategy = STATUS | NAMES) -> Pet:
    """Return any animal that a service may send."""
    status = draw(statuses)
    fields = {"id": draw(INT64), "name": draw(NAMES), "categoryId": draw(INT64), **draw(OTHERS)}
    if status is not None or draw(st.booleans()):
        fields["status"] = status
    return sent_pet(json.dumps(fields, ensure_ascii=draw(st.booleans())))
