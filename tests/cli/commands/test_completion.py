"""The completion scripts, run by the shells themselves."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pexpect
import pytest

from tests.cli.conftest import PROGRAM, finished, needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.cli.conftest import Run

    Complete = Callable[[str], str]

CONFIG = """
[profiles.shop]
base_url = "http://127.0.0.1:9/v1"
api_key_env = "SHOP_KEY"
categories.3 = "Large dogs"
[profiles."corner shop $(touch evil)"]
base_url = "http://127.0.0.1:9/v1"
api_key_env = "SHOP_KEY"
"""
TYPED = {  # what was typed → what stands there after Tab
    "pettui lis": "pettui list ",
    "pettui list --profile sho": "pettui list --profile shop ",
    "pettui list --status av": "pettui list --status available ",
    "pettui export an-odd": r"pettui export an-odd\ name.csv ",
    "pettui import --result an-odd": r"pettui import --result an-odd\ name.csv ",
    "pettui serve --insec": "pettui serve --insecure ",
    "pettui outbox list ref": "pettui outbox list refused ",
    "pettui key remove til": "pettui key remove till-1 ",
    "pettui profile test sho": "pettui profile test shop ",
    "pettui profile remove sho": "pettui profile remove shop ",
    "pettui add Rex Do": "pettui add Rex Dogs ",
    "pettui add Rex Larg": r"pettui add Rex Large\ dogs ",
}
WITH_VALUES = {  # of fish the word with the option stands there
    "pettui list --status=av": "pettui list --status=available ",
    "pettui list --profile=sho": "pettui list --profile=shop ",
    "pettui list -s av": "pettui list -s available ",
}
NOT_COMPLETED = {  # what is new has a new name
    "pettui key add til": "pettui key add til",
    "pettui profile add sho": "pettui profile add sho",
}
START = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}
SET_UP = {
    "bash": "bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; "
    "source <(pettui completion bash)",
    "zsh": "bindkey -e; unsetopt zle_bracketed_paste beep; autoload -Uz compinit; compinit -u -d dump; "
    'eval "$(pettui completion zsh)"',
    "fish": "pettui completion fish | source",
}


@pytest.fixture
def shops(environment: Mapping[str, str], home: Path, run_here: Run) -> dict[str, str]:
    """A directory with a configuration file and another file, and the program on the path."""
    (home / "config.toml").write_text(CONFIG)
    (home / "an-odd name.csv").touch()
    run_here("key", "add", "till-1")
    return {
        **environment,
        "PATH": f"{PROGRAM.parent}:{environment['PATH']}",
        "PETTUI_CONFIG": str(home / "config.toml"),
        "SHOP_KEY": "key-of-the-shop",
    }


@pytest.fixture(params=["bash", "zsh"])
def complete(
    request: pytest.FixtureRequest, shops: dict[str, str], home: Path
) -> Iterator[Complete]:
    """A shell at its prompt: what was typed → what stands on the line after Tab."""
    shell = request.param
    child = pexpect.spawn(
        needs(shell),
        START[shell],
        env={**shops, "PS1": "READY>", "TERM": "dumb"},
        cwd=str(home),
        encoding="utf-8",
        dimensions=(24, 200),
        timeout=60,
    )
    child.delaybeforesend = None
    child.sendline(f"PS1='<''prompt>'; {SET_UP[shell]}")
    child.expect_exact("<prompt>")

    def press(typed: str) -> str:
        """Type, press Tab, and let the shell itself print what its line has become."""
        child.send(f"{typed}\t\x01printf '[%s]\\n' '\x05'\r")
        child.expect(r"\n\[(.*)\]\r\n")
        assert child.match is not None
        line = str(child.match[1])
        child.expect_exact("<prompt>")
        return line

    yield press
    child.close(force=True)


def test_a_shell_completes_what_was_typed(complete: Complete) -> None:
    for typed, completed in (TYPED | WITH_VALUES | NOT_COMPLETED).items():
        assert complete(typed).rstrip() == completed.rstrip()  # zsh takes its blank back


def test_a_name_is_never_run_as_a_command(complete: Complete, home: Path) -> None:
    line = complete("pettui list --profile corn").rstrip()
    assert line == r"pettui list --profile corner\ shop\ \$\(touch\ evil\)"
    assert not (home / "evil").exists()


def test_fish_offers_what_it_completes(shops: dict[str, str], home: Path) -> None:
    asked = "; echo; ".join(f"complete -C '{typed}'" for typed in TYPED)
    words = [needs("fish"), "--no-config", "-c", f"{SET_UP['fish']}; {asked}"]
    ended = finished(words, shops, cwd=home)
    offered = [line.partition("\t")[0] for line in ended.stdout.split("\n\n")]
    assert [each.rstrip() for each in offered] == [shlex.split(line)[-1] for line in TYPED.values()]
