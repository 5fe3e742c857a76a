"""What nodes of Textual's tree have in common that are styled alike, in whatever app they are.

Of Textual's own it uses, and ``tests/ssh/apps/test_shared_stylesheet.py`` fails without them:

- ``DOMNode._PSEUDO_CLASSES``, ``_id``: where they change, nothing is known to be alike.
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
    """The rules that hold for a node, and for all that are styled alike."""

    rules: Any  # Textual's RulesMap
    has_hover_style: bool
    has_focus_within: bool
    has_order_style: bool
    has_odd_or_even: bool

    @classmethod
    def of(cls, node: DOMNode, rules: Any) -> ResolvedRules:
        """Return those of a node that was styled."""
        return cls(
            rules,
            node._has_hover_style,  # noqa: SLF001
            node._has_focus_within,  # noqa: SLF001
            node._has_order_style,  # noqa: SLF001
            node._has_odd_or_even,  # noqa: SLF001
        )

    def mark(self, node: DOMNode) -> None:
        """Let a node know when it is to be styled again."""
        node._has_hover_style = self.has_hover_style  # noqa: SLF001
        node._has_focus_within = self.has_focus_within  # noqa: SLF001
        node._has_order_style = self.has_order_style  # noqa: SLF001
        node._has_odd_or_even = self.has_odd_or_even  # noqa: SLF001


def traits(node: DOMNode, pseudo_classes: Iterable[str]) -> Hashable:
    """Return all that rules ask of a node, and of those above it.

    Args:
        node: in the tree.
        pseudo_classes: those that are asked for, but for what the nodes beside it decide.
    """
    return tuple(_traits(each, pseudo_classes) for each in node.css_path_nodes)


def _traits(node: DOMNode, pseudo_classes: Iterable[str]) -> Hashable:
    checks: dict[str, Callable[[Any], bool]] = node._PSEUDO_CLASSES  # noqa: SLF001
    true = tuple(name for name in pseudo_classes if name in checks and checks[name](node))
    return type(node), node._id, node.classes, true  # noqa: SLF001


class ComponentStyles(dict[str, "RenderStyles"]):
    """The styles of what a node draws, each resolved when it is asked for, and not kept.

    Textual keeps a node for each, though an app draws few of them; and it keeps as they are drawn
    those that it does draw.
    """

    def __init__(
        self,
        node: DOMNode,
        names: frozenset[str],
        key: Hashable,
        style: Callable[[DOMNode], None],
    ) -> None:
        """Resolve none yet.

        Args:
            node: whose they are.
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
        """Whether there is one of this name."""
        return name in self._names

    def __getitem__(self, name: str) -> RenderStyles:
        """Return the one of this name."""
        if name not in self._names:
            raise KeyError(name)
        node = DOMNode(classes=name)
        node._attach(self._node)  # noqa: SLF001
        self._style(node)
        return node.styles
