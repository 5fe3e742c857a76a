"""Styles that equal nodes share, in all apps of a process.

It uses these private names of Textual; ``tests/ssh/apps/test_shared_stylesheet.py`` fails without
them:

- ``DOMNode._PSEUDO_CLASSES``, ``_id``: where they change, no two nodes are found to be equal.
- ``DOMNode._has_hover_style``, ``_has_focus_within``, ``_has_order_style``, ``_has_odd_or_even``:
  where they change, a widget isn't styled again when the mouse or its neighbours come and go.
- ``DOMNode._attach``: where it changes, the styles of lines have no background.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.dom import DOMNode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from textual.css.styles import RenderStyles


@dataclass(frozen=True, slots=True)
class ResolvedRules:
    """The rules of a node, and of all that are styled alike."""

    rules: Any  # Textual's RulesMap
    has_hover_style: bool
    has_focus_within: bool
    has_order_style: bool
    has_odd_or_even: bool

    @classmethod
    def of(cls, node: DOMNode, rules: Any) -> ResolvedRules:
        """Return the rules of a styled node."""
        return cls(
            rules,
            node._has_hover_style,  # noqa: SLF001
            node._has_focus_within,  # noqa: SLF001
            node._has_order_style,  # noqa: SLF001
            node._has_odd_or_even,  # noqa: SLF001
        )

    def mark(self, node: DOMNode) -> None:
        """Set what tells Textual when a node has to be styled again."""
        node._has_hover_style = self.has_hover_style  # noqa: SLF001
        node._has_focus_within = self.has_focus_within  # noqa: SLF001
        node._has_order_style = self.has_order_style  # noqa: SLF001
        node._has_odd_or_even = self.has_odd_or_even  # noqa: SLF001


def traits(node: DOMNode, pseudo_classes: Iterable[str]) -> Hashable:
    """Return what selectors can test of a node and its ancestors.

    Args:
        node: in the tree.
        pseudo_classes: those that selectors use, except those that depend on siblings.
    """
    return tuple(_traits(each, pseudo_classes) for each in node.css_path_nodes)


def _traits(node: DOMNode, pseudo_classes: Iterable[str]) -> Hashable:
    checks: dict[str, Callable[[Any], bool]] = node._PSEUDO_CLASSES  # noqa: SLF001
    true = tuple(name for name in pseudo_classes if name in checks and checks[name](node))
    return type(node), node._id, node.classes, true  # noqa: SLF001


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
