"""What keys do: the one declaration of each action, as plain data, by where its keys work.

Bindings, key bar, help, palette, the configuration's ``[keys]`` and the tables of keys in README.md
and docs/ are made from these (``make docs``). The order is that of key bar, help and palette.
"""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.models.pets import PetStatus
from pettui.models.statuses import status_word

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Actions: TypeAlias = tuple["Action", ...]

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
    also: str = ""  # what it is called by who knows other programs: palette and help find it
    group: str = ""  # in the help, by its title; "" for what the screen is there for
    is_in_key_bar: bool = True
    is_in_palette: bool = True  # movements are not
    takes_key_first: bool = False  # the focused widget never gets the key
    needs_animals: bool = False  # on the screen: it acts on one of them, or moves among them
    gives_way: bool = False  # came after commands of one's own: one that had its key keeps it


def _out_of_key_bar(action: Action) -> Action:
    """Return the action for help and palette only."""
    return action._replace(is_in_key_bar=False)


def _hidden(name: str, keys: str, label: str, also: str = "", **declared: Any) -> Action:
    return Action(name, keys, label, also, is_in_key_bar=False, **declared)


def _movement(name: str, keys: str, label: str) -> Action:
    return _hidden(name, keys, label, is_in_palette=False, group=MOVING)


def _moves(beginning: str, *, has_space: bool = False, needs_animals: bool = False) -> Actions:
    """Return what moves a cursor, or scrolls; ``beginning`` is that of the names."""
    moves = (
        ("up", "up,k", "Up"),
        ("down", "down,j", "Down"),
        ("page_up", "pageup,ctrl+b", "Page up"),
        ("page_down", "pagedown,space,ctrl+f" if has_space else "pagedown,ctrl+f", "Page down"),
        ("half_page_up", "ctrl+u", "Half a page up"),
        ("half_page_down", "ctrl+d", "Half a page down"),
        ("top", "g,home", "Top"),
        ("end", "G,end", "End"),
    )
    return tuple(
        _movement(f"{beginning}{name}", keys, label)._replace(needs_animals=needs_animals)
        for name, keys, label in moves
    )


def _in_group(group: str, *declared: Action) -> Actions:
    return tuple(action._replace(group=group) for action in declared)


def _for_animals(name: str, keys: str, label: str, also: str = "", **declared: Any) -> Action:
    return _hidden(name, keys, label, also, needs_animals=True, **declared)


def _choose_status(status: PetStatus | None) -> Action:
    """Return the choice of a status in the form, by the first letter of its word."""
    word = status_word(status)
    return _hidden(f"status_{status or 'not_set'}", word[0], word.capitalize())


# Actions of several screens.
ADD = Action("add", "a", "Add", "new create insert")
CLOSE = Action("close", "escape", "Close", "exit cancel leave")
BACK = CLOSE._replace(keys="escape,q", label="Back")
COMMANDS = Action("commands", "colon", "Commands", is_in_palette=False, group=EVERYWHERE)
COPY_ID = Action("copy_id", "y", "Copy id", "clipboard yank", needs_animals=True)
COPY_JSON = Action("copy_json", "Y", "Copy JSON", "clipboard yank", needs_animals=True)
ENTER_KEY = Action(
    "enter_key", "f7", "Change API key", "token password login"
)  # in the key bar where it would help
EXPORT = Action("export", "e", "Export", "save csv print excel download")
OPEN = Action("open", "enter", "Open", "view details", needs_animals=True)
HELP = Action("help", "f1,question_mark", "Help", "keys shortcuts manual", group=EVERYWHERE)
OUTBOX = Action("outbox", "o", "Outbox", "queue sent unsent")
RECEIPT = Action("receipt", "R", "Receipt", "today report total log added history")
TAKE_BACK = Action("take_back", "f8", "Take back", "undo revert")
# What keys of the form do, as its state has it.
CORRECT = "Correct"
NEW_ANIMAL = "New animal"
LOOK_FOR = Action("look_for", "l", "Look for it", "search resolve")
SEND_AGAIN = Action("send_again", "s", "Send again", "retry resend")
GIVE_UP = Action("give_up", "U", "Give up")
FIND = Action("find", "slash", "Find", "search grep filter")
FORGET = Action("forget", "x", "Forget", "delete remove")
EDIT_COPY = Action("edit_copy", "E", "Edit a copy", "duplicate change")
# No name contains it: what is typed ahead cannot be this key.
ADD_ANYWAY = Action("add_anyway", "f10", "Add anyway")
REFRESH = Action("refresh", "r,f5", "Refresh", "reload update sync retry")
GO_TO = _hidden("go_to", "number_sign", "Go to an id", "jump")
IMPORT_FILE = _hidden("import_file", "i", "Import a file", "load csv upload")
PROFILES = _hidden("profiles", "p", "Profiles", "switch server environment account")
HISTORY = _hidden(
    "history", "f12,exclamation_mark", "What happened", "log errors messages notifications"
)
REQUESTS = _hidden("requests", "f3", "Requests", "http network log curl trace")
VIEW_FULL_TEXT = Action("view_full_text", "f6", "Full text", "whole cut more")
COPY_CURL = Action("copy_curl", "y", "Copy as curl")

APP = _in_group(
    EVERYWHERE,
    _hidden("quit_anywhere", "ctrl+q", "Quit", "exit leave")._replace(takes_key_first=True),
    _hidden("suspend", "ctrl+z", "Suspend", "background shell")._replace(takes_key_first=True),
    _hidden("redraw", "ctrl+l", "Draw the screen again", "repaint clear garbled")._replace(
        takes_key_first=True, gives_way=True
    ),
)
DEMO = _in_group(EVERYWHERE, _hidden("reset_demo", "f9", "Start the demo over"))  # over SSH
EVERY_SCREEN = _in_group(
    EVERYWHERE,
    _hidden("put_away", "escape", "Stop or dismiss", "cancel abort"),
    VIEW_FULL_TEXT,
    ENTER_KEY,
    HISTORY,
    REQUESTS,
)
MARKS = _in_group(
    MARKING,
    _for_animals("mark", "space", "Mark or unmark", "select tag"),
    _for_animals("mark_range", "v", "Mark a range, or end it", "select visual"),
    _for_animals("mark_all", "A", "Mark all that are shown", "select"),
    _for_animals("invert_marks", "I", "Invert the marks"),
)
_FIND_AND_SORT = _in_group(FINDING, FIND, Action("sort", "s", "Sort", "order"))
_ROWS = (
    *MARKS,
    _for_animals("only_marked", "V", "Only the marked ones", group=MARKING),
    *_in_group(
        FINDING,
        _hidden("sort_by", "z", "Sort by a column", "order"),
        _hidden("then_by", "Z", "Then by another column"),
        _hidden("reverse_order", "S", "Reverse the order"),
        _for_animals("next_mark", "n", "Next new or changed"),
        _for_animals("previous_mark", "N", "Previous new or changed"),
        _for_animals(
            "find_category", "f", "Only its category, or all", "filter search", gives_way=True
        ),
    ),
    _hidden("preview", "t", "Preview on or off", "pane details", group=LOOKING),
    _hidden("counts", "c", "Counts on or off", "total sum statistics", group=LOOKING),
)
PET_PANES = (*_FIND_AND_SORT, *_ROWS)
"""What needs nothing but the rows that are loaded, on the list."""
PET_LIST = (
    ADD,
    OPEN,
    TAKE_BACK,
    *_FIND_AND_SORT,
    *_in_group(
        LOADING,
        Action("more", "m", "More", "next page"),
        _hidden("all_pages", "M", "All pages", "everything load"),
        Action("watch", "w", "Watch", "live auto poll"),
        _hidden("set_limit", "L", "Set the limit", "page size"),
        _hidden("limit_up", "plus", "Larger limit"),
        _hidden("limit_down", "minus", "Smaller limit"),
    ),
    OUTBOX,
    *_in_group(
        FINDING,
        GO_TO,
        _hidden("filter_all", "1", "Show all"),
        *(
            _hidden(f"filter_{status}", str(number), f"Show {status_word(status)}")
            for number, status in enumerate(PetStatus, 2)
        ),
    ),
    *_ROWS,
    REFRESH._replace(group=LOADING),
    *_in_group(MARKING, _out_of_key_bar(COPY_ID), _out_of_key_bar(COPY_JSON), EXPORT),
    IMPORT_FILE,
    PROFILES,
    _out_of_key_bar(RECEIPT),
    COMMANDS,
    HELP,
    Action("quit", "q", "Quit", "exit close leave", group=EVERYWHERE),
)
PET_TABLE = _moves("", needs_animals=True)
PET_DETAIL = (
    BACK,
    Action("next_animal", "j,down,right", "Next"),
    Action("previous_animal", "k,up,left", "Previous"),
    REFRESH,
    Action("add_alike", "a", "Add one like it", "duplicate clone new"),
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
    Action("clear", "f4", "Clear", "empty reset"),
    OUTBOX._replace(keys="f9"),
    Action("new_animal", "f3", f"{NEW_ANIMAL}, or next draft", "draft"),
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
    Action("edit", "enter", "Edit", "change correct"),
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
CANDIDATE_ROWS = _moves("candidate_", has_space=True)
RECEIPT_PETS = (
    OPEN,
    Action("earlier_day", "left", "Earlier day", "yesterday previous"),
    Action("later_day", "right", "Later day", "next"),
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
ENTRY_TABLE = _moves("entry_", has_space=True)
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
SCROLLED_BOX = _moves("box_", has_space=True)
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
LINE_ROWS = _moves("line_")
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
REQUEST_ROWS = _moves("request_", has_space=True)
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
PROFILE_ROWS = _moves("profile_")
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
MAPPING_ROWS = _moves("mapping_")
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

_EVERYWHERE = (APP, EVERY_SCREEN)
SCREENS: Final[Mapping[str, tuple[Actions, ...]]] = MappingProxyType(
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
GROUPS = tuple(dict.fromkeys((APP, DEMO, *chain(*SCREENS.values()), CONFIRMATION)))
NAMES = tuple(dict.fromkeys(each.name for each in chain(*GROUPS)))  # in the order of GROUPS
OTHER_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {each.name: each.also for each in chain(*GROUPS) if each.also}
)
NEED_ANIMALS = frozenset(each.name for each in chain(*GROUPS) if each.needs_animals)
OUTSIDE_PALETTE = frozenset(each.name for each in chain(*GROUPS) if not each.is_in_palette)
