"""Keys of the configuration: a terminal can send each that is accepted, and no field takes it."""

from __future__ import annotations

import string

import pytest
from textual.binding import Binding
from textual.widgets import Input

from pettui.keyboard.actions import GROUPS
from pettui.keyboard.key_names import CURSOR_KEYS, EDITING, SIGNS, check_use, key_named, shared_keys
from pettui.terminal.keys import KeyParser
from pettui.terminal.tokenizer import Tokenizer
from pettui.tui.widgets.bindings import normal_keys
from pettui.tui.widgets.form_input import FormInput


def arriving(data: bytes) -> list[str]:
    """Return the keys of what a terminal sends."""
    tokenizer = Tokenizer()
    tokens = [*tokenizer.feed(data), *tokenizer.time_out()]
    return [getattr(event, "key", "") for event in KeyParser(takes_alt=False).messages(tokens)]


def is_accepted(key: str) -> bool:
    try:
        key_named(key)
    except ValueError:
        return False
    return True


def test_a_chord_with_ctrl_is_accepted_exactly_if_it_arrives_as_itself() -> None:
    for letter in string.ascii_lowercase:
        (arrived,) = arriving(bytes([ord(letter) & 0x1F]))
        is_itself = arrived == f"ctrl+{letter}" and letter != "j"  # which is Enter's line feed
        assert is_accepted(f"ctrl+{letter}") == is_itself, letter
    for sign in ("@", "\\", "[", "]", "^", "_"):
        (arrived,) = arriving(bytes([ord(sign) & 0x1F]))
        is_itself = arrived != "escape"
        assert is_accepted(f"ctrl+{sign}") == is_itself, sign
        assert not is_itself or key_named(f"ctrl+{sign}") == arrived
    assert key_named("ctrl+space") == arriving(b"\0")[0]


def test_a_chord_with_alt_is_accepted_exactly_if_it_is_not_escape_and_a_key() -> None:
    for letter in string.ascii_letters + string.digits:
        arrived = arriving(b"\x1b" + letter.encode())
        assert is_accepted(f"alt+{letter}") == (arrived == [f"alt+{letter}"]), letter


@pytest.mark.parametrize(
    ("sequence", "written"),
    [
        (b"\x1b[1;6A", "shift+ctrl+up"), (b"\x1b[15;2~", "Shift+F5"), (b"\x1b[Z", "shift+tab"),
        (b"\x1b[5~", "PageUp"), (b"\x12", "Ctrl+R"), (b"?", "?"), (b"?", "question_mark"),
        (b"\x1bOP", "F1"), (b"\x7f", "backspace"), (b" ", "space"), (b"A", "A"),
    ],
)  # fmt: skip
def test_a_key_arrives_by_the_name_that_is_kept(sequence: bytes, written: str) -> None:
    assert arriving(sequence) == [normal_keys(key_named(written))]


def test_the_signs_have_the_names_by_which_they_arrive() -> None:
    assert {name: arriving(sign.encode()) for name, sign in SIGNS.items()} == {
        name: [name] for name in SIGNS
    }


def test_every_key_of_pettui_itself_would_be_accepted() -> None:
    for group in GROUPS:
        for action in group:
            keys = [key_named(key) for key in action.keys.split(",")]
            assert keys == action.keys.split(",")
            check_use(action.name, keys)


def test_the_keys_that_edit_a_text_are_those_of_a_field() -> None:
    declared = Binding.make_bindings((*Input.BINDINGS, *FormInput.BINDINGS))
    taken = {each.key for each in declared}
    assert {key for key in taken - {"enter"} if is_accepted(key)} - CURSOR_KEYS == (
        EDITING - CURSOR_KEYS
    )


def test_actions_that_share_a_key_as_they_are_clash_with_it_for_nobody() -> None:
    """Enter is edit, show or open by the entry's state, and Esc stops before it closes."""
    for group in GROUPS:
        for action in group:
            said = [*shared_keys({action.name: action.keys})]
            # "q" stays where it closes profiles, and quits where quitting is asked about.
            assert said == [] or (action.name, action.keys) == ("stay", "escape,q")


def test_a_key_of_two_actions_in_a_box_is_named() -> None:
    shared = shared_keys({"switch_now": "s", "test_profile": "?"})
    assert {each.place: each.sentence for each in shared} == {
        "in the profiles": "[keys]: help and test_profile share the key question_mark in the profiles",
        "in the question before another profile": "[keys]: send_first and switch_now share the key s "
        "in the question before another profile",
    }
