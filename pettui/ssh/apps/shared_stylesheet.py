"""SharedStylesheet: styles that are parsed and resolved once for all apps of a process.

It uses these private names of Textual:

- ``Stylesheet._parse_rules``, ``_require_parse`` and ``_rules_map``: where the first changes, each
  app parses by itself; without the others the styles of files are left out, and a change of theme
  draws the old colours.
- ``Stylesheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE``: the pseudo-classes that depend on
  siblings; the styles of nodes with one of them are not shared.
- ``Stylesheet._process_component_classes``, ``DOMNode._get_component_classes`` and
  ``_component_styles``: where they change, each app keeps the styles of all that it could draw.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.css.stylesheet import CssSource, Stylesheet

from pettui.ssh.apps.node_styles import ComponentStyles, ResolvedRules, traits

if TYPE_CHECKING:
    from collections.abc import Hashable
    from pathlib import PurePath

    from textual.css.model import RuleSet
    from textual.dom import DOMNode

KEPT_MAXIMUM = 2_000  # entries of each cache


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """All rules of apps with the same sources and variables."""

    pseudo_classes: tuple[str, ...]  # that selectors use, except those that depend on siblings


@dataclass(slots=True)
class ParsedStyles:
    """Caches of what was read, parsed and resolved for the apps of a process."""

    rules: dict[Hashable, list[RuleSet]] = field(default_factory=dict)
    texts: dict[Path, str] = field(
        default_factory=dict
    )  # of files: later there may be no descriptor
    sheets: dict[Hashable, Sheet] = field(default_factory=dict)
    resolved: dict[Hashable, ResolvedRules] = field(default_factory=dict)

    def bound(self) -> None:
        """Clear the caches that are full; themes and terminals are usually few."""
        for kept in (self.rules, self.sheets, self.resolved):
            if len(kept) >= KEPT_MAXIMUM:
                kept.clear()


class SharedStylesheet(Stylesheet):
    """A stylesheet that parses and resolves only what no app of the process has yet."""

    def __init__(self, variables: dict[str, str], styles: ParsedStyles) -> None:
        super().__init__(variables=variables)
        self._styles = styles
        self._variables_key = hash(tuple(sorted(variables.items())))
        self._sheet = Sheet(())

    def set_variables(self, variables: dict[str, str]) -> None:
        """Use other variables, those of another theme."""
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
            self._styles.bound()
            rules = known[key] = super()._parse_rules(css, *arguments, **options)
        return rules

    def parse(self) -> None:
        """Parse what was added, and update the set of rules."""
        super().parse()
        key = (self._variables_key, tuple(self.source.items()))
        sheet = self._styles.sheets.get(key)
        if sheet is None:
            used = set().union(*(rule.pseudo_classes for rule in self.rules))
            sheet = Sheet(tuple(sorted(used - self._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE)))
            self._styles.bound()
            self._styles.sheets[key] = sheet
        self._sheet = sheet

    def reparse(self) -> None:
        """Parse everything with other variables, unless another app has."""
        self._require_parse = True
        self._rules_map = None
        self.parse()

    def apply(
        self, node: DOMNode, *, animate: bool = False, cache: dict[Any, Any] | None = None
    ) -> None:
        """Style a node, with the rules of an equal one if there is one."""
        key = self._key(node)
        known = self._styles.resolved.get(key)
        if known is not None:
            known.mark(node)
            self.replace_rules(node, known.rules, animate=animate)
            self._process_component_classes(node)
            return
        cache = {}
        super().apply(node, animate=animate, cache=cache)
        for rules in cache.values():  # one, or none if siblings decide
            self._styles.bound()
            self._styles.resolved[key] = ResolvedRules.of(node, rules)

    def _key(self, node: DOMNode) -> Hashable:
        if self._require_parse:
            self.parse()
        return self._sheet, traits(node, self._sheet.pseudo_classes)

    def _process_component_classes(self, node: DOMNode) -> None:
        names = node._get_component_classes()  # noqa: SLF001
        if not names:
            return
        before = node._component_styles  # noqa: SLF001
        styles = ComponentStyles(node, names, self._key(node), self.apply)
        node._component_styles = styles  # noqa: SLF001
        if not isinstance(before, ComponentStyles) or before.key != styles.key:
            node.refresh()
