"""The private names of Textual that served apps use: all exist, and are listed in their modules."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import pytest

from pettui.ssh.apps import served_app, stylesheets
from tests.tui.test_private_names import names_of_textual, private_names

if TYPE_CHECKING:
    from types import ModuleType

CLASSES = [served_app.ServedApp, stylesheets.SharedStylesheet, served_app.Workers]


def documented(module: ModuleType) -> set[str]:
    return set(re.findall(r"``(?:\w+\.)?(_\w+)``", module.__doc__ or ""))


@pytest.mark.parametrize("ours", CLASSES, ids=lambda ours: ours.__name__)
def test_each_private_name_of_textual_that_a_class_uses_is_listed_in_its_module(ours: type) -> None:
    """This fails if another one is used, even by accident."""
    used = private_names(ours) & names_of_textual(ours)
    assert used <= documented(inspect.getmodule(ours))
