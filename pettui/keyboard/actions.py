"""What keys do: the one declaration of each action, as plain data, by where its keys work.

Bindings, key bar, help, palette, the configuration's ``[keys]`` and the tables of keys in README.md
and docs/ are made from these (``make docs``). The order is that of key bar, help and palette.
"""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.models.pets import PetStatus
from pettui.models.statuses import status_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "GROUPS", "HELP_GROUPS", "NAMES", "NEED_ANIMALS", "OUTSIDE_PALETTE", "OWN", "SCREENS", "Action",
]  # fmt: skip


FINDING, MARKING, LOADING = "Finding and sorting", "Marking and taking away", "Loading"
LOOKING, MOVING, EVERYWHERE = "Looking", "Moving", "Everywhere"
OWN = "Commands of your own"  # of the configuration
OWN_NAMES = "own_"  # begins their names
HELP_GROUPS = ("", OWN, FINDING, MARKING, LOADING, LOOKING, MOVING, EVERYWHERE)
"""The titles of the groups in the help, the most frequent first."""


class Action(NamedTuple):
    """An action, and its keys unless the user configures others."""

    name: str  # in [keys]
    keys: str  # comma separated: a, Y, f5, escape, pageup, question_mark …
    label: str  # in key bar, help and palette
    is_in_key_bar: bool = True
    is_in_palette: bool = True  # movements are not
    takes_key_first: bool = False  # the focused widget never gets the key
    needs_animals: bool = False  # on the screen: it acts on one of them, or moves among them
    group: str = ""  # in the help, by its title; "" for what the screen is there for
    gives_way: bool = False  # came after commands of one's own: one that had its key keeps it


def _out_of_key_bar(action: Action) -> Action:
    """Return the action for help and palette only."""
    return action._replace(is_in_key_bar=False)


def _hidden(name: str, keys: str, label: str) -> Action:
    return _out_of_key_bar(Action(name, keys, label))


def _movement(name: str, keys: str, label: str) -> Action:
    return _hidden(name, keys, label)._replace(is_in_palette=False, group=MOVING)


def _in_group(group: str, *declared: Action) -> tuple[Action, ...]:
    return tuple(action._replace(group=group) for action in declared)


def _grouped(declared: Iterable[Action], groups: Mapping[str, str]) -> tuple[Action, ...]:
    """Return actions in the groups of their names; the others stay in theirs."""
    group_of = {name: group for group, names in groups.items() for name in names.split()}
    return tuple(each._replace(group=group_of.get(each.name, each.group)) for each in declared)


def _for_animals(action: Action) -> Action:
    return action._replace(needs_animals=True)


def _choose_status(status: PetStatus | None) -> Action:
    """Return the choice of a status in the form, by the first letter of its word."""
    word = status_word(status)
    return _hidden(f"status_{status or 'not_set'}", word[0], word.capitalize())


# Actions of several screens.
ADD = Action("add", "a", "Add")
CLOSE = Action("close", "escape", "Close")
BACK = CLOSE._replace(keys="escape,q", label="Back")
COMMANDS = Action("commands", "colon", "Commands", is_in_palette=False, group=EVERYWHERE)
COPY_ID = Action("copy_id", "y", "Copy id", needs_animals=True)
COPY_JSON = Action("copy_json", "Y", "Copy JSON", needs_animals=True)
ENTER_KEY = Action("enter_key", "f7", "Change API key")  # in the key bar where it would help
EXPORT = Action("export", "e", "Export")
OPEN = Action("open", "enter", "Open", needs_animals=True)
HELP = Action("help", "f1,question_mark", "Help", group=EVERYWHERE)
OUTBOX = Action("outbox", "o", "Outbox")
RECEIPT = Action("receipt", "R", "Receipt")
TAKE_BACK = Action("take_back", "f8", "Take back")
# What keys of the form do, as its state has it.
CORRECT = "Correct"
NEW_ANIMAL = "New animal"
LOOK_FOR = Action("look_for", "l", "Look for it")
SEND_AGAIN = Action("send_again", "s", "Send again")
GIVE_UP = Action("give_up", "U", "Give up")
FIND = Action("find", "slash", "Find")
FORGET = Action("forget", "x", "Forget")
EDIT_COPY = Action("edit_copy", "E", "Edit a copy")
# No name contains it: what is typed ahead cannot be this key.
ADD_ANYWAY = Action("add_anyway", "f10", "Add anyway")
REFRESH = Action("refresh", "r,f5", "Refresh")
GO_TO = _hidden("go_to", "number_sign", "Go to an id")
IMPORT_FILE = _hidden("import_file", "i", "Import a file")
PROFILES = _hidden("profiles", "p", "Profiles")
HISTORY = _hidden("history", "f12,exclamation_mark", "What happened")
REQUESTS = _hidden("requests", "f3", "Requests")
VIEW_FULL_TEXT = Action("view_full_text", "f6", "Full text")
COPY_CURL = Action("copy_curl", "y", "Copy as curl")

APP = _in_group(
    EVERYWHERE,
    _hidden("quit_anywhere", "ctrl+q", "Quit")._replace(takes_key_first=True),
    _hidden("suspend", "ctrl+z", "Suspend")._replace(takes_key_first=True),
    _hidden("redraw", "ctrl+l", "Draw the screen again")._replace(
        takes_key_first=True, gives_way=True
    ),
)
DEMO = _in_group(EVERYWHERE, _hidden("reset_demo", "f9", "Start the demo over"))  # over SSH
EVERY_SCREEN = _in_group(
    EVERYWHERE,
    _hidden("put_away", "escape", "Stop or dismiss"),
    VIEW_FULL_TEXT,
    ENTER_KEY,
    HISTORY,
    REQUESTS,
)
MARKS = _in_group(
    MARKING,
    _for_animals(_hidden("mark", "space", "Mark or unmark")),
    _for_animals(_hidden("mark_range", "v", "Mark a range, or end it")),
    _for_animals(_hidden("mark_all", "A", "Mark all that are shown")),
    _for_animals(_hidden("invert_marks", "I", "Invert the marks")),
)
PET_LIST = (
    ADD,
    OPEN,
    TAKE_BACK,
    FIND,
    Action("sort", "s", "Sort"),
    Action("more", "m", "More"),
    _hidden("all_pages", "M", "All pages"),
    Action("watch", "w", "Watch"),
    GO_TO,
    _hidden("set_limit", "L", "Set the limit"),
    OUTBOX,
    *MARKS,
    _for_animals(_hidden("only_marked", "V", "Only the marked ones")),
    _hidden("filter_all", "1", "Show all"),
    *(
        _hidden(f"filter_{status}", str(number), f"Show {status_word(status)}")
        for number, status in enumerate(PetStatus, 2)
    ),
    _hidden("sort_by", "z", "Sort by a column"),
    _hidden("then_by", "Z", "Then by another column"),
    _hidden("reverse_order", "S", "Reverse the order"),
    _for_animals(_hidden("next_mark", "n", "Next new or changed")),
    _for_animals(_hidden("previous_mark", "N", "Previous new or changed")),
    _hidden("limit_up", "plus", "Larger limit"),
    _hidden("limit_down", "minus", "Smaller limit"),
    _for_animals(_hidden("find_category", "f", "Only its category, or all"))._replace(
        gives_way=True
    ),
    REFRESH,
    _out_of_key_bar(COPY_ID),
    _out_of_key_bar(COPY_JSON),
    EXPORT,
    IMPORT_FILE,
    _hidden("preview", "t", "Preview on or off"),
    PROFILES,
    _hidden("counts", "c", "Counts on or off"),
    _out_of_key_bar(RECEIPT),
    COMMANDS,
    HELP,
    Action("quit", "q", "Quit", group=EVERYWHERE),
)
PET_LIST = _grouped(
    PET_LIST,
    {
        FINDING: "find find_category sort sort_by then_by reverse_order go_to "
        "next_mark previous_mark "
        + " ".join(each.name for each in PET_LIST if each.name.startswith("filter_")),
        MARKING: "only_marked copy_id copy_json export",
        LOADING: "refresh more all_pages watch set_limit limit_up limit_down",
        LOOKING: "preview counts",
    },
)
_OF_PANES = frozenset(
    {
        *("find", "find_category", "sort", "sort_by", "then_by", "reverse_order"),
        *("next_mark", "previous_mark"),
        *("mark", "mark_range", "mark_all", "invert_marks", "only_marked", "preview", "counts"),
    }
)
PET_PANES = tuple(each for each in PET_LIST if each.name in _OF_PANES)
"""What needs nothing but the rows that are loaded, on the list."""
ON_THE_LIST = tuple(each for each in PET_LIST if each not in PET_PANES)
"""The others."""
PET_TABLE = tuple(
    _for_animals(_movement(name, keys, label))
    for name, keys, label in (
        ("up", "up,k", "Up"),
        ("down", "down,j", "Down"),
        ("page_up", "pageup,ctrl+b", "Page up"),
        ("page_down", "pagedown,ctrl+f", "Page down"),
        ("half_page_up", "ctrl+u", "Half a page up"),
        ("half_page_down", "ctrl+d", "Half a page down"),
        ("top", "g,home", "Top"),
        ("end", "G,end", "End"),
    )
)
PET_DETAIL = (
    BACK,
    Action("next_animal", "j,down,right", "Next"),
    Action("previous_animal", "k,up,left", "Previous"),
    REFRESH,
    Action("add_alike", "a", "Add one like it"),
    COPY_ID,
    COPY_JSON,
    *_in_group(FINDING, _out_of_key_bar(FIND), GO_TO),
    _out_of_key_bar(OUTBOX),
    IMPORT_FILE,
    PROFILES,
    _movement("first_animal", "g,home", "First"),
    _movement("last_animal", "G,end", "Last"),
    _movement("detail_page_up", "pageup", "Page up"),
    _movement("detail_page_down", "pagedown,space", "Page down"),
    COMMANDS,
    HELP,
)
PET_CREATE = (
    # Takes the key first: no field gets it, and each Enter adds what was typed before it.
    Action("add_and_next", "enter", "Add and next", takes_key_first=True),
    Action("add_and_open", "f2", "Add and open"),
    ADD_ANYWAY,
    TAKE_BACK._replace(label="Take back, or correct"),
    Action("clear", "f4", "Clear"),
    OUTBOX._replace(keys="f9"),
    Action("new_animal", "f3", f"{NEW_ANIMAL}, or next draft"),
    _hidden(REFRESH.name, "f5", "Send again"),
    _movement("next_field", "tab,down", "Next field"),
    _movement("previous_field", "shift+tab,up", "Previous field"),
    _movement("entries_page_up", "pageup", "Recent: page up"),
    _movement("entries_page_down", "pagedown", "Recent: page down"),
    CLOSE,
    _out_of_key_bar(COMMANDS),
    HELP,
)
NAME_INPUT = (
    _hidden("name_before", "up", "Name before"),
    _hidden("name_after", "down", "Name after"),
)
CATEGORY_INPUT = (
    _hidden("category_before", "up", "Matching category before"),
    _hidden("category_after", "down", "Next matching category"),
)
STATUS_PICKER = (
    _hidden("status_before", "left", "Previous status"),
    _hidden("status_after", "right,space", "Next status"),
    *map(_choose_status, (None, *PetStatus)),
)
OUTBOX_ENTRIES = (
    Action("open_entry", "enter", "Open"),
    Action("view_entry", "enter", "Show"),
    Action("edit", "enter", "Edit"),
    LOOK_FOR,
    SEND_AGAIN,
    GIVE_UP,
    EDIT_COPY,
    FORGET,
    FIND,
    _hidden("sort_entries", "S", "Sort"),
    _hidden("forget_added", "X", "Forget all that were added"),
    _out_of_key_bar(TAKE_BACK)._replace(label="Take back the newest"),
    _hidden("next_undecided", "n", "Next refused or unknown"),
    _hidden("previous_undecided", "N", "Previous refused or unknown"),
    RECEIPT,
    _out_of_key_bar(ADD),
    _hidden("open_import", "i", "Go on with the import"),
    _hidden(REFRESH.name, "f5", "Try now"),
    BACK,
    _out_of_key_bar(COMMANDS),
    HELP,
)
CANDIDATES = (
    Action("this_one", "enter", "It is this one"),
    SEND_AGAIN._replace(label="None of them: send again"),
    Action("next_undecided", "n", "Next unknown"),
    _hidden("previous_undecided", "N", "Previous unknown"),
    _hidden(REFRESH.name, "r,f5", "Read on, or look again"),
    BACK._replace(label="Leave it"),
    _out_of_key_bar(COMMANDS),
    HELP,
)
CANDIDATE_ROWS = (
    _movement("candidate_up", "up,k", "Up"),
    _movement("candidate_down", "down,j", "Down"),
    _movement("candidate_page_up", "pageup,ctrl+b", "Page up"),
    _movement("candidate_page_down", "pagedown,space,ctrl+f", "Page down"),
    _movement("candidate_half_page_up", "ctrl+u", "Half a page up"),
    _movement("candidate_half_page_down", "ctrl+d", "Half a page down"),
    _movement("candidate_top", "g,home", "Top"),
    _movement("candidate_end", "G,end", "End"),
)
RECEIPT_PETS = (
    OPEN,
    Action("earlier_day", "left", "Earlier day"),
    Action("later_day", "right", "Later day"),
    EXPORT,
    COPY_ID,
    COPY_JSON,
    *MARKS,
    _hidden(REFRESH.name, "f5", "Try now"),
    BACK,
    _out_of_key_bar(COMMANDS),
    HELP,
)
PET_IMPORT = (
    Action("send_lines", "enter", "Send"),
    Action("begin_empty", "b", "Begin empty"),
    Action("keep_samples", "B", "Keep samples"),
    Action("view_lines", "v", "View lines"),
    Action("mark_added", "m", "Mark added"),
    Action("leave_out_bad", "x", "Skip bad"),
    Action("leave_out_duplicates", "d", "Skip duplicates"),
    Action("send_duplicates", "D", "Send anyway"),
    Action("map_values", "i", "Values"),
    Action("leave_out_changed", "c", "Skip changed?"),
    Action("send_changed", "C", "Send changed?"),
    Action("look_for_unknown", "l", "Look for unknown"),
    Action("send_unknown", "u", "Resend unknown"),
    _hidden("send_earlier", "A", "Resend added earlier"),
    _hidden(REFRESH.name, "r,f5", "Retry"),
    _movement("lines_up", "up,k", "Up"),
    _movement("lines_down", "down,j", "Down"),
    _movement("lines_page_up", "pageup", "Page up"),
    _movement("lines_page_down", "pagedown,space", "Page down"),
    BACK,
    _out_of_key_bar(COMMANDS),
    HELP,
)
ENTRY_TABLE = (
    _movement("entry_up", "up,k", "Up"),
    _movement("entry_down", "down,j", "Down"),
    _movement("entry_page_up", "pageup,ctrl+b", "Page up"),
    _movement("entry_page_down", "pagedown,space,ctrl+f", "Page down"),
    _movement("entry_half_page_up", "ctrl+u", "Half a page up"),
    _movement("entry_half_page_down", "ctrl+d", "Half a page down"),
    _movement("entry_top", "g,home", "Top"),
    _movement("entry_end", "G,end", "End"),
)
KEY_PROMPT = (
    Action("use_key", "enter", "Use this key", takes_key_first=True),
    Action("cancel_key", "escape", "Cancel", takes_key_first=True),
)
PROMPT_LINE = (
    Action("submit_line", "enter", "Accept", is_in_palette=False, takes_key_first=True),
    Action("complete_line", "tab", "Complete", is_in_palette=False, takes_key_first=True),
    Action("close_line", "escape", "Close", is_in_palette=False, takes_key_first=True),
    _movement("earlier_text", "up", "Earlier"),
    _movement("later_text", "down", "Later"),
)
EXPORT_LINE = (
    Action("to_clipboard", "f2", "Copy", is_in_palette=False),
    Action("other_rows", "f3", "Other rows", is_in_palette=False),
)
FIND_LINE = (Action("mark_found", "f2", "Mark", is_in_palette=False, needs_animals=True),)
IN_BOXES = (_out_of_key_bar(HELP), HISTORY)
PALETTE = (
    Action("run_command", "enter", "Run", takes_key_first=True),
    Action("close_commands", "escape", "Close"),
    Action("command_up", "up", "Up"),
    Action("command_down", "down", "Down"),
    Action("command_page_up", "pageup", "Page up"),
    Action("command_page_down", "pagedown", "Page down"),
    *IN_BOXES,
)
SCROLLED_BOX = (
    _movement("box_up", "up,k", "Up"),
    _movement("box_down", "down,j", "Down"),
    _movement("box_page_up", "pageup,ctrl+b", "Page up"),
    _movement("box_page_down", "pagedown,ctrl+f,space", "Page down"),
    _movement("box_half_page_up", "ctrl+u", "Half a page up"),
    _movement("box_half_page_down", "ctrl+d", "Half a page down"),
    _movement("box_top", "g,home", "Top"),
    _movement("box_end", "G,end", "End"),
)
HELP_BOX = (
    Action("find_key", "slash", "Find"),
    Action("close_help", "escape,f1,question_mark,q,enter", "Close"),
    HISTORY,
)
TEXT_BOX = (Action("close_text", "escape,f6,q,enter", "Close"), *IN_BOXES)
LINE_BOX = (
    Action("toggle_line", "space", "Take out or put in"),
    Action("close_lines", "escape,v,q,enter", "Close"),
    *IN_BOXES,
)
LINE_ROWS = (
    _movement("line_up", "up,k", "Up"),
    _movement("line_down", "down,j", "Down"),
    _movement("line_page_up", "pageup,ctrl+b", "Page up"),
    _movement("line_page_down", "pagedown,ctrl+f", "Page down"),
    _movement("line_half_page_up", "ctrl+u", "Half a page up"),
    _movement("line_half_page_down", "ctrl+d", "Half a page down"),
    _movement("line_top", "g,home", "Top"),
    _movement("line_end", "G,end", "End"),
)
ENTRY_BOX = (
    LOOK_FOR,
    SEND_AGAIN,
    EDIT_COPY,
    FORGET,
    Action("close_entry", "escape,f6,q,enter", "Close"),
    *IN_BOXES,
)
PASTE_BOX = (
    Action("add_pasted", "enter", "Add all", takes_key_first=True),
    ADD_ANYWAY,
    Action("leave_out", "x", "Leave out bad lines"),
    Action("leave_out_twins", "d", "Leave out twins"),
    # Letters are text in the category's field: lines are left out from beside it.
    Action("to_lines", "tab,shift+tab", "To the lines"),
    Action("to_category", "tab,shift+tab", "To the category"),
    Action("leave_pasted", "escape,q", "Back"),
    *IN_BOXES,
)
HISTORY_BOX = (
    REQUESTS._replace(is_in_key_bar=True),
    Action("close_history", "escape,f12,exclamation_mark,q,enter", "Close"),
    _out_of_key_bar(HELP),
)
REQUESTS_BOX = (
    Action("view_request", "enter", "Show", takes_key_first=True),
    Action("find_request", "slash", "Find"),
    COPY_CURL,
    Action("close_requests", "escape,f3,q", "Close"),
    *IN_BOXES,
)
REQUEST_ROWS = (
    _movement("request_up", "up,k", "Up"),
    _movement("request_down", "down,j", "Down"),
    _movement("request_page_up", "pageup,ctrl+b", "Page up"),
    _movement("request_page_down", "pagedown,ctrl+f,space", "Page down"),
    _movement("request_top", "g,home", "Newest"),
    _movement("request_end", "G,end", "Oldest"),
)
REQUEST_BOX = (
    COPY_CURL,
    Action("close_request", "escape,f6,q,enter", "Close"),
    *IN_BOXES,
)
PROFILES_BOX = (
    Action("switch_profile", "enter", "Switch", takes_key_first=True),
    Action("test_profile", "t", "Test"),
    Action("close_profiles", "escape,p,q", "Close"),
    *IN_BOXES,
)
PROFILE_ROWS = (
    _movement("profile_up", "up,k", "Up"),
    _movement("profile_down", "down,j", "Down"),
    _movement("profile_top", "g,home", "Top"),
    _movement("profile_end", "G,end", "End"),
)
CONFIRMATION = (Action("confirm", "y", "Yes"),)
SORT_BOX = (
    Action("by_id", "i", "Id"),  # the names of the columns
    Action("by_name", "n", "Name"),
    Action("by_category", "c", "Category"),
    Action("by_status", "s", "Status"),
    Action("unsorted", "u", "Not sorted"),
    Action("close_sort", "escape,q", "Close"),
    *IN_BOXES,
)
ENCODING_BOX = (
    *(Action(f"encoding_{number}", str(number), f"Encoding {number}") for number in range(1, 6)),
    Action("close_encodings", "escape,q", "Close"),
    *IN_BOXES,
)
MAPPING_BOX = (
    Action("take_mapping", "enter", "Go on", takes_key_first=True),
    Action("as_name", "n", "Name"),
    Action("as_category", "c", "Category"),
    Action("as_status", "s", "Status"),
    Action("next_meaning", "space", "What it is"),
    Action("view_values", "v", "Values"),
    Action("without_header", "h", "No header"),
    Action("keep_mapping", "m", "Keep"),
    Action("close_mapping", "escape,q", "Close"),
    *IN_BOXES,
)
MAPPING_ROWS = (
    _movement("mapping_up", "up,k", "Up"),
    _movement("mapping_down", "down,j", "Down"),
    _movement("mapping_page_up", "pageup,ctrl+b", "Page up"),
    _movement("mapping_page_down", "pagedown,ctrl+f", "Page down"),
    _movement("mapping_top", "g,home", "Top"),
    _movement("mapping_end", "G,end", "End"),
)
VALUES_BOX = (
    Action("take_value", "enter", "Take", takes_key_first=True),
    Action("close_values", "escape", "Back"),
    *IN_BOXES,
)
VALUE_ROWS = (  # letters are text in the field below
    _movement("value_up", "up", "Up"),
    _movement("value_down", "down", "Down"),
    _movement("value_page_up", "pageup", "Page up"),
    _movement("value_page_down", "pagedown", "Page down"),
)
SEND_FIRST = Action("send_first", "s", "Send first")
STAY = Action("stay", "escape", "Stay")
QUIT_BOX = (Action("quit_now", "q", "Quit"), SEND_FIRST, STAY)
SWITCH_BOX = (
    # Not Enter, which opened the question, nor q, which closes the box of profiles below it.
    Action("switch_now", "y", "Switch"),
    SEND_FIRST,
    STAY._replace(keys="escape,q"),
)

GROUPS = (
    APP, DEMO, EVERY_SCREEN, PET_LIST, PET_TABLE, PET_DETAIL, PET_CREATE, NAME_INPUT,
    CATEGORY_INPUT, STATUS_PICKER, OUTBOX_ENTRIES, ENTRY_TABLE, CANDIDATES, CANDIDATE_ROWS,
    RECEIPT_PETS, PET_IMPORT, KEY_PROMPT, PROMPT_LINE, EXPORT_LINE, FIND_LINE, PALETTE,
    SCROLLED_BOX, HELP_BOX, TEXT_BOX, LINE_BOX, LINE_ROWS, ENTRY_BOX, PASTE_BOX, HISTORY_BOX,
    REQUESTS_BOX, REQUEST_ROWS, REQUEST_BOX, PROFILES_BOX, PROFILE_ROWS, CONFIRMATION, SORT_BOX,
    ENCODING_BOX, MAPPING_BOX, MAPPING_ROWS, VALUES_BOX, VALUE_ROWS, QUIT_BOX, SWITCH_BOX,
)  # fmt: skip
_EVERYWHERE = (APP, EVERY_SCREEN)
SCREENS: Final[Mapping[str, tuple[tuple[Action, ...], ...]]] = MappingProxyType(
    {
        "on the list": (*_EVERYWHERE, PET_LIST, PET_TABLE),
        "on an animal": (*_EVERYWHERE, PET_DETAIL),
        "in the form": (*_EVERYWHERE, PET_CREATE),
        "in the form's name": (*_EVERYWHERE, PET_CREATE, NAME_INPUT),
        "in the form's category": (*_EVERYWHERE, PET_CREATE, CATEGORY_INPUT),
        "in the form's status": (*_EVERYWHERE, PET_CREATE, STATUS_PICKER),
        "in the outbox": (*_EVERYWHERE, OUTBOX_ENTRIES, ENTRY_TABLE),
        "among what it could be": (*_EVERYWHERE, CANDIDATES, CANDIDATE_ROWS),
        "in the receipt": (*_EVERYWHERE, RECEIPT_PETS, PET_TABLE),
        "in an import": (*_EVERYWHERE, PET_IMPORT),
        "in the export's line": (PROMPT_LINE, EXPORT_LINE),
        "in the line of a find": (PROMPT_LINE, FIND_LINE),
        "in the API key's line": (KEY_PROMPT,),
        "in the palette": (PALETTE,),
        "in the help": (SCROLLED_BOX, HELP_BOX),
        "in a full text": (SCROLLED_BOX, TEXT_BOX),
        "in the lines of a file": (LINE_BOX, LINE_ROWS),
        "in an unknown animal": (SCROLLED_BOX, ENTRY_BOX),
        "in pasted lines": (SCROLLED_BOX, PASTE_BOX),
        "in what happened": (SCROLLED_BOX, HISTORY_BOX),
        "in the requests": (REQUESTS_BOX, REQUEST_ROWS),
        "in a request": (SCROLLED_BOX, REQUEST_BOX),
        "in the profiles": (PROFILES_BOX, PROFILE_ROWS),
        "in the choice of a column": (SORT_BOX,),
        "in the choice of an encoding": (ENCODING_BOX,),
        "in the columns of a file": (MAPPING_BOX, MAPPING_ROWS),
        "in the values of a column": (VALUES_BOX, VALUE_ROWS),
        "in the question before quitting": (QUIT_BOX,),
        "in the question before another profile": (SWITCH_BOX,),
    }
)
"""The groups whose keys work at once, by where."""
NAMES = tuple(dict.fromkeys(each.name for each in chain(*GROUPS)))  # in the order of GROUPS
OTHER_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "add": "new create insert",
        "open": "view details",
        "take_back": "undo revert",
        "find": "search grep filter",
        "find_category": "filter search",
        "sort": "order",
        "sort_by": "order",
        "more": "next page",
        "all_pages": "everything load",
        "watch": "live auto poll",
        "go_to": "jump",
        "set_limit": "page size",
        "outbox": "queue sent unsent",
        "mark": "select tag",
        "mark_all": "select",
        "mark_range": "select visual",
        "clear": "empty reset",
        "refresh": "reload update sync retry",
        "copy_id": "clipboard yank",
        "copy_json": "clipboard yank",
        "export": "save csv print excel download",
        "import_file": "load csv upload",
        "preview": "pane details",
        "profiles": "switch server environment account",
        "counts": "total sum statistics",
        "receipt": "today report total log added history",
        "earlier_day": "yesterday previous",
        "later_day": "next",
        "history": "log errors messages notifications",
        "requests": "http network log curl trace",
        "enter_key": "token password login",
        "view_full_text": "whole cut more",
        "put_away": "cancel abort",
        "help": "keys shortcuts manual",
        "quit": "exit close leave",
        "quit_anywhere": "exit leave",
        "close": "exit cancel leave",
        "suspend": "background shell",
        "redraw": "repaint clear garbled",
        "forget": "delete remove",
        "send_again": "retry resend",
        "edit": "change correct",
        "edit_copy": "duplicate change",
        "add_alike": "duplicate clone new",
        "new_animal": "draft",
        "look_for": "search resolve",
    }
)
"""What people call an action who know other programs: palette and help find it by that, too."""
NEED_ANIMALS = frozenset(each.name for each in chain(*GROUPS) if each.needs_animals)
OUTSIDE_PALETTE = frozenset(each.name for each in chain(*GROUPS) if not each.is_in_palette)
