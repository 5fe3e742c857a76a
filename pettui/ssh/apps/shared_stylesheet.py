"""Styles that are parsed once for all apps of a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.css.stylesheet import CssSource, Stylesheet

if TYPE_CHECKING:
    from pathlib import PurePath

    from textual.css.model import RuleSet

RULES_MAXIMUM = 2_000  # parsed pieces of styles that are kept for all


@cache
def _text(path: Path) -> str:
    """Return a style sheet of ours, read once: later there may be no descriptor for it."""
    return path.read_text("utf-8")


class SharedStylesheet(Stylesheet):
    """A stylesheet that parses what no app of the process has parsed before."""

    def __init__(self, variables: dict[str, str], rules: dict[Any, list[RuleSet]]) -> None:
        super().__init__(variables=variables)
        self._shared = rules
        self._variables_key = hash(tuple(sorted(variables.items())))

    def set_variables(self, variables: dict[str, str]) -> None:
        """Use other variables from now on: another theme."""
        super().set_variables(variables)
        self._variables_key = hash(tuple(sorted(variables.items())))

    def read(self, filename: str | PurePath) -> None:
        """Take a file of styles."""
        path = Path(filename)
        self.source[(str(path), "")] = CssSource(_text(path), False, 0)
        self._require_parse = True

    def _parse_rules(self, css: str, *arguments: Any, **options: Any) -> list[RuleSet]:
        key = (self._variables_key, css, arguments, tuple(sorted(options.items())))
        rules = self._shared.get(key)
        if rules is None:
            if len(self._shared) >= RULES_MAXIMUM:
                self._shared.clear()
            rules = self._shared[key] = super()._parse_rules(css, *arguments, **options)
        return rules
