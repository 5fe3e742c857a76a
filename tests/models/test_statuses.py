"""Statuses are declared once, and whatever says them asks there."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import unmeasured

IN_FRENCH = """
import asyncio
from dataclasses import replace
from types import MappingProxyType

from pettui.models import statuses

WORDS = {"available": "disponible", "pending": "en attente", "sold": "vendu", None: "inconnu"}
statuses.LOOKS = MappingProxyType(
    {status: replace(look, word=WORDS[status]) for status, look in statuses.LOOKS.items()}
)
from tests.tui.driving import open_app
from tests.tui.scripted_service import Response, ScriptedService, pet

async def main():
    service = ScriptedService([])
    rows = [pet(2, status="sold"), pet(1)]
    service.next("listPets", Response(body=rows))
    service.always("listPets", Response(body=[]))
    async with open_app(service, size=(120, 60)) as driver:
        for key in ("escape", "enter", "escape", "4", "f1", "escape", "a", "tab", "tab", "e", "f1"):
            await driver.press(key)
            print(*driver.lines, sep="\\n")

asyncio.run(main())
"""


def test_other_words_for_the_statuses_need_no_other_change() -> None:
    finished = subprocess.run(
        [sys.executable, "-c", IN_FRENCH],
        capture_output=True,
        env=unmeasured(os.environ) | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        text=True,
        timeout=120,
        check=True,
    )
    said = finished.stdout
    for words in ("2 ● Disponible", "○ vendu", "– inconnu", "No vendu animals", "Show en attente"):
        assert words in said
    assert "◂ ◐ en attente ▸" in said  # chosen by its first letter
    english = ("available", "pending", "sold", "not set")
    assert not [line for line in said.lower().splitlines() if any(map(line.__contains__, english))]
