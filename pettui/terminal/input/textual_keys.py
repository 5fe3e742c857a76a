"""Textual's names of keys, which it keeps in private modules.

It uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``_ansi_sequences.ANSI_SEQUENCES_KEYS``: where it changes, function keys, arrows and controls do
  nothing on terminals without kitty's protocol.
- ``_keyboard_protocol.FUNCTIONAL_KEYS``, ``MODIFIER_FUNCTIONAL_KEYS``: where they change, they do
  nothing on terminals with it.
- ``keys._character_to_key``: where it changes, punctuation keys such as ``:`` and ``+`` are bound
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
    """Return the name under which the key of a character is bound."""
    name = character if character.isalnum() else character_to_key(character)
    return KEY_NAME_REPLACEMENTS.get(name, name)
