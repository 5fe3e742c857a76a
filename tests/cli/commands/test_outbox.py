"""``pettui outbox`` on what windows and sessions left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pettui.outbox.entries import Draft
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.cli.commands.conftest import json_lines
from tests.cli.commands.shop_service import REFUSE, Shop
from tests.client.hostile.server import http
from tests.outbox.on_disk import entry_counts, outbox_directory
from tests.outbox.scripted import GOOD, an_entry, entry_id_of, left_behind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Run

    Leave = Callable[..., Path]
    LeaveElsewhere = Callable[..., Path]


ANNA = ("ssh SHA256:anna", "anna@till", "SHA256:anna")


@pytest.fixture
def leave(outbox_of: Callable[..., Path]) -> Leave:
    """Leaves animals in an outbox of the shop, as a window does that has ended."""

    def leave(owner: str = "local", name: str = "", fingerprint: str = "", **states: str) -> Path:
        directory = outbox_of(owner)
        for number, (animal, word) in enumerate(states.items(), 1):
            entry = GOOD.replace("Rex", animal)
            if word == "kept":  # is sent again until it is answered, since the store adds it once
                entry = entry.replace("}", f', "store_id": "{"0" * 32}"}}')
            state = word.replace("kept", "sending")
            left_behind(directory, entry, entry_id=entry_id_of(number), state=state)
        if name:
            who = {"name": name, "fingerprint": fingerprint}
            (directory / "user.json").write_text(json.dumps(who))
        return directory

    return leave


def test_a_list_has_what_is_in_the_outbox_and_changes_nothing(
    on_profile: Run, leave: Leave
) -> None:
    directory = leave(Rex="waiting", Max="refused", Leo="sending")
    before = sorted(directory.iterdir())
    finished = on_profile("outbox", "list")
    header, *lines = (line.split("\t") for line in finished.stdout.splitlines())
    assert header[:4] == ["key", "state", "id", "name"]
    assert [(line[0], line[1], line[3]) for line in lines] == [
        (entry_id_of(1), "waiting", "Rex"),
        (entry_id_of(2), "refused", "Max"),
        (entry_id_of(3), "unknown", "Leo"),  # the window was killed while it was sent
    ]
    assert (finished.returncode, sorted(directory.iterdir())) == (0, before)


LEFT_ALONE = "1 animal left alone: "
DONE: dict[str, tuple[dict[str, str], Callable[[Shop], object] | None, str, int, str, Any]] = {
    "what waits is sent, and nothing else": (
        {"Rex": "waiting", "Max": "refused", "Leo": "unknown", "Ida": "waiting"}, None, "send",
        0, "", {"added": 2, "refused": 1, "unknown": 1},
    ),
    "what was refused is sent again if it is named": (
        {"Rex": "waiting", "Max": "refused"}, None, "send refused", 0, "", {"added": 1, "waiting": 1},
    ),
    "what is unknown is sent again by its key": (
        {"Rex": "waiting", "Max": "unknown"}, None, f"send {entry_id_of(2)}",
        0, "", {"added": 1, "waiting": 1},
    ),
    "where the service asks for a wait it goes again": (
        {"Rex": "waiting", "Mimi": "waiting"},
        lambda shop: shop.first.update(Rex=http(429, "", [("Retry-After", "1")])), "send",
        0, "", {"added": 2},
    ),
    "where the service is away all waits": (
        {"Rex": "waiting", "Max": "waiting"}, Shop.go_away, "send",
        3, "error: cannot connect", {"waiting": 2},
    ),
    "what is for a user's own key waits for it": (
        {"Rex": "waiting.own-key"}, None, "send --users",
        4, "anna@till: 1 animal left alone: typed with an API key", {"waiting": 1},
    ),
    "what is for a user's own key is sent with the profile's": (
        {"Rex": "waiting.own-key"}, None, "send --users --with-profile-key", 0, "", {"added": 1},
    ),
    "a state is forgotten": (
        {"Rex": "waiting", "Max": "added", "Leo": "added", "Ida": "refused"}, None, "forget added",
        0, "notice: 2 animals forgotten\n", {"refused": 1, "waiting": 1},
    ),
    "an animal is forgotten by its key": (
        {"Rex": "waiting", "Max": "waiting"}, None, f"forget {entry_id_of(1)}",
        0, "notice: 1 animal forgotten\n", {"waiting": 1},
    ),
    "what may be out is not forgotten": (
        {"Rex": "kept"}, None, "forget sending --users",
        4, f"{LEFT_ALONE}sent, and not answered yet", {"sending": 1},
    ),
    "what is given up is unknown": (
        {"Rex": "kept", "Max": "waiting"}, None, "give-up sending --users",
        0, "notice: 1 animal given up: unknown, and not sent again", {"unknown": 1, "waiting": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("left", "set_up", "line", "code", "said", "counts"), DONE.values(), ids=DONE
)
def test_what_a_command_does_with_an_outbox(  # noqa: PLR0917 - what was left, and what becomes of it
    on_profile: Run, leave: Leave, shop: Shop, left: dict[str, str],
    set_up: Callable[[Shop], object] | None, line: str, code: int, said: str, counts: Any,
) -> None:  # fmt: skip
    directory = leave(*(ANNA if "--users" in line else ()), **left)
    if set_up is not None:
        set_up(shop)
    finished = on_profile("outbox", *line.split())
    assert (finished.returncode, entry_counts(directory)) == (code, counts)
    assert said in finished.stderr


def test_what_was_sent_is_printed_with_what_became_of_it(
    on_profile: Run, leave: Leave, shop: Shop
) -> None:
    shop.instead["Max"] = REFUSE
    leave(Rex="waiting", Max="waiting")
    sending = on_profile("outbox", "send", "--json")
    rows = [(row["name"], row["state"], row["id"]) for row in json_lines(sending.stdout)]
    assert rows == [("Rex", "added", 1), ("Max", "refused", None)]
    assert "400 invalid_value: No such category." in sending.stdout
    assert sending.returncode == 4


def test_a_key_that_is_refused_leaves_all_waiting(
    on_profile: Run, leave: Leave, shop: Shop
) -> None:
    error = '{"code": "unauthorized", "message": "No.", "status": 401}'
    shop.server.steps = [http(401, error)]
    directory = leave(Rex="waiting", Max="waiting")
    sending = on_profile("outbox", "send")
    assert sending.stderr == "error: 401 unauthorized: No.\n"
    assert (sending.returncode, entry_counts(directory)) == (1, {"waiting": 2})
    assert len(shop.server.seen) == 1


@pytest.mark.parametrize("words", [("send",), ("forget", "waiting")])
def test_what_a_running_window_has_open_is_left_alone(
    on_profile: Run, leave: Leave, words: tuple[str, ...]
) -> None:
    directory = leave()
    window = DirectoryEntryStore(directory)
    window.load()
    window.add(an_entry())
    (listed,) = json_lines(on_profile("outbox", "list", "--json").stdout)
    finished = on_profile("outbox", *words)
    window.close()
    assert listed["open"] is True
    assert "warning: 1 animal left alone: a running pettui has them open" in finished.stderr
    assert (finished.returncode, entry_counts(directory)) == (4, {"waiting": 1})


def test_an_operator_sends_what_one_user_left_who_is_told_at_the_next_login(
    on_profile: Run, leave: Leave
) -> None:
    anna = leave("ssh SHA256:anna", "anna@till", "SHA256:anna", Rex="waiting")
    ben = leave("ssh SHA256:ben", "ben@till", "SHA256:ben", Max="waiting")
    assert on_profile("outbox", "send", "--user", "anna@till").returncode == 0
    assert (entry_counts(anna), entry_counts(ben)) == ({"added": 1}, {"waiting": 1})
    assert json.loads((anna / "sent.json").read_text()) == {"sent": 1}
    assert on_profile("outbox", "forget", "waiting", "--user", "SHA256:ben").returncode == 0
    assert entry_counts(ben) == {}


def test_two_users_of_one_name_are_told_apart_by_their_fingerprints(
    on_profile: Run, leave: Leave
) -> None:
    for fingerprint in ("SHA256:one", "SHA256:two"):
        leave(f"ssh {fingerprint}", "anna", fingerprint, Rex="waiting")
    finished = on_profile("outbox", "send", "--user", "anna")
    assert (finished.returncode, "give the fingerprint" in finished.stderr) == (2, True)


def test_whoever_is_called_by_the_fingerprint_of_another_one_is_not_taken_for_them(
    on_profile: Run, leave: Leave
) -> None:
    leave("ssh SHA256:anna", "anna", "SHA256:anna", Rex="waiting")
    leave("ssh SHA256:mallory", "SHA256:anna", "SHA256:mallory", Max="waiting")
    listed = json_lines(on_profile("outbox", "list", "--user", "SHA256:anna", "--json").stdout)
    assert [pet["name"] for pet in listed] == ["Rex"]
    listed = json_lines(on_profile("outbox", "list", "--user", "SHA256:mallory", "--json").stdout)
    assert [pet["name"] for pet in listed] == ["Max"]


def test_a_user_without_a_name_is_a_mistake_and_nobody(on_profile: Run, leave: Leave) -> None:
    leave("ssh anybody", Rex="waiting")
    finished = on_profile("outbox", "list", "--user", "")
    assert (finished.returncode, "--user: is empty" in finished.stderr) == (2, True)
    assert "Rex" in on_profile("outbox", "list", "--user", "anybody").stdout


def test_without_an_outbox_a_list_is_empty(on_profile: Run) -> None:
    assert (
        on_profile("outbox", "list", "--json").stdout,
        on_profile("outbox", "send").returncode,
    ) == ("", 0)


def test_what_is_left_for_a_store_that_cannot_be_used_is_listed_and_forgotten(
    run_here: Run, home: Path
) -> None:
    data = home / ".local/share/pettui"
    data.parent.mkdir(parents=True)
    data.write_text("no directory")
    address = str(data / "store.sqlite3")
    left_behind(outbox_directory(home / ".local/state/pettui", "local", "embedded", address), GOOD)
    (listed,) = json_lines(run_here("outbox", "list", "--json").stdout)
    assert (listed["state"], run_here("outbox", "send").returncode) == ("waiting", 2)
    assert run_here("outbox", "forget", "waiting").returncode == 0
    assert run_here("outbox", "list", "--json").stdout == ""


# Drafts


@pytest.fixture
def drafts(outbox_of: Callable[..., Path]) -> Path:
    """What Anna had half typed when her session ended."""
    directory = outbox_of("ssh account anna")
    store = DirectoryEntryStore(directory)
    store.keep_draft(0, Draft("", "9", is_kept=True))  # what an add left
    store.keep_draft(1, Draft("Half", "3x", typed_at=1e9))
    store.keep_draft(2, Draft("Other", "", "sold", typed_at=2e9))
    store.close()
    return directory


@pytest.mark.usefixtures("drafts")
def test_what_is_half_typed_is_listed_and_forgotten_by_its_key(on_profile: Run) -> None:
    words = ("--drafts", "--user", "anna")
    half, other = json_lines(on_profile("outbox", "list", *words, "--json").stdout)
    assert (half["name"], half["category"], half["status"]) == ("Half", "3x", None)
    assert (other["name"], other["user"]) == ("Other", "anna")
    assert half["typed"].startswith("2001-09-0")
    finished = on_profile("outbox", "forget", half["key"], *words)
    assert (finished.returncode, finished.stderr) == (0, "notice: 1 draft forgotten\n")
    listed = json_lines(on_profile("outbox", "list", "--drafts", "--users", "--json").stdout)
    assert listed == [other]
    assert on_profile("outbox", "forget", "all", *words).stderr == "notice: 1 draft forgotten\n"
    assert on_profile("outbox", "list", *words, "--json").stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [(("list", "waiting"), "WHICH 'waiting': of drafts is a key, or all"), (("forget",), "WHICH")],
)
def test_a_draft_has_no_state(on_profile: Run, words: tuple[str, ...], said: str) -> None:
    finished = on_profile("outbox", *words, "--drafts")
    assert (finished.returncode, said in finished.stderr) == (2, True)


def test_the_draft_in_the_form_of_a_running_session_is_left_alone(
    on_profile: Run, drafts: Path
) -> None:
    session = DirectoryEntryStore(drafts)
    session.take_over_drafts()
    finished = on_profile("outbox", "forget", "all", "--drafts", "--users")
    session.close()
    assert "2 drafts left alone: a running pettui has them open" in finished.stderr
    assert "0 drafts forgotten" in finished.stderr


# What was left in other places

OLD = "http://old.example/v1"
MOVE = "pettui outbox move --profile shop"


@pytest.fixture
def leave_elsewhere(outbox_of: Callable[..., Path]) -> Callable[..., Path]:
    """Leaves an animal for a former address of the shop."""

    def leave(owner: str, name: str, service: str = OLD, number: int = 1) -> Path:
        directory = outbox_of(owner, service)
        store = DirectoryEntryStore(directory)
        store.add(an_entry(name, number=number, service=service))
        store.close()
        return directory

    return leave


def test_what_was_left_for_another_address_is_shown_with_both_and_moved(
    on_profile: Run, leave_elsewhere: LeaveElsewhere, shop: Shop
) -> None:
    for number, owner in enumerate(("ssh SHA256:anna", "ssh account ben"), 1):
        leave_elsewhere(owner, f"Rex {number}", number=number)
    finished = on_profile("outbox", "move", "--users", "--yes")
    assert finished.returncode == 0
    assert [line.split("\t")[3] for line in finished.stdout.splitlines()[1:]] == ["Rex 1", "Rex 2"]
    origin, target, said = finished.stderr.splitlines()
    assert origin.startswith("from: ")
    assert origin.endswith(f"/outbox, for {OLD}")
    assert target.startswith("to: ")
    assert target.endswith(f"/outbox, for {shop.base_url}")
    assert said == "notice: 2 animals and 0 drafts moved"
    listed = json_lines(on_profile("outbox", "list", "--users", "--json").stdout)
    assert [(pet["name"], pet["state"]) for pet in listed] == [
        ("Rex 1", "waiting"), ("Rex 2", "waiting"),
    ]  # fmt: skip
    assert on_profile("outbox", "send", "--users").returncode == 0
    again = on_profile("outbox", "move", "--users", "--yes")
    assert (again.returncode, again.stderr) == (0, "notice: nothing was left in another place\n")


def test_a_list_and_doctor_say_what_is_in_another_place(
    on_profile: Run, leave_elsewhere: LeaveElsewhere
) -> None:
    leave_elsewhere("local", "Own")
    leave_elsewhere("ssh SHA256:anna", "Hers")
    own = f"1 animal waits for another address of this profile, {OLD}; to move: {MOVE}"
    of_users = on_profile("outbox", "list", "--users").stderr
    assert on_profile("outbox", "list").stderr == f"notice: {own}\n"
    assert of_users.startswith("notice: 1 animal of 1 user waits in ")
    assert OLD in of_users
    assert on_profile("outbox", "list", "--users", "--quiet").stderr == ""
    problems = json.loads(on_profile("doctor", "--json").stdout)["problems"]
    assert {own, of_users.removeprefix("notice: ").strip()} <= {*problems}


@pytest.mark.parametrize(
    ("words", "moved"),
    [((), ["Own"]), (("--user", "anna"), ["Hers"]), (("--users",), ["Hers", "His"])],
    ids=["own", "one user's", "all users'"],
)
def test_what_is_named_is_moved_and_nothing_else(
    on_profile: Run, leave_elsewhere: LeaveElsewhere, words: tuple[str, ...], moved: list[str]
) -> None:
    for owner, name in (("local", "Own"), ("ssh account anna", "Hers"), ("ssh account ben", "His")):
        leave_elsewhere(owner, name)
    assert on_profile("outbox", "move", "--yes", *words).returncode == 0
    listed = [
        pet["name"]
        for whose in ((), ("--users",))
        for pet in json_lines(on_profile("outbox", "list", "--json", *whose).stdout)
    ]
    assert listed == moved


def test_nothing_is_moved_unless_somebody_says_that_it_is_one_service(
    on_profile: Run, leave_elsewhere: LeaveElsewhere
) -> None:
    directory = leave_elsewhere("local", "Rex")
    finished = on_profile("outbox", "move")
    assert (finished.returncode, "--yes: is missing" in finished.stderr) == (2, True)
    assert OLD in finished.stderr
    assert entry_counts(directory) == {"waiting": 1}


def test_of_several_places_nobody_can_say_all_at_once_that_they_are_one_service(
    on_profile: Run, leave_elsewhere: LeaveElsewhere
) -> None:
    first = leave_elsewhere("local", "Rex")
    leave_elsewhere("local", "Max", "http://older.example/v1", 2)
    finished = on_profile("outbox", "move", "--yes")
    assert (finished.returncode, "several places" in finished.stderr) == (2, True)
    assert "older.example" in finished.stderr
    assert entry_counts(first) == {"waiting": 1}


def test_what_a_window_has_open_elsewhere_stays_there(
    on_profile: Run, leave_elsewhere: LeaveElsewhere
) -> None:
    directory = leave_elsewhere("local", "Rex")
    window = DirectoryEntryStore(directory)
    window.load()
    finished = on_profile("outbox", "move", "--yes")
    window.close()
    assert (finished.returncode, entry_counts(directory)) == (4, {"waiting": 1})
    assert "1 animal left alone" in finished.stderr


def test_what_is_on_its_way_is_said_and_neither_forgotten_nor_given_up(
    on_profile: Run, leave: Leave
) -> None:
    directory = leave()
    store = DirectoryEntryStore(directory)
    store.add(an_entry("Rex", moving_to="elsewhere"))
    store.close()
    (listed,) = json_lines(on_profile("outbox", "list", "--json").stdout)
    assert listed["error"].startswith("on its way to another place")
    finished = on_profile("outbox", "forget", "waiting")
    assert (finished.returncode, entry_counts(directory)) == (4, {"waiting": 1})


def test_a_user_is_found_by_the_account_and_by_a_key_that_joined_it(
    on_profile: Run, leave: Leave
) -> None:
    leave("ssh account anna", "anna", "SHA256:anna", Rex="waiting")
    leave("ssh SHA256:anna", "anna@till", "SHA256:anna", Gone="waiting")
    assert on_profile("outbox", "forget", "waiting", "--user", "anna@till").returncode == 0
    leave("ssh SHA256:other", "anna", "SHA256:other", Max="waiting")
    for who in ("anna", "SHA256:anna"):
        listed = json_lines(on_profile("outbox", "list", "--user", who, "--json").stdout)
        assert [pet["name"] for pet in listed] == ["Rex"]
