"""Findings of the doctor, for people and for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from pettui.text import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME_WIDTH: Final = 22  # cells


class Findings:
    """Values by section and name, and problems."""

    def __init__(self) -> None:
        self._sections: dict[str, dict[str, str]] = {}
        self.problems: list[str] = []

    def add(self, section: str, name: str, value: str) -> None:
        """Add a value."""
        self._sections.setdefault(section, {})[name] = value

    def add_problem(self, text: str) -> None:
        """Add a problem, unless it was found before, on another way."""
        if text not in self.problems:
            self.problems.append(text)

    def as_text(self) -> str:
        """Return them as lines, made safe for a terminal."""
        return "".join(f"{line}\n" for line in self._lines())

    def as_json(self) -> str:
        """Return them as one line of JSON."""
        content = {**self._sections, "problems": self.problems}
        return json.dumps(content, ensure_ascii=False) + "\n"

    def _lines(self) -> Iterator[str]:
        for section, values in self._sections.items():
            yield section
            for name, value in values.items():
                yield f"  {safe(name).ljust(_NAME_WIDTH)}  {safe(value)}"
            yield ""
        for problem in self.problems:
            yield f"problem: {safe(problem)}"
        if not self.problems:
            yield "no problems found"
