"""``pettui profile``: the configuration file keeps its comments, and keys are never shown."""

from __future__ import annotations

import io
import stat
import sys
import tomllib
from contextlib import closing
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from keyring.errors import KeyringError

from pettui.configuration import api_keys
from tests.cli.commands.conftest import json_lines
from tests.client.hostile.server import http
from tests.outbox.on_disk import outbox_directory
from tests.outbox.scripted import left_behind
from tests.peers.terminal import ENTER, PROGRAM, Terminal
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.cli.commands.shop_service import Shop
    from tests.cli.conftest import Run
    from tests.client.hostile.server import Step
    from tests.peers.hostile_services import Services

    Calls = Callable[..., Any]

ADDRESS = "http://127.0.0.1:9/v1"  # where nobody listens
UNREACHED = (
    "warning: shop is added; its service was not found, and the key not sent: "
    "cannot connect to 127.0.0.1:9: connection refused\n"
)
COMMENTED = """\
# my settings
theme = "light"  # easier to read

[profiles.other]  # the other one
base_url = "https://other.example/v1"
api_key_env = "OTHER"
"""


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The keys in the system's keyring, by the names of profiles."""
    kept: dict[str, str] = {}
    monkeypatch.setattr("keyring.get_password", lambda _, name: kept.get(name))
    monkeypatch.setattr("keyring.set_password", lambda _, name, key: kept.update({name: key}))
    monkeypatch.setattr("keyring.delete_password", lambda _, name: kept.pop(name))
    return kept


def locked(*words: str) -> None:
    """Refuse, and quote what was given, as some keyrings do."""
    raise KeyringError(f"locked: {words}")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Where the configuration file will be."""
    return tmp_path / "configuration" / "config.toml"


@pytest.fixture
def commented(config: Path) -> Path:
    """A configuration file with a profile and comments."""
    config.parent.mkdir()
    config.write_text(COMMENTED)
    return config


def leave(home: Path, profile: str, address: str) -> None:
    """Leave an animal in the outbox of a profile, as a window does that has ended."""
    left_behind(outbox_directory(home / ".local/state/pettui", "local", profile, address))


@pytest.fixture
def call(run_here: Run, config: Path, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Run ``pettui profile`` with a key on its standard input; it ends with this code."""

    def call(*words: str, typed: str = f"{KEY}\n", code: int = 0) -> Any:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        done = run_here("profile", *words, PETTUI_CONFIG=str(config))
        assert done.returncode == code, done.stderr
        assert KEY not in done.stdout + done.stderr
        return done

    return call


def test_a_profile_is_added_with_its_key_in_a_file_of_its_own(call: Calls, config: Path) -> None:
    added = call("add", "shop", ADDRESS, "--label", "SHOP", "--colour", "green")
    assert (added.stdout, added.stderr) == ("", UNREACHED)
    key = config.parent / "keys" / "shop"
    assert key.read_text() == f"{KEY}\n"
    for path in (config, key):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY not in config.read_text()
    (shop,) = [row for row in json_lines(call("list", "--json").stdout) if row["name"] == "shop"]
    assert shop == {
        "name": "shop", "label": "SHOP", "colour": "green", "address": ADDRESS,
        "key": "api_key_file keys/shop", "unsent": 0, "default": False,
    }  # fmt: skip


def test_comments_and_order_of_the_file_stay(call: Calls, commented: Path) -> None:
    call("add", "shop", ADDRESS)
    assert commented.read_text().startswith(COMMENTED)
    call("remove", "shop")
    assert commented.read_text().strip() == COMMENTED.strip()
    assert not (commented.parent / "keys" / "shop").exists()


REMOVED = """\
[profiles.shop]  # the shop
base_url = "https://shop.example/v1"
api_key_env = "SHOP"
# of the shop
"""
OF_ITS_CATEGORIES = """\
[profiles.shop.categories]
1 = "Cats"
"""
AFTER = {
    "a profile": '\n# of the other one\n# two lines\n[profiles.b]\nbase_url = "https://b.example/v1"\n'
    'api_key_env = "B"\n',
    "another table": "\n# of the limits\n\n# more of them\n[limits]\ndeadline = 3  # seconds\n",
    "the end": "\n# the end\n",
}


@pytest.mark.parametrize("after", AFTER.values(), ids=AFTER)
@pytest.mark.parametrize(
    ("end", "removed"), [("\n", REMOVED), ("\r\n", REMOVED + OF_ITS_CATEGORIES)]
)
def test_the_comments_of_what_comes_next_stay_where_a_profile_is_removed(
    removed: str, end: str, after: str, call: Calls, config: Path
) -> None:
    config.parent.mkdir()
    before = f"{COMMENTED}\n"
    config.write_text(before + removed + after, newline=end)
    call("remove", "shop")
    assert config.read_bytes().decode() == (before + after.removeprefix("\n")).replace("\n", end)


@pytest.mark.parametrize("given", ["", "\n"])
def test_without_a_terminal_and_a_key_it_is_said_what_is_needed(
    given: str, call: Calls, config: Path
) -> None:
    said = call("add", "shop", ADDRESS, typed=given, code=2).stderr
    assert said.startswith("pettui: API key: is needed, and standard input is no terminal")
    assert said.endswith("variable that has it: --key-env\n")
    assert not config.exists()


def test_a_profile_is_added_to_dotted_names(call: Calls, config: Path) -> None:
    before = (
        'profiles.a.base_url = "https://a.example/v1"\nprofiles.a.api_key_env = "A"\nlimit = 7\n'
    )
    config.parent.mkdir()
    config.write_text(before)
    call("add", "shop", ADDRESS)
    names = [row["name"] for row in json_lines(call("list", "--json").stdout)]
    assert names == ["embedded", "demo", "a", "shop"]
    call("remove", "shop")
    assert tomllib.loads(config.read_text()) == tomllib.loads(before)


WANTED = '{"code": "unauthorized", "message": "No key.", "status": 401}'
ASKED = {
    "takes the key": (
        [http(401, WANTED), http(200, "[]")], "notice: shop is added; the service answers, in ",
    ),
    "refuses the key": (
        [http(401, WANTED)],
        "warning: shop is added; its service does not take the key: 401 unauthorized: No key.",
    ),
    "needs none": (
        [http(200, "[]")], "warning: shop is added; its address answers without a key",
    ),
    "is no service": (
        [http(401, "<html>Log in</html>")],
        "warning: shop is added; its service was not found, and the key not sent: ",
    ),
    "has no such address": (
        [http(404, '{"code": "not_found", "message": "No.", "status": 404}')],
        "warning: shop is added; its service was not found, and the key not sent: 404 ",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "said"), ASKED.values(), ids=ASKED)
def test_an_added_profile_is_asked_once_and_gets_the_key_only_if_it_wants_one_as_the_service_does(
    call: Calls, services: Services, steps: list[Step], said: str
) -> None:
    server = services.open(*steps)
    added = call("add", "shop", server.base_url)
    assert added.stderr.startswith(said)
    first, *others = server.seen
    assert first.header("authorization") == []
    wants = said.startswith(("notice", "warning: shop is added; its service does not"))
    assert [each.header("authorization") for each in others] == [[f"Bearer {KEY}"]] * wants
    assert "shop" in call("list").stdout


def test_the_service_of_a_profile_is_tested_with_its_key(call: Calls, shop: Shop) -> None:
    call("add", "shop", shop.base_url)
    tested = call("test", "shop")
    assert tested.stdout.startswith("shop: the service answers, in ")
    assert shop.server.seen[-1].header("authorization") == [f"Bearer {KEY}"]


def test_what_is_default_and_what_waits_is_listed(call: Calls, commented: Path, home: Path) -> None:
    commented.write_text(f'profile = "other"\n{COMMENTED}')
    leave(home, "other", "https://other.example/v1")
    (other,) = [row for row in json_lines(call("list", "--json").stdout) if row["default"]]
    assert (other["name"], other["unsent"]) == ("other", 1)


def test_a_profile_whose_outbox_is_not_empty_is_only_removed_by_force(
    call: Calls, home: Path
) -> None:
    call("add", "shop", ADDRESS)
    leave(home, "shop", ADDRESS)
    refused = call("remove", "shop", code=2)
    assert "1 animal is in its outbox" in refused.stderr
    call("remove", "shop", "--force")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("add", "demo", ADDRESS), "is built in"),
        (("add", "a/b", ADDRESS), "must be at most 40 letters"),
        (("add", "shop", "shop.example"), "base_url"),
        (("add", "shop", ADDRESS, "--label", "x" * 25), "label"),
        (("add", "shop", ADDRESS, "--label", "\udcff"), "--label: is not UTF-8"),
        (("add", "shop", ADDRESS, "--key-env", "A B"), "--key-env"),
        (("remove", "nobody"), "is no profile"),
        (("test", "nobody"), "unknown profile"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    words: tuple[str, ...], why: str, call: Calls, commented: Path
) -> None:
    refused = call(*words, code=2)
    assert why in refused.stderr
    assert commented.read_text() == COMMENTED
    assert not (commented.parent / "keys" / "shop").exists()


def test_at_a_terminal_the_key_is_asked_for_and_not_shown(
    environment: Mapping[str, str], config: Path
) -> None:
    words = [PROGRAM, "profile", "add", "shop", ADDRESS, "--config", str(config)]
    with closing(Terminal(words, environment)) as terminal:
        terminal.wait_for("API key (it is not shown):")
        terminal.press(KEY, ENTER)
        assert terminal.wait_for_end() == 0
        assert KEY.encode() not in terminal.written
    listing = [PROGRAM, "profile", "list", "--config", str(config)]
    with closing(Terminal(listing, environment, (24, 70))) as terminal:
        assert terminal.wait_for_end() == 0
        assert "https" not in terminal.text.splitlines()[0]
        assert [line.split()[-1] for line in terminal.text.split("\n")[:2]] == ["unsent", "0"]
    assert (config.parent / "keys" / "shop").read_text() == f"{KEY}\n"


def test_a_key_file_that_is_there_already_is_not_overwritten(call: Calls, config: Path) -> None:
    (config.parent / "keys").mkdir(parents=True)
    (config.parent / "keys" / "shop").write_text("of another profile")
    refused = call("add", "shop", ADDRESS, code=2)
    assert "is there already" in refused.stderr
    assert (config.parent / "keys" / "shop").read_text() == "of another profile"


@pytest.mark.parametrize("typed", ["two words\n", "short\n", "kéy-of-the-shop\n", "k" * 20_000])
def test_what_is_no_key_is_not_kept(typed: str, call: Calls, config: Path) -> None:
    refused = call("add", "shop", ADDRESS, typed=typed, code=2)
    assert "API key" in refused.stderr
    assert not config.exists()


def test_a_key_in_the_keyring_is_used_and_removed_with_its_profile(
    call: Calls, config: Path, shop: Shop, keyring: dict[str, str]
) -> None:
    call("add", "shop", shop.base_url, "--keyring")
    assert "api_key_keyring = true" in config.read_text()
    assert keyring == {"shop": KEY}
    assert not (config.parent / "keys").exists()
    call("test", "shop")
    call("remove", "shop")
    assert keyring == {}


def test_a_key_that_the_keyring_has_already_is_not_replaced(
    call: Calls, config: Path, keyring: dict[str, str]
) -> None:
    """It is that of a profile in another configuration file, whose service must not get this one."""
    keyring["shop"] = "of-another-file"
    refused = call("add", "shop", ADDRESS, "--keyring", code=2)
    assert "keyring 'shop': has a key of this name already" in refused.stderr
    assert keyring == {"shop": "of-another-file"}
    assert not config.exists()


@pytest.mark.usefixtures("keyring")
def test_what_a_keyring_says_is_not_shown_and_nothing_is_changed(
    call: Calls, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("keyring.set_password", locked)
        refused = call("add", "shop", ADDRESS, "--keyring", code=2)
    assert "cannot be used (KeyringError)" in refused.stderr
    assert not config.exists()
    call("add", "shop", ADDRESS, "--keyring")
    before = config.read_text()
    monkeypatch.setattr("keyring.delete_password", locked)
    assert "cannot be used (KeyringError)" in call("remove", "shop", code=2).stderr
    assert config.read_text() == before


def test_a_keyring_that_does_not_answer_is_given_up(
    call: Calls, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_keys, "KEYRING_SECONDS", 0.05)
    monkeypatch.setattr("keyring.get_password", lambda *_: Event().wait())
    config.parent.mkdir()
    config.write_text(f'[profiles.shop]\nbase_url = "{ADDRESS}"\napi_key_keyring = true\n')
    refused = call("test", "shop", code=2)
    assert "no answer within" in refused.stderr


def test_a_link_to_the_file_stays_one(call: Calls, commented: Path, tmp_path: Path) -> None:
    file = commented.rename(tmp_path / "dotfiles.toml")
    commented.symlink_to(file)
    call("add", "shop", ADDRESS, "--key-env", "SHOP")
    assert commented.is_symlink()
    assert 'api_key_env = "SHOP"' in file.read_text()
