"""Textual's private names in the room of served apps: each is there, and stands in its module."""

from __future__ import annotations

import re
import sys

import pytest

from pettui.ssh.apps.served_app import ServedApp
from pettui.ssh.apps.shared_stylesheet import SharedStylesheet
from tests.tui.test_private_names import names_of_textual, private_names


@pytest.mark.parametrize("ours", [ServedApp, SharedStylesheet], ids=lambda ours: ours.__name__)
def test_what_a_class_uses_of_textuals_own_stands_in_its_module_and_is_there(ours: type) -> None:
    """Where Textual renames one, this fails; and where another one is used, or by chance."""
    documented = re.findall(r"``(?:\w+\.)?(_\w+)``", sys.modules[ours.__module__].__doc__ or "")
    assert private_names(ours) & names_of_textual(ours) == set(documented)
