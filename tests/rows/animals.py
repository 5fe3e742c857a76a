"""Animals with awkward names, and rows of them for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from pettui.client import UnreadablePet
from pettui.models.pets import INT64_MAXIMUM, INT64_MINIMUM, Pet

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


def a_pet(
    pet_id: int = 1, name: str = "Rex", category: int = 3, status: str | None = "available"
) -> Pet:
    return Pet(id=pet_id, name=name, category_id=category, status=status)


def an_unreadable(index: int = 0) -> UnreadablePet:
    return UnreadablePet(index, "name: is missing", "{}")


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
