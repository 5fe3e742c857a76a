"""SharedStylesheet: styles that are parsed and resolved once for all apps of a process.

It uses these private names of Textual; ``tests/ssh/apps/test_served_app.py`` fails without them:

- ``Stylesheet._parse_rules``, ``_require_parse`` and ``_rules_map``: where the first changes, each
  app parses by itself; without the others the styles of files are left out, and a change of theme
  draws the old colours.
- ``Stylesheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE``: the pseudo-classes that depend on
  siblings; the styles of nodes with one of them are not shared.
- ``DOMNode._PSEUDO_CLASSES``, ``_id``: where they change, no two nodes are found to be equal.
- ``DOMNode._has_hover_style``, ``_has_focus_within``, ``_has_order_style``, ``_has_odd_or_even``:
  where they change, a widget isn't styled again when the mouse or its neighbours come and go.
- ``Stylesheet._process_component_classes``, ``DOMNode._get_component_classes`` and
  ``_component_styles``: where they change, each app keeps the styles of all that it could draw.
- ``DOMNode._attach``: where it changes, the styles of lines have no background.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from textual.css.stylesheet import CssSource, Stylesheet
from textual.dom import DOMNode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from textual.css.model import RuleSet
    from textual.css.styles import RenderStyles

KEPT_MAXIMUM = 2_000  # entries of each cache
# What tells Textual when a node has to be styled again; set while it is styled.
MARKS: Final = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """All rules of apps with the same sources and variables."""

    pseudo_classes: tuple[str, ...]  # that selectors use, except those that depend on siblings

    def traits(self, node: DOMNode) -> Hashable:
        """Return what selectors can test of a node and its ancestors."""
        return tuple(map(self._traits, node.css_path_nodes))

    def _traits(self, node: DOMNode) -> Hashable:
        checks: dict[str, Callable[[Any], bool]] = node._PSEUDO_CLASSES  # noqa: SLF001
        true = tuple(name for name in self.pseudo_classes if name in checks and checks[name](node))
        return type(node), node._id, node.classes, true  # noqa: SLF001


@dataclass(slots=True)
class ParsedStyles:
    """Caches of what was read, parsed and resolved for the apps of a process."""

    texts: dict[Path, str] = field(default_factory=dict)  # later there may be no descriptor
    rules: dict[Hashable, list[RuleSet]] = field(default_factory=dict)
    sheets: dict[Hashable, Sheet] = field(default_factory=dict)
    resolved: dict[Hashable, tuple[Any, list[bool]]] = field(default_factory=dict)  # and MARKS

    def bound(self) -> None:
        """Clear the caches that are full; themes and terminals are usually few."""
        for cache in (self.rules, self.sheets, self.resolved):
            if len(cache) >= KEPT_MAXIMUM:
                cache.clear()


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

    def add_css(self, where: tuple[str, str], source: CssSource) -> None:
        """Add styles that were added to another sheet."""
        self.source[where] = source
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
            rules, marks = known
            for name, mark in zip(MARKS, marks, strict=True):
                setattr(node, name, mark)
            self.replace_rules(node, rules, animate=animate)
            self._process_component_classes(node)
            return
        cache = {}
        super().apply(node, animate=animate, cache=cache)
        for rules in cache.values():  # one, or none if siblings decide
            self._styles.bound()
            self._styles.resolved[key] = rules, [getattr(node, name) for name in MARKS]

    def _key(self, node: DOMNode) -> Hashable:
        if self._require_parse:
            self.parse()
        return self._sheet, self._sheet.traits(node)

    def _process_component_classes(self, node: DOMNode) -> None:
        names = node._get_component_classes()  # noqa: SLF001
        if not names:
            return
        before = node._component_styles  # noqa: SLF001
        styles = ComponentStyles(node, names, self._key(node), self.apply)
        node._component_styles = styles  # noqa: SLF001
        if not isinstance(before, ComponentStyles) or before.key != styles.key:
            node.refresh()


class ComponentStyles(dict[str, "RenderStyles"]):
    """The styles of a node's component classes, each resolved when it is used, and not kept.

    Textual keeps a node for each of them, though an app uses few, and caches the styles it draws.
    """

    def __init__(
        self,
        node: DOMNode,
        names: frozenset[str],
        key: Hashable,
        style: Callable[[DOMNode], None],
    ) -> None:
        """Start without resolved styles.

        Args:
            node: with the component classes.
            names: of the component classes.
            key: equal for nodes that are styled alike.
            style: styles a node.
        """
        super().__init__()
        self._node = node
        self._names = names
        self.key = key
        self._style = style

    def __contains__(self, name: object) -> bool:
        """Whether there is a component class of this name."""
        return name in self._names

    def __getitem__(self, name: str) -> RenderStyles:
        """Return the styles of a component class."""
        if name not in self._names:
            raise KeyError(name)
        node = DOMNode(classes=name)
        node._attach(self._node)  # noqa: SLF001
        self._style(node)
        return node.styles
