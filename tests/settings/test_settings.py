"""Settings as they are declared: their defaults, and how a text is read."""

from __future__ import annotations

import base64
import html
import json
import pickle
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.settings.settings import ApiKey, Limits, Setting, Settings, declared, is_bearer_token
from tests.exhaustive import product

DECLARED = declared(Settings) | declared(Limits)


@pytest.mark.parametrize("setting", DECLARED.values(), ids=DECLARED)
def test_the_default_of_a_setting_can_be_set(setting: Setting) -> None:
    assert setting.default is None or setting.accepts(setting.default)
    assert setting.description


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(int, "40", 40), (int, "1.5", None), (float, "1.5", 1.5), (float, "nan", None),
     (bool, "true", True), (bool, "1", None), (str, "dark", "dark")],
)  # fmt: skip
def test_an_option_is_read_by_the_kind_of_its_setting(kind: type, text: str, value: object) -> None:
    parsed = Setting(kind, None, "a setting").parsed(text)
    assert (type(parsed), parsed) == (type(value), value)


@pytest.mark.parametrize("text", ["", "two words", "tab\there", "ü", "new\nline", "\x7f"])
def test_a_bearer_token_is_one_word_of_visible_ascii(text: str) -> None:
    assert is_bearer_token("Ab1-._~+/=")
    assert not is_bearer_token(text)


def test_a_key_is_in_none_of_its_own_texts() -> None:
    key = ApiKey("a'sekrit-0123456789")
    assert "sekrit" not in f"{key} {key!r} {[key]}"


def test_a_key_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(ApiKey("a'sekrit-0123456789"))


KEYS = ("sesame-open-4711", "aB+9/c=d", "a\"b'c\\d&e<f>", "%41%41%41", "\\\\\\\\nnnn", "u0073u0073")
WAYS = {
    "as it is": lambda key: key,
    "as JSON": lambda key: json.dumps(key)[1:-1],
    "as JSON with an escaped slash": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "as JSON of numbers": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "as JSON in JSON": lambda key: json.dumps(json.dumps(key)),
    "as a JavaScript text": lambda key: "".join(f"\\x{ord(c):02x}" for c in key),
    "as HTML": html.escape,
    "as HTML of numbers": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "as HTML of hexadecimal numbers": lambda key: "".join(f"&#x{ord(c):X};" for c in key),
    "as a part of an address": lambda key: quote(key, safe=""),
    "as an address in an address": lambda key: quote(quote(key, safe=""), safe=""),
    "in capitals": str.upper,
    "as hexadecimal digits": lambda key: key.encode().hex(),
    "as UTF-32": lambda key: key.encode("utf-32-be").decode("latin-1"),
}


@pytest.mark.parametrize(("way", "key"), product([*WAYS], KEYS))
def test_a_key_is_masked_in_every_way_of_writing_it(way: str, key: str) -> None:
    text = f"before {WAYS[way](key)} after"
    masked = ApiKey(key).mask(text)
    assert masked.startswith("before ")
    assert masked.endswith(" after")
    inside = masked.removeprefix("before ").removesuffix(" after")
    assert inside.strip("\"\\'\0") in ("***", "******"), masked
    assert ApiKey(key).mask_bytes(text.encode("latin-1")) == masked.encode("latin-1")


BASE64 = {
    "plain": lambda text: base64.b64encode(text).decode(),
    "for addresses": lambda text: base64.urlsafe_b64encode(text).decode(),
    "in JSON": lambda text: base64.b64encode(text).decode().replace("/", "\\/"),
    "in an address": lambda text: quote(base64.b64encode(text), safe=""),
}


@pytest.mark.parametrize(
    ("way", "key", "before", "after"),
    product([*BASE64], KEYS, ["", "a", "Bearer ", "user:"], ["", "b", "\r\n"]),
)
def test_a_key_in_base64_is_masked_except_a_letter_at_its_ends(
    way: str, key: str, before: str, after: str
) -> None:
    """Those two hold bits of what stands beside it as well."""
    text = f"Basic {BASE64[way](f'{before}{key}{after}'.encode())} is bad"
    masked = ApiKey(key).mask(text)
    assert "***" in masked
    assert masked.startswith("Basic ")
    assert masked.endswith(" is bad")
    left = masked.replace("***", "").removeprefix("Basic ").removesuffix(" is bad")
    assert len(left) <= 4 * len(before + after) / 3 + 12, masked
    assert ApiKey(key).mask_bytes(text.encode()) == masked.encode()


ESCAPED = st.sampled_from(["{0}", "\\u{1:04x}", "\\u{1:04X}"])
VISIBLE = st.characters(min_codepoint=0x21, max_codepoint=0x7E)
PLAIN = st.sampled_from("Rex ü🐹")


@given(
    key=st.text(VISIBLE, min_size=8, max_size=12),
    before=st.text(PLAIN, max_size=4),  # an escape's digits may be the key's first
    after=st.text(max_size=4),
    data=st.data(),
)
def test_json_that_contains_the_key_stays_valid_without_it(
    key: str, before: str, after: str, data: st.DataObject
) -> None:
    def written(character: str) -> str:
        if data.draw(st.booleans()):
            return f"\\u{ord(character):04x}"
        if character == "/" and data.draw(st.booleans()):
            return "\\/"
        return json.dumps(character)[1:-1]

    text = json.dumps(before)[:-1] + "".join(map(written, key)) + json.dumps(after)[1:]
    assert json.loads(text) == before + key + after
    masked = ApiKey(key).mask_bytes(text.encode())
    if key.lower() not in ("***" + after).lower():
        assert key.lower() not in json.loads(masked).lower()


@given(st.text(), st.text(VISIBLE, min_size=8))
def test_a_text_without_the_key_stays_as_it_is(text: str, key: str) -> None:
    if not set(text) & set("\\%&\0") and key.lower() not in text.lower():
        assert ApiKey(key).mask(text) == text
        assert ApiKey(key).mask_bytes(text.encode()) == text.encode()


@pytest.mark.parametrize("key", ["", "a", "ab", "abc", "abcdefg"])
def test_an_empty_or_short_key_masks_no_text_that_it_is_not_in(key: str) -> None:
    assert ApiKey(key).mask("tell it") == "tell it"
    assert ApiKey(key).mask_bytes(b"tell it") == b"tell it"
