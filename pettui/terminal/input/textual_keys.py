"""What Textual calls the keys: the only names of its own that stand under private ones.

It uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``_ansi_sequences.ANSI_SEQUENCES_KEYS``: where it changes, function keys, arrows and controls of
  terminals without kitty's protocol do nothing.
- ``_keyboard_protocol.FUNCTIONAL_KEYS``, ``MODIFIER_FUNCTIONAL_KEYS``: where they change, those of
  terminals with it do nothing.
- ``keys._character_to_key``: where it changes, keys of signs, such as ``:`` and ``+``, are bound
  under other names than they are typed.
"""

from __future__ import annotations

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS, MODIFIER_FUNCTIONAL_KEYS
from textual.keys import KEY_NAME_REPLACEMENTS
from textual.keys import _character_to_key as character_to_key

__all__ = [
    "ANSI_SEQUENCES_KEYS",
    "FUNCTIONAL_KEYS",
    "MODIFIER_FUNCTIONAL_KEYS",
    "character_to_key",
    "key_name",
]


def key_name(character: str) -> str:
    """Return what a key that types a character is bound as."""
    name = character if character.isalnum() else character_to_key(character)
    return KEY_NAME_REPLACEMENTS.get(name, name)
