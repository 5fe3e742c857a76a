"""A mark for all that is here: what installed programs do, beside other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what was not asked for
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test of this directory; pytest hands over those of all."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.peers)
    # Those that kill a program again and again take minutes, mostly of waiting: if one of them is the
    # last, all others are done long before it.
    items.sort(key=lambda item: "kill" not in item.nodeid)
