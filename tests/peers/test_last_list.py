"""The installed program in a real terminal, with the list that it showed the last time."""

from __future__ import annotations

import stat
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tests.peers.listing_service import ListingService
from tests.peers.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))
KEY = "key-of-the-shop"


def see(environment: Mapping[str, str], *texts: str) -> None:
    """Start, see these texts, quit."""
    with closing(Terminal([PROGRAM], environment)) as terminal:
        terminal.wait_for(*texts)
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        terminal.assert_restored()


def test_without_a_network_the_last_list_is_there_and_is_private(
    environment: Mapping[str, str], home: Path
) -> None:
    service = ListingService(['{"id": 1, "name": "Bartholomew", "categoryId": 3}'])
    with service.open():
        configured = {
            **environment, "PETTUI_BASE_URL": service.address, "PETTUI_API_KEY": KEY
        }  # fmt: skip
        see(configured, "Bartholomew")
    [path] = home.glob(".local/state/pettui/lists/*")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY.encode() not in path.read_bytes()
    see(configured, "Bartholomew", "all as of", "connection refused")
