"""Text from outside: nothing of it steers the terminal, and what people write stays readable."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pettui.text.safe import MARKS_MAXIMUM, safe

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
