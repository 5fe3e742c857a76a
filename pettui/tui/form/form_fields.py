"""The form's fields: what each of them is, shows and checks, and the inputs they are typed into."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.widget import Widget

from pettui.keyboard import actions
from pettui.models.pets import PetStatus, trimmed_name
from pettui.models.statuses import STATUSES, look_of, status_word
from pettui.tui.session.categories import NAMED, Categories, SeveralFitError, is_number
from pettui.tui.widgets.bindings import bindings, key_of
from pettui.tui.widgets.fitting import Part, fitted, index_at
from pettui.tui.widgets.form_input import FormInput
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.row_table import RowTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from textual import events
    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Run


KEPT: Final = "kept"  # a value, from the previous animal
NO_CATEGORY: Final = "not a known category"  # where the profile names others
REMARK_CHARACTERS: Final = 30
STATUS_KEPT: Final = "kept from the previous animal"


class FormField(Widget):
    """What the form asks of each field; a field overrides what there is to say of its values."""

    NAME: ClassVar[str]  # of its value in a ``Draft``
    LABEL: ClassVar[str]
    SHORT_LABEL: ClassVar[str]  # where there is no room for it
    IS_KEPT: ClassVar[bool] = True  # for the next animal

    value: Reactive[str]  # as it stands in a draft
    kept = ""  # what the previous animal left here
    replaced = ""  # what typing replaces: it came back with an entry, or is asked about
    is_refused = False  # by the service, and not changed since

    @property
    def is_kept(self) -> bool:
        """Whether the value is still the previous animal's."""
        return self.value == self.kept != ""

    @property
    def plain_value(self) -> str:
        """A correct value as the next animal keeps it."""
        return self.value

    def error(self, *, is_submitted: bool) -> str:  # noqa: ARG002 - for the fields
        """Return what is wrong; "" for nothing, or while it is only not finished."""
        return ""

    @property
    def warning(self) -> str:
        """What may be wrong."""
        return ""

    @property
    def remark(self) -> str:
        """What stands beside the field."""
        return ""

    def suggestion(self, *, is_form_empty: bool) -> str:  # noqa: ARG002 - for the fields
        """Return what stands below the field, unless a text about its value does."""
        return ""


class NameInput(FormInput, FormField):
    """A paste of one line is a name; of several lines each is an animal.

    Up brings the names that were added in this session into an empty field, the newest first, and
    Down goes back through them, until one of them is edited.
    """

    NAME = "name"
    LABEL = SHORT_LABEL = "Name"
    IS_KEPT = False
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.NAME_INPUT, name_before="recall(-1)", name_after="recall(1)"
    )

    def __init__(
        self, glyphs: GlyphSet, categories: Categories, names: Callable[[], Sequence[str]]
    ) -> None:
        super().__init__(glyphs, placeholder="a name, or paste several")
        self._categories = categories
        self._names = names  # that were added, the newest last
        self._recalled = ""  # the one that Up brought

    @property
    def _is_recalled(self) -> bool:
        return self.value == self._recalled != ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an arrow brings a name; otherwise it goes to another field."""
        if action == "recall":
            return self._is_recalled or (parameters == (-1,) and not self.value)
        return super().check_action(action, parameters)

    def action_recall(self, steps: int) -> None:
        """Bring the name before or after; after the newest the field is empty again."""
        names = [*self._names(), ""]
        at = names.index(self._recalled) if self._is_recalled else len(names) - 1
        self._recalled = names[max(at + steps, 0)]
        self.put(self._recalled)

    def error(self, *, is_submitted: bool) -> str:
        """Ask for a name, which is this form's rule and not the interface's."""
        return "a name is required" if is_submitted and not trimmed_name(self.value) else ""

    def on_focus(self, event: events.Focus) -> None:
        """Select a refused name, but not as the terminal gets the focus back."""
        if self.is_refused and not event.from_app_focus:
            self.select_all()

    def on_paste(self, event: events.Paste) -> None:
        """Leave a paste of several animals to the screen."""
        from pettui.tui.transfer.paste_reading import is_several

        if is_several(event.text, self._categories.names):
            event.prevent_default()


class CategoryInput(FormInput, FormField):
    """A value that was not typed for this animal is selected on focus, and one that was refused.

    It was kept from the previous animal, came back with an entry, or is asked about. The first
    character replaces it; moving the cursor first edits it. Any other value is edited.
    In the form Up and Down take one of the categories that match what is typed, as long as some are
    offered; otherwise, and in an empty field, they go to another field.
    """

    NAME, LABEL, SHORT_LABEL = "category", "Category", "Cat"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.CATEGORY_INPUT, category_before="choose_by(-1)", category_after="choose_by(1)"
    )
    _unchosen = ""  # before an arrow chose
    _chosen = 0  # place of what it chose behind that; 0: nothing
    has_arrows = False  # to choose with; where pasted lines are shown they scroll those
    is_listed: reactive[bool] = reactive(False, repaint=False)  # all that match stand beside it

    def __init__(self, glyphs: GlyphSet, categories: Categories) -> None:
        placeholder = "number or name" if categories.has_names else "a whole number"
        super().__init__(glyphs, placeholder=placeholder)
        self._categories = categories

    @property
    def number(self) -> int | None:
        """The category that is typed; None where it is none."""
        return self._categories.number_in(self.value)

    @property
    def plain_value(self) -> str:
        """The number; its name is shown beside it."""
        return str(self._categories.number_of(self.value))

    def error(self, *, is_submitted: bool) -> str:
        """Return why it is no category; while it is typed, several names may fit."""
        try:
            self._categories.number_of(self.value)
        except SeveralFitError as error:
            return str(error) if is_submitted else ""
        except ValueError as error:
            if self.value.strip():
                return str(error)
            return self.missing if self.value or is_submitted else ""
        return ""

    @property
    def missing(self) -> str:
        """That there is none yet, and what adds the animal once there is."""
        return f"category? {key_of(self.screen, 'add_and_next')} adds then"

    @property
    def warning(self) -> str:
        """Point out a category that the profile, which names others, has no name for.

        Not while more digits may make it one of those.
        """
        is_unknown = self.number is not None and self._categories.is_unknown(self.number)
        return NO_CATEGORY if is_unknown and not self._offered else ""

    @property
    def remark(self) -> str:
        """The category's name, and its number where that is not typed."""
        if (number := self.number) is None:
            return ""
        categories = self._categories
        text = categories.name(number) if is_number(self.value) else categories.label(number)
        return self._glyphs.line(text, REMARK_CHARACTERS)

    def suggestion(self, *, is_form_empty: bool) -> str:  # noqa: ARG002 - not with an empty form
        """Return what may be typed here."""
        return self._offered

    @property
    def _offered(self) -> str:
        """The categories that match, the last used first, behind how to choose; "" for none."""
        if not self.has_focus:
            return ""
        key, dot, categories = self._glyphs.keys["right"], self._glyphs.dot, self._categories
        others = categories.offers("" if self.is_replaced else self.value)
        labels = [
            categories.label(each)
            for each in others
            if not self.is_replaced or str(each) != self.value
        ]
        shown = 1 if self.is_listed else NAMED
        more = f" {self._glyphs.ellipsis}" if len(labels) > shown > 1 else ""
        listed = f" {dot} ".join(labels[:shown]) + more
        if self.is_replaced:
            how = f"{f'{KEPT}: ' if self.is_kept else ''}type to replace, {key} to edit"
            return f"{how} {dot} {listed}" if listed else how
        return f"{key} {listed}" if listed else ""

    @property
    def is_replaced(self) -> bool:
        """Whether the next character replaces the value, which was not typed for this animal."""
        return self.is_kept or self.value == self.replaced != ""

    @property
    def matching(self) -> Sequence[int]:
        """The categories that match what is typed; all while it was not typed for this animal."""
        typed = self._unchosen if self._chosen else "" if self.is_replaced else self.value
        matching = self._categories.matching(typed)
        return self._categories.as_listed(matching) if self.is_listed else matching

    @property
    def _choices(self) -> Sequence[str]:
        """What the arrows go through: what was typed, and the categories that match it."""
        if self._chosen:
            return (self._unchosen, *map(str, self.matching))
        is_offered = self.value and self._categories.offers(self.value)
        return (self.value, *(map(str, self.matching) if is_offered else ()))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an arrow chooses something; otherwise it goes to another field."""
        if action == "choose_by":
            place = self._chosen + (1 if parameters == (1,) else -1)
            return self.has_arrows and 0 <= place < len(self._choices)
        return super().check_action(action, parameters)

    def action_choose_by(self, steps: int) -> None:
        """Take the next category that matches; before the first one stands what was typed."""
        choices = self._choices
        self._unchosen, self._chosen = choices[0], self._chosen + steps
        self.put(choices[self._chosen])

    def watch_value(self) -> None:
        """Treat a value that was typed as this animal's, and as the end of choosing."""
        self.kept = self.replaced = ""
        if self._chosen and self.value != self._choices[self._chosen]:
            self._chosen = 0

    def on_focus(self, event: events.Focus) -> None:
        """Select a value that typing replaces, and nothing otherwise.

        As the terminal gets the focus back, all stays: the cursor may have been moved.
        """
        if event.from_app_focus:
            return
        if self.is_replaced or self.is_refused:
            self.select_all()
        else:
            self.cursor_position = self.cursor_position

    def action_cursor_right(self, select: bool = False) -> None:
        """Move the cursor; at the end, complete what is typed."""
        if not select and self.selection.is_empty and self.cursor_at_end and not self.is_replaced:
            completed = self._categories.completed(self.value)
            if completed != self.value:
                self.put(completed)
                return
        super().action_cursor_right(select)


CHOICES = ("", *STATUSES)
# What may be typed for each choice; "not set" has other words, too.
STATUS_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {status_word(status or None): status for status in CHOICES} | {"unset": "", "none": ""}
)


FIRST_LETTERS: Final = frozenset(status_word(status or None)[0] for status in CHOICES)


def _meant_by(typed: str) -> str | None:
    """Return the choice whose word begins with what was typed; None for none."""
    words = (word for word in STATUS_WORDS if typed and word.startswith(typed))
    return next((STATUS_WORDS[word] for word in words), None)


class StatusPicker(LineWidget, FormField, can_focus=True):
    """All choices on one row or, with little room, only the chosen one.

    Letters that follow each other form a word, fast or slowly typed: "pending" chooses that, and
    its n does not choose "not set". A letter that does not go on with the word begins another one,
    if it begins one. Any other key ends the word.

    It leaves Enter to the form; RadioSet and Select would consume it.
    """

    NAME, LABEL, SHORT_LABEL = "status", "Status", "Stat"
    HELP_TITLE: ClassVar[str] = "In Status"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.STATUS_PICKER,
        status_before="choose_by(-1)",
        status_after="choose_by(1)",
        status_not_set="choose('')",
        **{f"status_{status}": f"choose('{status}')" for status in PetStatus},
    )

    value: Reactive[str] = reactive("")  # "" is not set
    _typed = ""  # of the word of a status, so far

    class Changed(Message):
        """Another status was chosen."""

    def watch_value(self) -> None:
        """Post the change; what was chosen otherwise ends the word."""
        if _meant_by(self._typed) != self.value:
            self.end_word()
        self.post_message(self.Changed())

    def end_word(self) -> None:
        """Let the next letter begin a word."""
        self._typed = ""

    def on_blur(self) -> None:
        """End the word."""
        self.end_word()

    def on_key(self, event: events.Key) -> None:
        """Choose the status whose word is typed; a first letter is left to its binding."""
        letter = (event.character or event.key).lower()  # another layout's key is its Latin one
        for word in (self._typed + letter, letter):
            if (meant := _meant_by(word)) is not None:
                self._typed = word
                if word not in FIRST_LETTERS:
                    self.value = meant
                    event.stop()
                    event.prevent_default()
                return
        if len(letter) > 1 or not letter.isalpha():
            self.end_word()

    def suggestion(self, *, is_form_empty: bool) -> str:
        """Return what "kept" means, or how to choose; an empty form says that from the start."""
        if not (is_form_empty or self.has_focus):
            return ""
        arrows = f"{self.glyphs.keys['left']} {self.glyphs.keys['right']}"
        return STATUS_KEPT if self.is_kept else f"{arrows} or its first letter"

    def action_choose_by(self, steps: int) -> None:
        """Choose the next status, in a circle."""
        index = CHOICES.index(self.value) if self.value in CHOICES else 0
        self.value = CHOICES[(index + steps) % len(CHOICES)]

    def action_choose(self, status: str) -> None:
        """Choose a status."""
        self.value = status

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        glyphs, of_chosen = self.glyphs, look_of(self.value or None).style
        style = "chosen" if self.has_focus else of_chosen
        sign = "*" if glyphs.ascii_only else "•"
        choices = [
            (f"({sign}) {glyphs.status_text(status or None)}  ", style)
            if status == self.value
            else (f"( ) {glyphs.status_text(status or None)}  ", "muted")
            for status in CHOICES
        ]
        choices[-1] = (choices[-1][0].rstrip(), choices[-1][1])
        chosen: Run = (glyphs.status_text(self.value or None), style)
        arrows = (f"{glyphs.left} ", "muted"), (f" {glyphs.right}", "muted")
        part = Part(choices, {1: [arrows[0], chosen, arrows[1]], 2: [chosen]})
        return [fitted(glyphs, [part], width).runs]

    def on_click(self, event: events.Click) -> None:
        """Choose the status that was clicked or, if only one is shown, the one before or after."""
        clicked = event.get_content_offset_capture(self).x
        (shown,) = self.lines(self.size.width)
        if len(shown) < len(CHOICES):
            self.action_choose_by(-1 if clicked < 2 else 1)
        elif (index := index_at(([run] for run in shown), clicked)) is not None:
            self.value = CHOICES[index]


SIGN, GAP = 2, 2  # cells before and behind a number
DIGITS_MOST: Final = 6  # cells of a number: a single long one would take those of all names
NONE: Final = -1  # the cursor, where no category is meant


class CategoryList(RowTable[int], can_focus=False):
    """Those that match what is typed, with the bar on the one that it means."""

    HEADER_ROWS: ClassVar[int] = 0
    CLICKS: ClassVar[int] = 1

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._categories = session.categories

    def show(self, matching: Sequence[int], meant: int | None) -> None:
        """Show categories, and which of them is meant, if one is."""
        index = matching.index(meant) if meant in matching else NONE
        if [*matching] == [*self.rows]:
            self.cursor = index
        else:
            self.put_rows(matching, index)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row, or on none."""
        return NONE if cursor == NONE else super().validate_cursor(cursor)

    def runs_of(self, row: int, sign: str, width: int) -> Sequence[Run]:
        """Return a category's number and name."""
        number = f"{sign} {self.glyphs.cut(str(row), DIGITS_MOST):>{_digits(self.rows)}}  "
        name = self.glyphs.line(self._categories.name(row))
        return [(number, "muted"), (self.glyphs.cut(name, width - cell_len(number) - 1), "")]

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return that nothing matches."""
        return [[("  no known category", "muted")]]


def _digits(numbers: Iterable[int]) -> int:
    """Return the cells of a column of numbers."""
    return min(max((len(str(number)) for number in numbers), default=1), DIGITS_MOST)
