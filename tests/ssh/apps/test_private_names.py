"""The private names of Textual that served apps use: all exist, and are listed in their modules."""

from __future__ import annotations

import re
import sys

import pytest

from pettui.ssh.apps.served_app import ServedApp
from pettui.ssh.apps.shared_stylesheet import SharedStylesheet
from tests.tui.test_private_names import names_of_textual, private_names


@pytest.mark.parametrize("ours", [ServedApp, SharedStylesheet], ids=lambda ours: ours.__name__)
def test_each_private_name_of_textual_is_listed_in_its_module_and_exists(ours: type) -> None:
    """This fails if Textual renames one, or if another one is used, even by accident."""
    documented = re.findall(r"``(?:\w+\.)?(_\w+)``", sys.modules[ours.__module__].__doc__ or "")
    assert private_names(ours) & names_of_textual(ours) == set(documented)
