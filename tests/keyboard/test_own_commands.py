"""The words of a command of one's own: which are refused, and what an animal makes of them."""

from __future__ import annotations

import json

import pytest

from pettui.keyboard.own_commands import (
    ARGUMENT_MAXIMUM,
    RefusedAnimalError,
    arguments_of,
    lines_of,
    why_not,
)
from pettui.models.pets import Pet
from pettui.settings.settings import OwnCommand

GOOD = [
    ["label-printer", "--", "{id}", "{name}", "{categoryId}", "{category}", "{status}"],
    ["sh", "-c", 'lpr -P "$1"', "--", "{name}"],
    ["python3", "print_label.py", "{name}"],
    ["awk", "{print $1}", "--", "{name}"],
    ["echo", "${HOME}"],
    ["ssh", "shop", "print-last"],
    ["label-printer", "--kind", "node", "{name}"],
]
BAD = {
    "a part of an argument": (["lpr", "-T{name}"], "{name} is a part of an argument"),
    "a part of a script": (["sh", "-c", "lpr {name}"], "{name} is a part of an argument"),
    "an unknown field": (["lpr", "{nmae}"], "{nmae} is no field; there are {id}, {name}"),
    "no field": (["lpr", "{}"], "{} is no field"),
    "the program": (["{name}"], "cannot be the program"),
    "ssh": (["ssh", "shop", "lpr", "{name}"], "cannot be an argument of ssh"),
    "env": (["/usr/bin/env", "{name}"], "cannot be an argument of env"),
    "xargs": (["xargs", "{name}"], "cannot be an argument of xargs"),
    "sudo": (["sudo", "--", "lpr", "{name}"], "cannot be an argument of sudo"),
    "sudo behind another": (["timeout", "5", "sudo", "{name}"], "cannot be an argument of sudo"),
    "a script of the shell": (["sh", "-c", "{name}"], "would be the script of sh"),
    "a script behind --": (["bash", "-c", "--", "{name}"], "would be the script of bash"),
    "a file that is run": (["/bin/dash", "{name}"], "would be the script of dash"),
    "nohup": (["nohup", "{name}"], "cannot be an argument of nohup"),
    "a script behind others": (["docker", "run", "x", "sh", "-c", "{name}"], "the script of sh"),
    "a field with blanks": (["lpr", "{ nmae }"], "{ nmae } is no field"),
    "a script of node": (["nodejs", "-e", "{name}"], "would be the script of nodejs"),
    "a script of python": (["python3.11", "-I", "-c", "{name}"], "would be the script of python3"),
}  # fmt: skip


@pytest.mark.parametrize("run", GOOD)
def test_a_field_that_is_a_whole_argument_is_taken(run: list[str]) -> None:
    assert why_not(run, takes_lines=False) == ""


@pytest.mark.parametrize(("run", "reason"), BAD.values(), ids=BAD)
def test_a_field_that_may_be_run_or_joined_is_refused(run: list[str], reason: str) -> None:
    assert reason in why_not(run, takes_lines=False)


def label(*run: str, has_terminal: bool = False) -> OwnCommand:
    return OwnCommand("b", "Label", run, has_terminal=has_terminal)


def named(name: str, status: str | None = None) -> Pet:
    return Pet(id=-7, name=name, category_id=3, status=status)


def arguments(command: OwnCommand, pet: Pet) -> list[str]:
    return [*arguments_of(command, pet, {3: "Dogs"}.__getitem__)]


def test_each_field_stands_whole_and_an_absent_one_is_empty() -> None:
    command = label("p", "--", "{id}", "{name}", "{categoryId}", "{category}", "{status}")
    name = "$(x) `y` ; \"z\" 'w'\n-rf"
    assert arguments(command, named(name)) == ["p", "--", "-7", name, "3", "Dogs", ""]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("-rf", 'begins with a hyphen, and no "--" stands before it'),
        ("a\0b", "has a NUL"),
        ("\ud800", "is not UTF-8"),
        ("ä" * (ARGUMENT_MAXIMUM // 2 + 1), "is too long, with 131,072 bytes"),
    ],
    ids=["a hyphen", "NUL", "half a character", "too long"],
)
def test_a_name_that_can_be_no_argument_is_refused(name: str, reason: str) -> None:
    with pytest.raises(RefusedAnimalError, match=f"its name {reason}"):
        arguments(label("p", "{name}"), named(name))


@pytest.mark.parametrize("character", ["\n", "\x1b", "\x7f", "\x9b"])
def test_control_characters_reach_no_terminal(character: str) -> None:
    name = f"a{character}b"
    assert arguments(label("p", "{name}"), named(name)) == ["p", name]
    with pytest.raises(RefusedAnimalError, match="its name has control characters"):
        arguments(label("less", "{name}", has_terminal=True), named(name))


def test_all_animals_are_lines_of_json() -> None:
    command = OwnCommand("b", "Label", ("jq",), takes_lines=True)
    lines = lines_of(command, [named("Rex\n"), named("Luna")]).splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["Rex\n", "Luna"]
    with pytest.raises(RefusedAnimalError, match="an animal has control characters"):
        lines_of(label("less", has_terminal=True), [named("\x7f")])
