"""``pettui import`` on a real pseudo-terminal: a bar, of which nothing is left at the end."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from tests.cli.conftest import INTERRUPTIBLE
from tests.cli.one_shot.shop_service import REFUSE, open_shop
from tests.client.hostile.server import stall
from tests.peers.terminal import Terminal
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.peers.hostile_services import Services

COLOUR = re.compile(r"\x1b\[3[0-9]m")


def test_a_bar_shows_progress_and_ctrl_c_leaves_a_sentence(
    environment: Mapping[str, str], services: Services, home: Path
) -> None:
    file = home / "pets.csv"
    file.write_text("A,1\nB,2\nSlow,3\nD,4\n")
    shop = open_shop(services, {"B": REFUSE, "Slow": stall()})
    words = ["import", str(file), "--parallel", "1", "--base-url", shop.base_url]
    terminal = Terminal(
        [sys.executable, "-c", INTERRUPTIBLE, *words],
        {**environment, "PETTUI_API_KEY": KEY},
        size=(30, 100),
    )
    try:
        terminal.wait_for("░] 2 of 4 · ", "1 refused")
        assert COLOUR.search(terminal.written.decode())
        terminal.press("\x03")
        assert terminal.wait_for_end() == 130
        text = "".join(terminal.text.split("\n"))
        assert "2 of 4" not in text
        for part in ("400 invalid_value", "interrupted: 1 line", "1 refused", "1 unknown"):
            assert part in text
    finally:
        terminal.close()
