"""Styles that are parsed once for all apps of a process.

Of Textual's own it uses ``Stylesheet._parse_rules`` and ``_require_parse``: where the first
changes, each app parses by itself; without the second the styles of files are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.css.stylesheet import CssSource, Stylesheet

if TYPE_CHECKING:
    from pathlib import PurePath

    from textual.css.model import RuleSet

RULES_MAXIMUM = 2_000  # parsed pieces of styles that are kept for all


@dataclass(slots=True)
class ParsedStyles:
    """What was read and parsed for the apps of a process so far."""

    rules: dict[Any, list[RuleSet]] = field(default_factory=dict)
    texts: dict[Path, str] = field(
        default_factory=dict
    )  # of files: later there may be no descriptor


class SharedStylesheet(Stylesheet):
    """A stylesheet that parses what no app of the process has parsed before."""

    def __init__(self, variables: dict[str, str], styles: ParsedStyles) -> None:
        super().__init__(variables=variables)
        self._styles = styles
        self._variables_key = hash(tuple(sorted(variables.items())))

    def set_variables(self, variables: dict[str, str]) -> None:
        """Use other variables from now on: another theme."""
        super().set_variables(variables)
        self._variables_key = hash(tuple(sorted(variables.items())))

    def read(self, filename: str | PurePath) -> None:
        """Read a file of styles, unless another app has."""
        path, texts = Path(filename), self._styles.texts
        if path not in texts:
            texts[path] = path.read_text("utf-8")
        self.source[(str(path), "")] = CssSource(texts[path], False, 0)
        self._require_parse = True

    def _parse_rules(self, css: str, *arguments: Any, **options: Any) -> list[RuleSet]:
        key = (self._variables_key, css, arguments, tuple(sorted(options.items())))
        known = self._styles.rules
        rules = known.get(key)
        if rules is None:
            if len(known) >= RULES_MAXIMUM:
                known.clear()
            rules = known[key] = super()._parse_rules(css, *arguments, **options)
        return rules
