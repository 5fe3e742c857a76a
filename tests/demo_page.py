"""``docs/demo.md``: its steps, to be pressed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parent.parent / "docs" / "demo.md"
GONE = r"\bno `([^`]+)`"
KEYS = {"Enter": "enter", "esc": "escape", "tab": "tab"} | {f"F{n}": f"f{n}" for n in range(1, 13)}


class Step(NamedTuple):
    """A row of the page: the keys, the texts that must appear, and those that must go."""

    pressed: list[str]
    seen: list[str]
    gone: list[str]


def steps(title: str) -> list[Step]:
    section = PAGE.read_text(encoding="utf-8").partition(f"## {title}")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return [
        Step(
            re.findall(r"`([^`]+)`", pressed),
            re.findall(r"`([^`]+)`", re.sub(GONE, "", seen)),
            re.findall(GONE, seen),
        )
        for pressed, seen, *_ in rows
    ]


def typed(words: list[str]) -> list[str]:
    return [key for word in words for key in ([KEYS[word]] if word in KEYS else word)]
