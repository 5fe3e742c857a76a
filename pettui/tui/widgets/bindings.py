"""Textual's bindings, made from ``pettui.keyboard.actions``, and what follows from them.

These are the actions that a screen offers now (for key bar, hints and palette), the sections of its
help, and what is said of a key that two actions share, since the configuration rebound one of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, runtime_checkable

from textual.binding import ActiveBinding, Binding, BindingsMap, BindingType
from textual.events import Key, Paste
from textual.keys import key_to_character
from textual.widgets import Input

from pettui.keyboard.actions import HELP_GROUPS, NAMES, NEED_ANIMALS, OTHER_WORDS, Action

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from textual.app import App
    from textual.dom import DOMNode
    from textual.screen import Screen
    from textual.widget import Widget


APP_ACTIONS = (  # the app's, on every screen that declares them
    *("commands", "help", "quit"),
    *("history", "outbox", "profiles", "receipt", "requests"),
)
MOVES: Final = MappingProxyType(
    {
        "up": "move(-1)",
        "down": "move(1)",
        "page_up": "move_page(-1)",
        "page_down": "move_page(1)",
        "half_page_up": "move_page(-0.5)",
        "half_page_down": "move_page(0.5)",
        "top": "top",
        "end": "end",
    }
)
"""What moves a cursor, or scrolls, by what the names of declared actions end in."""
# Commands of the user's own stand behind what a screen is there for: the list, an animal.
LAST_DAILY: Final = ("find", "refresh")


def bindings(
    declared: Iterable[Action], *, moves: str | None = None, **methods: str
) -> list[BindingType]:
    """Return the bindings of a screen or widget, in the order of its declarations.

    Args:
        declared: its actions.
        moves: what the names of those in MOVES begin with; None without any.
        methods: Textual's action, such as ``filter('sold')``, by declared name, where the two
            differ.

    Raises:
        ValueError: a method is for no declared action.
    """
    made: list[BindingType] = []
    moving = {f"{moves}{name}": move for name, move in MOVES.items()} if moves is not None else {}
    for each in declared:
        name = f"app.{each.name}" if each.name in APP_ACTIONS else each.name
        own = moving.get(each.name, name)
        made.append(
            Binding(
                each.keys,
                methods.pop(each.name, own),
                each.label,
                show=each.is_in_key_bar,
                priority=each.takes_key_first,
                id=each.name,
                group=Binding.Group(each.group),
            )
        )
    if methods:
        raise ValueError(f"no such action: {', '.join(methods)}")
    return made


def normal_keys(keys: str) -> str:
    """Return comma-separated keys by Textual's names: ``question_mark`` for ``?``."""
    return ",".join(binding.key for binding in Binding.make_bindings([(keys, "")]))


def bound_actions(
    key: str, chain: Iterable[tuple[DOMNode, BindingsMap]], *, priority: bool
) -> list[tuple[DOMNode, Binding]]:
    """Return the bindings of a key, each with its owner, in the order in which they are tried.

    It looks up one key; Textual copies the bindings of all keys, twice for each key.

    Args:
        key: by Textual's name.
        chain: the focused widget, then its ancestors up to the app, each with its bindings.
        priority: return only the bindings that come before the focused widget's own handling of
            the key, or only the others. A key that the widget types hides the bindings around it.
    """
    character = key_to_character(key)
    found: list[list[tuple[DOMNode, Binding]]] = []
    for node, bindings in chain:
        of_node = bindings.key_to_bindings.get(key, ())
        found.append([(node, each) for each in of_node if each.priority == priority])
        is_last = node.is_modal and not priority
        if is_last or node.check_consume_key(key, character):
            break
    return [each for of_node in (reversed(found) if priority else found) for each in of_node]


class NamesActions:
    """A widget whose keys do something else than their declared words say, or say it better."""

    def words_for(self, binding_id: str) -> str:
        """Return what a key does now, in a word or two; "" for the declared words."""
        raise NotImplementedError


@runtime_checkable
class Explains(Protocol):
    """A screen or box that says why a key of its own does nothing."""

    def why_not(self, action: str) -> str | None:
        """Return why the key of an action does nothing now, by its declared name; None for none."""

    def explain(self, action: str) -> bool:
        """Show why the key of an action does nothing; return whether there is a reason."""


class ScreenPart:
    """A widget around the focused one whose keys are the screen's own."""


class Offer(NamedTuple):
    """An action that is available now, and its keys."""

    binding: Binding  # of its first key
    node: DOMNode  # whose action it is
    keys: tuple[str, ...]  # as they are shown

    @property
    def description(self) -> str:
        """What the action does, in a word or two."""
        node, name = self.node, self.binding.id
        own = node.words_for(name) if isinstance(node, NamesActions) and name else ""
        return own or self.binding.description


def offers(screen: Screen[Any]) -> list[Offer]:
    """Return the available actions in the order of their declarations, the screen's own first.

    Bindings of ours have an id, by which they can be rebound. Textual's own only add keys to an
    action of ours, as Tab does to "Next field"; its others are left out.
    """
    active = [each for each in screen.active_bindings.values() if each.enabled]
    ours = [each for each in active if each.binding.id is not None and each.binding.description]
    found: dict[str, Offer] = {}
    for each in (*ours, *(other for other in active if other.binding.id is None)):
        binding = each.binding
        key = screen.app.get_key_display(binding)
        known = found.get(binding.action)
        if known is not None and key not in known.keys:
            found[binding.action] = Offer(known.binding, known.node, (*known.keys, key))
        elif known is None and binding.id is not None:
            found[binding.action] = Offer(binding, each.node, (key,))
    declared: Sequence[Action] = getattr(screen, "DECLARED", ())  # those of its parts too
    own = [getattr(binding, "id", None) for binding in type(screen).BINDINGS]
    order = [each.name for each in declared] or own
    daily = next((order.index(each) for each in LAST_DAILY if each in order), len(order))

    def index_of(offer: Offer) -> float:
        name = offer.binding.id or ""
        if name not in order and name not in NAMES:  # a command of the user's own
            return daily + 0.5
        return order.index(name) if name in order else len(order) + NAMES.index(name)

    return sorted(found.values(), key=index_of)


def idle_bindings(screen: Screen[Any], rebound: Mapping[str, str]) -> Iterator[tuple[Binding, str]]:
    """Yield the screen's own bindings that do nothing now, nor another one of their keys; its keys.

    Those that are for no such screen are left out, as are those of fields and of what has a focus.

    Args:
        screen: where they are.
        rebound: the configuration's keys, by binding id.
    """
    active = screen.active_bindings
    taken = {key for key, each in active.items() if each.enabled}
    enabled = {each.binding.id for each in active.values() if each.enabled}
    idle = NEED_ANIMALS.union(each.binding.id or "" for each in active.values()) - enabled
    parts = (type(node) for node in screen.query("*") if isinstance(node, ScreenPart))
    found: dict[str, list[Binding]] = {}
    for node in dict.fromkeys((type(screen), *parts)):
        for binding in bindings_of(node):
            if binding.id in idle and binding.description:
                found.setdefault(binding.id or "", []).extend(rebound_bindings(binding, rebound))
    for same in found.values():
        if not taken.intersection(each.key for each in same):
            yield same[0], " ".join(map(screen.app.get_key_display, same))


def key_of(screen: Screen[Any], binding_id: str) -> str:
    """Return the key that runs an action on a screen now; "" where none does."""
    return _key_in(screen.active_bindings.values(), binding_id, screen.app)


def hints(
    text: str, screen: Screen[Any], active: Collection[ActiveBinding] | None = None
) -> list[str]:
    """Return the hints of a text that work at this moment.

    Keys are named by their actions: ``{refresh} Retry  {enter_key} Change API key``, and all keys
    of one by ``{refresh*}``. A hint whose key does nothing now, e.g. since a field takes it, is
    left out.

    Args:
        text: hints, with two blanks between them.
        screen: where the keys work.
        active: its active bindings, for several texts. Textual asks each action whether it is
            available, which is a large part of what an update costs; None: only if a key is named.
    """
    found = []
    for hint in filter(None, text.split("  ")):
        names = re.findall(r"\{(\w+\*?)\}", hint)
        if names and active is None:
            active = screen.active_bindings.values()
        keys = {name: _key_in(active or (), name, screen.app) for name in names}
        if all(keys.values()):
            found.append(re.sub(r"\{(\w+\*?)\}", lambda name: keys[name[1]], hint))  # noqa: B023
    return found


def is_too_early(screen: Screen[Any], event: Key | Paste, answer: str, asked_at: float) -> bool:
    """Whether a key that answers a question, by its binding, was typed before that was asked."""
    active = screen.active_bindings.get(event.key) if isinstance(event, Key) else None
    is_answer = active is not None and active.binding.id == answer
    return is_answer and event.time <= asked_at


def _key_in(active: Iterable[ActiveBinding], binding_id: str, app: App[Any]) -> str:
    """Return the key that runs an action; "" where none does.

    It is the first, or a function key, which works in fields too; or all, where a star says so.
    """
    keys = [
        app.get_key_display(each.binding)
        for each in active
        if each.binding.id == binding_id.removesuffix("*") and each.enabled
    ]
    if binding_id.endswith("*"):
        return " or ".join(keys)
    first = keys[0] if keys else ""
    functions = (key for key in keys if re.fullmatch(r"F\d+", key))
    return next(functions, first) if len(first) == 1 else first


Keys = list[tuple[str, str, str]]
"""The keys of an action, joined, what they do, and what other people call that."""
HelpSection = tuple[str, Keys]
"""Where the keys work, or what they are for, and the keys."""
HERE = "On this screen"

EDITING: Final = (  # Textual's own keys for the text of a field
    ("Move in the text", "left,right,home,end"),
    ("Delete", "backspace,delete"),
    ("Delete to the start", "ctrl+u"),
    ("Bring that back", "ctrl+y"),
)


def help_sections(screen: Screen[Any], rebound: Mapping[str, str]) -> list[HelpSection]:
    """Return what the keys of a screen do, in groups, then those of each field.

    Args:
        screen: mounted, with its fields.
        rebound: the configuration's keys, by binding id.
    """
    groups: dict[str, Keys] = {title: [] for title in HELP_GROUPS}
    for offer in offers(screen):
        group = offer.binding.group
        words = OTHER_WORDS.get(offer.binding.id or "", "")
        keys = (" ".join(offer.keys), offer.description, words)
        if keys[0]:  # else it is in the palette alone
            groups[group.description if group else ""].append(keys)
    titles: dict[str, Keys] = {}
    for widget in screen.query("*"):
        title = getattr(widget, "HELP_TITLE", "")
        if title and title not in titles and widget.focusable:
            titles[title] = _keys_in(widget, rebound)
    sections = (*groups.items(), *titles.items())
    return [(title or HERE, each) for title, each in sections if each]


def _keys_in(widget: Widget, rebound: Mapping[str, str]) -> Keys:
    if isinstance(widget, Input):
        own = ((what, Binding.make_bindings([(keys, what)])) for what, keys in EDITING)
        return [(" ".join(_shown(widget, bindings)), what, "") for what, bindings in own]
    if widget is widget.screen.focused:
        return []  # they are among those of the screen
    by_action: defaultdict[str, list[Binding]] = defaultdict(list)
    for declared in bindings_of(type(widget)):
        for each in rebound_bindings(declared, rebound):
            by_action[each.action].append(each)
    return [
        (" ".join(_shown(widget, same)), same[0].description, "") for same in by_action.values()
    ]


def _shown(widget: Widget, bindings: Iterable[Binding]) -> dict[str, None]:
    return dict.fromkeys(widget.app.get_key_display(binding) for binding in bindings)


def is_declared(screen: Screen[Any], key: str, rebound: Mapping[str, str]) -> bool:
    """Whether a key has an action on a screen, even if it is disabled at the moment."""
    ours = (one for binding in _bindings(screen) for one in rebound_bindings(binding, rebound))
    return any(one.key == key for one in ours)


def _bindings(screen: Screen[Any]) -> Iterator[Binding]:
    """Yield every binding of ours that can be active: those with an id."""
    nodes: Iterable[type] = dict.fromkeys(
        type(node)
        for node in (screen, *screen.query("*"), screen.app)
        if node in (screen, screen.app) or node.can_focus or isinstance(node, ScreenPart)
    )
    for node in nodes:
        yield from bindings_of(node)


def bindings_of(node: type) -> Iterator[Binding]:
    """Yield the bindings of a class and its bases that have an id, one for each key."""
    for base in node.__mro__:
        for binding in Binding.make_bindings(base.__dict__.get("BINDINGS", ())):
            if binding.id is not None:
                yield binding


def rebound_bindings(binding: Binding, rebound: Mapping[str, str]) -> Iterator[Binding]:
    """Yield a binding with the keys that the configuration gives it, one for each key."""
    keys = rebound.get(binding.id or "")
    if keys is None:
        yield binding
    else:
        yield from Binding.make_bindings(
            [Binding(keys, binding.action, binding.description, id=binding.id)]
        )
