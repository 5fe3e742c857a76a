"""Text from outside: nothing of it steers the terminal, and what people write stays readable.

How it is cut, filled and broken by cells; what a clerk takes for the same letter, and for a character.
"""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pettui.appearance.glyphs import GlyphSet, glyphs_for
from pettui.models.pets import PetStatus
from pettui.settings.settings import Glyphs
from pettui.text.amounts import counted, duration
from pettui.text.folding import CHARACTERS_MAXIMUM, LATIN, SINGLE, clusters, fold, folded_clusters
from pettui.text.safe import LATIN_1, MARKS_MAXIMUM, pieces, safe
from pettui.tui.widgets.runs import cut_runs, width_of
from tests.rows.animals import AWKWARD_NAMES, awkward_texts

UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
MARK = "\u0301"

# Characters that a text is made of when it means ill, more often than by chance.
NASTY = st.sampled_from(
    "\x00\x07\x08\t\n\r\x1b\x7f\x80\x85\x90\x9b\x9c\x9d\xa0\xad"
    "\u034f\u0300\u0301\u0488\u061c\u093f\u0e33\u0e49\u115f\u1100\u1160\u1161\u11a8\u1680\u17b4"
    "\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u20e3"
    "\u2764\u2800\u3000\u3164\uac00\ud7b0\ud7cb\ud800\udfff\ue000\ufe00\ufe0f\ufeff\uffa0\ufff9"
    "\ufffc\ufffe\U0001f1e9\U0001f3fb\U0001f468\U0001f6dc\U0001fae8\U000e0001\U000e0041\U000e0100"
    "\U0010ffff[]<>a1"
)
TEXTS = st.text(st.characters() | NASTY | st.characters(categories=["Mn", "Mc", "Me", "Cf"]))


@given(TEXTS)
def test_no_invisible_character_gets_through(text: str) -> None:
    assert not {unicodedata.category(character) for character in safe(text)} & UNSEEN


@given(TEXTS)
def test_the_width_of_a_text_is_the_sum_of_its_characters(text: str) -> None:
    result = safe(text)
    assert cell_len(result) == sum(map(cell_len, result))


@given(TEXTS)
def test_a_few_zero_width_characters_follow_a_visible_one(text: str) -> None:
    run = MARKS_MAXIMUM  # none stands at the beginning
    for character in safe(text):
        run = 0 if cell_len(character) else run + 1
        assert run <= MARKS_MAXIMUM


@given(TEXTS)
def test_a_text_that_is_safe_stays_as_it_is(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(TEXTS)
def test_only_ascii_gets_through_if_requested(text: str) -> None:
    result = safe(text, ascii_only=True)
    assert result.isascii()
    assert result.isprintable()


@given(TEXTS, st.integers(0, 30))
def test_a_limit_keeps_only_the_start(text: str, limit: int) -> None:
    ellipsis = "…" if len(text) > limit else ""
    assert safe(text, limit) == safe(text[:limit]) + ellipsis
    ellipsis = "..." if len(text) > limit else ""
    assert safe(text, limit, ascii_only=True) == safe(text[:limit], ascii_only=True) + ellipsis


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_ascii_stays_as_it_is(text: str) -> None:
    assert safe(text) == text
    assert safe(text, ascii_only=True) == text


def test_every_single_character_is_safe() -> None:
    """No character of Unicode is unseen after a letter, of all planes that hold any."""
    for number in (*range(0x30000), *range(0xDFFF0, 0xE0200), *range(0xFFFF0, sys.maxunicode, 99)):
        result = safe(f"a{chr(number)}")
        assert not {unicodedata.category(character) for character in result} & UNSEEN, hex(number)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("\x1b[2J", "␛[2J"),
        ("\x1b]52;c;cm0gLXJm\x07", "␛]52;c;cm0gLXJm␇"),
        ("\x1b]8;;https://evil.example\x1b\\Rex\x1b]8;;\x1b\\", "␛]8;;https://evil.example␛\\Rex␛]8;;␛\\"),
        ("\x1bc\x0e\x0f\x05", "␛c␎␏␅"),
        ("\x9b31m\x9d0;title\x9c\x90q\x9c", "<U+009B>31m<U+009D>0;title<U+009C><U+0090>q<U+009C>"),
        ("a\r\nb\tc\x08\x7f\x00", "a␍␊b␉c␈␡␀"),
        ("\x85\u2028\u2029", "<U+0085><U+2028><U+2029>"),
        ("Rex\u202egnp.exe", "Rex<U+202E>gnp.exe"),
        ("\u2066\u2067\u2068\u2069", "<U+2066><U+2067><U+2068><U+2069>"),
        ("Re\u200bx", "Re<U+200B>x"),
        ("Re\u200dx", "Re<U+200D>x"),
        ("Re\u2060\ufeff\u00adx", "Re<U+2060><U+FEFF><U+00AD>x"),
        ("Rex\U000e0052\U000e0045", "Rex<U+E0052><U+E0045>"),
        ("\u3164\uffa0\u115f\u1160", "<U+3164><U+FFA0><U+115F><U+1160>"),
        ("\u2800\u17b4\u17b5\u180e", "<U+2800><U+17B4><U+17B5><U+180E>"),
        ("\ud83d\udc39 \ud800", "<U+D83D><U+DC39> <U+D800>"),
        ("\ue0b0\U000f0000\U0010fffd", "<U+E0B0><U+F0000><U+10FFFD>"),
        ("\uffff\ufdd0\u0378", "<U+FFFF><U+FDD0><U+0378>"),
        ("Rex\ufe0f\ufe0e", "Rex<U+FE0E>"),
        ("\ufe0fRex", "<U+FE0F>Rex"),
        ("\U0001f3fd\U0001f3fd", "<U+1F3FD><U+1F3FD>"),
    ],
    ids=ascii,
)  # fmt: skip
def test_controls_and_invisible_characters_are_made_visible(text: str, result: str) -> None:
    assert safe(text) == result


@pytest.mark.parametrize("space", "\u00a0\u1680\u2000\u2003\u2007\u2009\u200a\u202f\u205f")
def test_every_space_is_a_space(space: str) -> None:
    assert safe(f"a{space}b") == "a b"


def test_a_stack_of_marks_is_cut_and_counted() -> None:
    assert safe("a" + MARK * 4) == "a" + MARK * 4
    assert safe("a" + MARK * 1000 + "b") == "a" + MARK * 4 + "<+996 marks>b"


@pytest.mark.parametrize("between", ["\ufe0f", "\ufe00"])
def test_characters_that_are_left_out_do_not_hide_a_stack_of_marks(between: str) -> None:
    assert safe("a" + (MARK * 3 + between) * 100).count(MARK) == 4


@pytest.mark.parametrize("before", ["", " ", "\n", "\u200b"])
def test_a_mark_without_a_letter_gets_a_dotted_circle(before: str) -> None:
    assert safe(f"{before}{MARK}x") == f"{safe(before)}◌{MARK}x"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "👨👩👧👦"),
        ("\U0001f44d\U0001f3fd", "👍"),
        ("\U0001f937\u200d\u2642\ufe0f", "🤷♂"),
        ("\u2764\ufe0f\u2764\ufe0e\u2764", "❤❤❤"),
        ("1\ufe0f\u20e3#\ufe0f\u20e3", "1\u20e3#\u20e3"),
        ("\U0001f1e9\U0001f1ea \U0001f1eb", "DE F"),
        ("葛\U000e0100飾", "葛飾"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "میخواهم"),
        ("\u0dc1\u0dca\u200d\u0dbb\u0dd3", "\u0dc1\u0dca\u0dbb\u0dd3"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u0937"),
        (unicodedata.normalize("NFD", "한글 강아지"), "한글 강아지"),
        ("\u1161a\u11a8", "<U+1161>a<U+11A8>"),
    ],
    ids=["family", "tone", "shrug", "hearts", "keycaps", "flags", "a variant of Chinese",
         "a joiner of Persian", "one of Sinhala", "one of Hindi", "Korean in letters",
         "letters of no syllable"],
)  # fmt: skip
def test_what_terminals_disagree_on_is_drawn_in_its_parts(text: str, result: str) -> None:
    assert safe(text) == result


@pytest.mark.parametrize(
    "text",
    [
        "Zoë Müller-Ångström",
        "Ελένη Ωμέγα",
        "हिन्दी क्षत्रिय",
        "ภาษาไทย น้ำ",
        "한글 강아지",
        "日本語のいぬ\u3000犬",
        "עִבְרִית שָׁלוֹם",
        "العربيّة كلب",
        "Tiếng Việt",
        "① ½ № € ™ → ☃ ♞ ▒ ⠓⠊",
    ],
)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "result"),
    [("Zoë", "Zo<U+00EB>"), ("\x1b[0m\x7f", "^[[0m^?"), ("🐹\n", "<U+1F439>^J")],
)
def test_a_terminal_without_unicode_gets_numbers(text: str, result: str) -> None:
    assert safe(text, ascii_only=True) == result


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("Señor", ["S", "e", "ñ", "o", "r"]),
        ("Sen\u0303or", ["S", "e", "ñ", "", "o", "r"]),
        ("\u0303n\u0303\u0301", ["<U+0303>", "ñ", "", "<U+0301>"]),
        ("x\u0303Ł\t", ["x", "<U+0303>", "<U+0141>", "^I"]),
        ("🐹\x9b\u00ad", ["<U+1F439>", "<U+009B>", "<U+00AD>"]),
    ],
)
def test_letters_that_a_terminal_has_beyond_ascii_are_drawn_composed(
    text: str, drawn: list[str]
) -> None:
    glyphs = glyphs_for(Glyphs.ASCII, has_latin_1=True)
    assert pieces(text, ascii_only=True, also=LATIN_1) == drawn
    assert glyphs.safe(text) == "".join(drawn)
    assert glyphs.ellipsis == "..."


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 animals"), (1, "1 animal"), (2, "2 animals"), (1_000, "1,000 animals")],
)
def test_animals_are_counted_in_words(count: int, text: str) -> None:
    assert counted(count) == text


GLYPH_SETS = [glyphs_for(glyphs) for glyphs in Glyphs]
each_glyph_set = pytest.mark.parametrize("glyphs", GLYPH_SETS, ids=["unicode", "ascii"])
WIDE_TEXTS = st.text(st.sampled_from("ab é小🐹한\u0301 "), max_size=30)


@each_glyph_set
@given(text=WIDE_TEXTS, width=st.integers(-1, 40))
def test_a_cut_text_fits_its_width_and_ends_in_an_ellipsis(
    glyphs: GlyphSet, text: str, width: int
) -> None:
    shown = glyphs.cut(glyphs.safe(text), width)
    assert cell_len(shown) <= max(width, 0)
    if shown != glyphs.safe(text) and width >= len(glyphs.ellipsis):
        assert shown.endswith(glyphs.ellipsis)


@each_glyph_set
@given(text=WIDE_TEXTS, width=st.integers(0, 40))
def test_a_fitted_text_takes_exactly_its_width(glyphs: GlyphSet, text: str, width: int) -> None:
    assert cell_len(glyphs.fit(glyphs.safe(text), width)) == width


@each_glyph_set
@given(text=WIDE_TEXTS, width=st.integers(2, 20), rows=st.integers(1, 4))
def test_a_wrapped_text_keeps_to_its_rows_and_its_width(
    glyphs: GlyphSet, text: str, width: int, rows: int
) -> None:
    lines = glyphs.wrap(glyphs.safe(text), width, rows)
    assert len(lines) <= rows
    assert all(cell_len(line) <= width for line in lines)


@given(text=st.text(st.sampled_from("abc "), max_size=60), width=st.integers(3, 20))
def test_a_wrapped_text_is_whole_or_ends_in_an_ellipsis(text: str, width: int) -> None:
    lines = GlyphSet().wrap(text, width, 3)
    if not lines[-1].endswith("…"):
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_line_has_single_blanks_and_says_where_it_was_cut() -> None:
    glyphs = GlyphSet()
    assert glyphs.line("  a \n\t b  ") == "a b"
    assert glyphs.line("x" * 600) == "x" * 500 + "…"
    assert glyphs.line(" " * 5000 + "Rex").endswith("…")


def test_statuses_have_a_glyph_and_a_word_and_an_unknown_one_its_own() -> None:
    for glyphs in GLYPH_SETS:
        statuses = ("available", "pending", "sold", None, "x")
        assert len({glyphs.status_glyph(status) for status in statuses}) == 5
        assert glyphs.status_word(None) == "not set"
        assert glyphs.status_word("on loan") == "on loan"


def test_glyphs_of_a_terminal_without_unicode_are_ascii() -> None:
    glyphs = glyphs_for(Glyphs.ASCII)
    signs = (glyphs.cursor, glyphs.new, glyphs.changed, glyphs.error, glyphs.notice, glyphs.done,
             glyphs.waiting, glyphs.dot, glyphs.ellipsis, glyphs.spinner, glyphs.left, glyphs.right,
             *map(glyphs.status_glyph, (*PetStatus, None, "x")), *glyphs.keys.values())  # fmt: skip
    assert all(sign.isascii() for sign in signs)
    assert glyphs.safe("Zoë") == "Zo<U+00EB>"


RUNS = st.lists(st.tuples(WIDE_TEXTS, st.just("")), max_size=6)


@given(runs=RUNS, width=st.integers(0, 40))
def test_cut_runs_are_whole_or_end_in_an_ellipsis(runs: list[tuple[str, str]], width: int) -> None:
    shown = cut_runs(GlyphSet(), runs, width)
    assert width_of(shown) <= width
    if width_of(runs) > width > 0:
        assert shown[-1][0].endswith("…")
    elif width_of(runs) <= width:
        assert shown == runs


SAME = {
    "case": ("REX", "rex"),
    "accents": ("Señor", "senor"),
    "Vietnamese": ("Nguyễn Đức", "nguyen duc"),
    "width": ("ｆｕｌｌ　Ｗｉｄｔｈ", "full width"),
    "narrow kana": ("ｶﾞｷﾞ", "ガギ"),
    "sharp s": ("Strauß", "strauss"),
    "ligature": ("ﬁn", "fin"),
    "joined letters": ("Œuvre Ægir Ĳ", "oeuvre aegir ij"),
    "stroke": ("Bjørn Łódź", "bjorn lodz"),
    "Turkish capital dotted i": ("İzmir", "izmir"),
    "Turkish dotless i": ("ırmak", "irmak"),
    "final sigma": ("ΛΌΓΟΣ", "λογος"),
    "Cyrillic": ("ЁЛКА", "елка"),
    "Korean in letters": ("\u1100\u1161\u11a8", "각"),
    "kana in parts": ("か\u3099", "が"),
    "Hebrew points": ("שָׁלוֹם", "שלום"),
    "Arabic hamza": ("أحمد", "احمد"),
    "Arabic shapes": ("ﻼ", "لا"),
    "stretched Arabic": ("محـــمد", "محمد"),
    "raised digits": ("x²", "x2"),
    "apostrophes": ("O’Malley", "o'malley"),
    "hyphens": ("Jean‑Luc", "jean-luc"),
    "a hyphen that is not seen": ("Lu\u00adna", "luna"),
    "emoji and text": ("✈\ufe0f", "✈"),
    "tone of skin": ("👍🏽", "👍"),
    "flag, which is drawn as letters": ("🇩🇪", "de"),
}
DIFFERENT = {
    "a syllable and one with another ending": ("가", "각"),
    "a syllable and its first letter": ("가", "\u1100"),
    "kana with and without strokes": ("が", "か"),
    "vowels of Devanagari": ("कि", "की"),
    "a free-standing accent and a blank": ("¨", " "),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_letters_that_a_clerk_takes_for_the_same_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_letters_that_a_reader_tells_apart_fold_differently(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize("text", ["猫の名前", "한글", "שלום", "محمد", "नमस्ते", "rex 12"])
def test_a_text_without_another_form_is_unchanged(text: str) -> None:
    assert fold(text) == text


@given(awkward_texts)
def test_a_text_is_the_sum_of_its_clusters(text: str) -> None:
    assert "".join(folded for _, _, folded in folded_clusters(text)) == fold(text)


@given(awkward_texts)
def test_clusters_cover_the_whole_text(text: str) -> None:
    assert "".join(text[start:end] for start, end in clusters(text)) == text


@given(awkward_texts)
def test_no_word_folds_to_a_text_with_a_blank_or_a_line_break(text: str) -> None:
    assert all(len(fold(word).split()) <= 1 for word in text.split())


CLUSTERS = {
    "letters": ("ab", ["a", "b"]),
    "marks": ("e\u0301\u0302x", ["e\u0301\u0302", "x"]),
    "a mark without a letter": ("\u0301a", ["\u0301", "a"]),
    "joined emoji": ("👩\u200d👩\u200d👧👩", ["👩\u200d👩\u200d👧", "👩"]),
    "a joiner between letters": ("a\u200db", ["a\u200d", "b"]),
    "a tone": ("👍🏽👍", ["👍🏽", "👍"]),
    "flags": ("🇩🇪🇫🇷🇮", ["🇩🇪", "🇫🇷", "🇮"]),
    "letters of a syllable": (
        "\u1100\u1161\u11a8\u1100\u1161",
        ["\u1100\u1161\u11a8", "\u1100\u1161"],
    ),
    "a syllable and its ending": ("가\u11a8나", ["가\u11a8", "나"]),
    "a vowel sign": ("कि ", ["कि", " "]),
    "Thai": ("ที่ทำ", ["ที่", "ทำ"]),
    "narrow kana": ("ｶﾞｷ", ["ｶﾞ", "ｷ"]),
    "a line's end": ("a\r\nb", ["a", "\r\n", "b"]),
    "a control character and a mark": ("\x1b\u0301", ["\x1b", "\u0301"]),
}


@pytest.mark.parametrize(("text", "expected"), CLUSTERS.values(), ids=CLUSTERS)
def test_a_cluster_is_what_a_reader_takes_for_one_character(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in clusters(text)] == expected


def test_characters_that_count_as_single_are_no_marks_and_hide_no_blank() -> None:
    single = [
        chr(code) for code in range(0x20, sys.maxunicode + 1) if re.fullmatch(SINGLE, chr(code))
    ]
    assert len(single) > 30_000
    assert LATIN.issubset(single)
    joining = [
        character
        for character in single
        if unicodedata.category(character)[0] == "M"
        or (" " in unicodedata.normalize("NFKD", character) and character != " ")
    ]
    assert joining == []


@pytest.mark.parametrize(
    "text", ["x" * 10**6, "é" * 10**6, "👩\u200d" * 10**5, "e" + "\u0301\u0323" * 10**6]
)
def test_no_more_is_folded_than_is_drawn(text: str) -> None:
    assert len(fold(text)) <= CHARACTERS_MAXIMUM


@pytest.mark.parametrize("name", AWKWARD_NAMES, ids=ascii)
def test_folding_twice_changes_nothing(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.9, "59 s"), (60, "1 min 0 s"), (3_600, "1 h 0 min"), (7_384, "2 h 3 min")],
)
def test_a_duration_is_in_words(seconds: float, text: str) -> None:
    assert duration(seconds) == text
