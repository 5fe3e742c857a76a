"""Bad input, run through the real program: one clear line, exit 2, nothing changed on disk."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pexpect
import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_opening import open_database
from tests.cli.conftest import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from tests.cli.conftest import Run

    Finished: TypeAlias = subprocess.CompletedProcess[str]

pytestmark = pytest.mark.exhaustive

KEY = "sekrit-0123456789"
SHOP = """
[profiles.shop]
base_url = "https://store.example/v1"
api_key_env = "SHOP_KEY"
"""

ADDRESSES = {
    "no scheme": "store.example/v1",
    "another scheme": "ftp://store.example/v1",
    "no host": "http:///v1",
    "another path": "https://store.example/v2",
    "a path behind v1": "https://store.example/v1/pets",
    "no path": "https://store.example",
    "a user name": f"https://clerk:{KEY}@store.example/v1",
    "a query": f"https://store.example/v1?key={KEY}",
    "a fragment": f"https://store.example/v1#{KEY}",
    "a port beyond the last": "https://store.example:65536/v1",
    "port 0": "https://store.example:0/v1",
    "a blank": "https://store.example /v1",
    "half an IPv6 address": "http://[::1/v1",
    "an address of IPv4 that is none": "http://999.1.1.1/v1",
    "an address of IPv4 with a zero before": "http://01.2.3.4/v1",
    "a name that stands for nothing": "http://xn--a/v1",
    "a label of 64": f"http://{'a' * 64}.example/v1",
    "nothing": "",
}

COMMAND_LINES = {
    "a limit of 0": (["--limit", "0"], "--limit"),
    "a limit above 100": (["--limit", "101"], "--limit"),
    "a limit that is no number": (["--limit", "many"], "--limit"),
    "an unknown theme": (["--theme", "pink"], "--theme"),
    "unknown glyphs": (["--glyphs", "runes"], "--glyphs"),
    "an unknown profile": (["--profile", "nowhere"], "--profile"),
    "an unknown option": (["--profle", "shop"], "--profile"),
    "an option without its value": (["--limit"], "--limit"),
    "two stores at once": (["--demo", "--profile", "shop"], "--profile"),
    "a word too many": (["serv"], "serve"),
    "a key as an option": (["--api-key", KEY], "PETTUI_API_KEY"),
    "a key as an option's value": ([f"--api-key={KEY}"], "PETTUI_API_KEY"),
    "a key behind a short option": ([f"-k{KEY}"], "-k"),
    "a key as a word": ([KEY], "command line"),
    "a configuration file that is not there": (["--config", "nowhere.toml"], "--config"),
    "a configuration file that is a directory": (["--config", "."], "--config"),
    "a port that is none": (["serve", "--port", "http"], "--port"),
    "a port beyond the last": (["serve", "--port", "65536"], "--port"),
    "samples that are no number": (["serve", "--samples", "-1"], "--samples"),
    "http beyond this machine": (["serve", "--host", "192.0.2.1"], "--insecure"),
    "a key without a name": (["key", "add"], "name"),
}

FILES = {
    "an unknown setting": ('them = "dark"', "did you mean theme?"),
    "an unknown table": ("[profile_s.shop]", "profile_s"),
    "an unknown setting of a profile": (f'{SHOP}colur = "red"', "did you mean colour?"),
    "a key in the file itself": (f'{SHOP}api_key = "{KEY}"', "api_key"),
    "no TOML": ("theme dark", "TOML"),
    "a limit of 0": ("limit = 0", "limit"),
    "a limit that is a text": ('limit = "20"', "limit"),
    "a limit that is true": ("limit = true", "limit"),
    "an unknown theme": ('theme = "pink"', "theme"),
    "unknown glyphs": ('glyphs = "runes"', "glyphs"),
    "a mouse that is neither true nor false": ('mouse = "yes"', "mouse"),
    "lists that are to be kept a little": ("keep_list = 1", "keep_list"),
    "an unknown default profile": ('profile = "nowhere"', "profile"),
    "profiles that are no table": ('profiles = "shop"', "profiles"),
    "a profile without an address": ('[profiles.shop]\napi_key_env = "K"', "base_url"),
    "a profile without a key": ('[profiles.s]\nbase_url = "https://h/v1"', "api_key_env"),
    "a profile with two keys": (f'{SHOP}api_key_file = "k"', "api_key_file"),
    "an address that is none": (SHOP.replace("/v1", "/v2"), "profiles.shop.base_url"),
    "an unknown colour": (f'{SHOP}colour = "pink"', "profiles.shop.colour"),
    "an empty label": (f'{SHOP}label = " "', "profiles.shop.label"),
    "a label that fills the header": (f'{SHOP}label = "{"x" * 25}"', "profiles.shop.label"),
    "a category that is no number": (f'{SHOP}categories.dogs = "Dogs"', "categories.dogs"),
    "a category beyond int64": (f'{SHOP}categories.{2**63} = "Dogs"', "categories"),
    "an address for the embedded store": (
        '[profiles.embedded]\nbase_url = "https://h/v1"',
        "profiles.embedded.base_url",
    ),
    "a proxy for plain http": (
        f'{SHOP.replace("https", "http")}proxy = "http://proxy:3128"',
        "profiles.shop.proxy",
    ),
    "a proxy with a password": (f'{SHOP}proxy = "http://me:{KEY}@p:1"', "profiles.shop.proxy"),
    "a proxy that is no address": (
        f'{SHOP}proxy = "http://999.1.1.1:3128"',
        "profiles.shop.proxy",
    ),
    "a proxy of a name for nothing": (f'{SHOP}proxy = "http://xn--a"', "profiles.shop.proxy"),
    "certificates of a name that no file has": (
        f'{SHOP}ca_file = "a\\u0000b"',
        "profiles.shop.ca_file",
    ),
    "a key as a colour": (f'{SHOP}colour = "{KEY}"', "profiles.shop.colour"),
    "a key as a label": (f'{SHOP}label = "{KEY * 2}"', "profiles.shop.label"),
    "a key as a profile": (f"[profiles.{KEY}]", "profiles.***.base_url"),
    "a key as a setting": (f'{KEY} = "dark"', "***"),
    "a key as a setting of a profile": (f"{SHOP}{KEY} = 1", "profiles.shop.***"),
    "a key as a category": (f"{SHOP}categories.{KEY} = 1", "categories.***"),
    "a key as the profile to open": (f'profile = "{KEY}"', "profile"),
    "a key as a theme": (f'theme = "{KEY}"', "theme"),
    "a key as an address": (SHOP.replace("https://store.example/v1", KEY), "base_url"),
    "a key as certificates": (f'{SHOP}ca_file = "{KEY}"', "ca_file"),
    "a key as the keys of an action": (f'keys.refresh = "{KEY} {KEY},,"', "keys.refresh"),
    "a key as an action": (f'keys.{KEY} = "f5"', "keys.***"),
    "a key as a name twice": (f"[profiles.{KEY}]\n[profiles.{KEY}]", "line 2"),
    "a number of 5,000 digits": (f"limit = {'1' * 5_000}", "digits"),
    "a number of 5,000 digits of hex": (f"limit = 0x{'f' * 5_000}", "limit"),
    "a limit of 5,000 digits of hex": (f"limits.rows = 0x{'f' * 5_000}", "limits.rows"),
    "a delay of 5,000 digits of hex": (f"delay = 0x{'f' * 5_000}", "delay"),
    "a delay that is no number": ("delay = nan", "delay"),
    "a watch that never rests": ("watch = 1.9", "watch"),
    "a watch of a day": ("watch = 86400", "watch"),
    "a watch that is no number": ("watch = nan", "watch"),
    "a watch that is switched on": ("watch = true", "watch"),
    "a name of 100,000 names": (f"{'a.' * 100_000}a = 1", "dots"),
    "a table of 100,000 names": (f"[{'a.' * 100_000}a]", "dots"),
    "certificates that are not there": (f'{SHOP}ca_file = "no.pem"', "profiles.shop.ca_file"),
    "keys that are none": ('keys.refresh = "f5,,r"', "keys.refresh"),
    "an unknown action": ('keys.refesh = "f5"', "did you mean refresh?"),
    "an action like none": ('keys.zzz = "f5"', "keys.zzz"),
    "an unknown limit": ("limits.deadlin = 3", "did you mean deadline?"),
    "a limit below nothing": ("limits.deadline = -1", "limits.deadline"),
    "a text for a limit": ('limits.rows = "many"', "limits.rows"),
}


@pytest.fixture(autouse=True)
def _unchanged(tmp_path: Path) -> Iterator[None]:
    """Nothing stands under the test's directory afterwards that did not before the program ran."""
    yield
    written = {path.name for path in tmp_path.rglob("*")}
    assert written <= {"home", "config.toml", "key", "data", "store.sqlite3"}


def says(finished: subprocess.CompletedProcess[str], *words: str) -> None:
    """Check that the program refused in one line, which holds these words and no key."""
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr.startswith("pettui: ")
    assert finished.stderr.endswith("\n")
    assert finished.stderr.count("\n") == 1
    assert KEY not in finished.stderr
    for word in words:
        assert word in finished.stderr


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_a_base_address_that_is_none_is_refused_by_the_name_of_its_option(
    run: Run, address: str
) -> None:
    says(run("--base-url", address, PETTUI_API_KEY=KEY), "--base-url", "must")


def test_a_base_address_of_the_environment_is_refused_by_the_name_of_its_variable(
    run: Run,
) -> None:
    says(run(PETTUI_BASE_URL="store.example/v1", PETTUI_API_KEY=KEY), "PETTUI_BASE_URL", "http")


@pytest.mark.parametrize(("words", "word"), COMMAND_LINES.values(), ids=COMMAND_LINES)
def test_a_command_line_that_cannot_be_used_is_refused(
    run: Run, words: list[str], word: str
) -> None:
    says(run(*words), word)


@pytest.mark.parametrize(("content", "word"), FILES.values(), ids=FILES)
def test_a_configuration_file_that_cannot_be_used_is_refused_by_its_name(
    run: Run, configure: Callable[[str], Path], content: str, word: str
) -> None:
    path = configure(content)
    says(run(PETTUI_CONFIG=str(path), SHOP_KEY=KEY), str(path), word)


def test_a_missing_key_is_told_by_the_name_of_its_variable(run: Run) -> None:
    says(run("--base-url", "https://store.example/v1"), "PETTUI_API_KEY", "not set")


@pytest.mark.parametrize("key", [f"{KEY} {KEY}", f"{KEY}\n{KEY}", f"{KEY}ü", f"{KEY}\x1b[31m"])
def test_a_key_that_is_no_single_word_of_ascii_is_refused_unseen(run: Run, key: str) -> None:
    finished = run("--base-url", "https://store.example/v1", PETTUI_API_KEY=key)
    says(finished, "PETTUI_API_KEY", "one word")


def test_a_missing_key_of_a_profile_is_told_by_its_setting_and_its_variable(
    run: Run, configure: Callable[[str], Path]
) -> None:
    says(run("--profile", "shop", "--config", str(configure(SHOP))), "api_key_env", "SHOP_KEY")


def test_a_key_in_the_place_of_a_variables_name_is_not_shown(
    run: Run, configure: Callable[[str], Path]
) -> None:
    path = configure(SHOP.replace("SHOP_KEY", KEY))
    says(run("--profile", "shop", "--config", str(path)), "api_key_env")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o602])
def test_a_file_of_a_key_that_others_can_read_or_write_is_refused(
    run: Run, configure: Callable[[str], Path], key_file: Path, mode: int
) -> None:
    key_file.write_text(KEY)
    key_file.chmod(mode)
    path = configure(SHOP.replace('api_key_env = "SHOP_KEY"', 'api_key_file = "key"'))
    says(run("--profile", "shop", "--config", str(path)), "api_key_file", "chmod 600")


@pytest.mark.parametrize("content", ["", "\n", f"{KEY}\n{KEY}\n", f"{KEY}\0", KEY * 1000])
def test_a_file_that_holds_no_single_key_is_refused_unseen(
    run: Run, configure: Callable[[str], Path], key_file: Path, content: str
) -> None:
    key_file.write_text(content)
    path = configure(SHOP.replace('api_key_env = "SHOP_KEY"', 'api_key_file = "key"'))
    says(run("--profile", "shop", "--config", str(path)), "api_key_file", "one word")


def test_a_file_of_a_key_that_is_not_there_is_told_without_what_may_be_the_key(
    run: Run, configure: Callable[[str], Path]
) -> None:
    path = configure(SHOP.replace('api_key_env = "SHOP_KEY"', f'api_key_file = "{KEY}"'))
    says(run("--profile", "shop", "--config", str(path)), "api_key_file", "no such file")


def test_a_configuration_file_that_is_not_utf8_is_refused_with_the_line(
    run: Run, configure: Callable[[str], Path]
) -> None:
    path = configure("")
    path.write_bytes(b'theme = "dark"\nprofile = "caf\xe9"\n')
    says(run("--config", str(path)), "UTF-8", "line 2")


def test_a_configuration_file_nested_without_end_is_refused(
    run: Run, configure: Callable[[str], Path]
) -> None:
    path = configure(f"theme = {'[' * 100_000}")
    says(run("--config", str(path)), "--config")


def in_the_way(kind: str, path: Path) -> None:
    """Put something at a path that would be read for ever."""
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path, 0o600)
    else:
        path.symlink_to(kind)


@pytest.mark.parametrize("kind", ["fifo", "/dev/zero", "/dev/ptmx"])
def test_a_configuration_file_that_is_no_file_is_refused_at_once(
    run: Run, configure: Callable[[str], Path], kind: str
) -> None:
    path = configure("")
    in_the_way(kind, path)
    says(run("--config", str(path)), "--config", "not a regular file")


@pytest.mark.parametrize("setting", ["api_key_file", "ca_file"])
@pytest.mark.parametrize("kind", ["fifo", "/dev/zero"])
def test_a_file_of_a_profile_that_is_no_file_is_refused_at_once(
    run: Run, configure: Callable[[str], Path], key_file: Path, setting: str, kind: str
) -> None:
    in_the_way(kind, key_file)
    content = SHOP.replace('api_key_env = "SHOP_KEY"', 'api_key_file = "key"')
    path = configure(content if setting == "api_key_file" else f'{SHOP}ca_file = "key"')
    says(run("--profile", "shop", "--config", str(path), SHOP_KEY=KEY), setting)


@pytest.mark.parametrize(
    "address",
    [
        f"https://bob:{KEY}#ret@host/v1",
        f"https://bob:a?{KEY}@host/v1",
        f"https://bob:{KEY}%23@host/v1",
        f"https://host/{KEY}/v2",
        KEY,
    ],
)
def test_what_may_be_a_part_of_a_password_is_not_shown(run: Run, address: str) -> None:
    finished = run("--base-url", address, PETTUI_API_KEY="another-key")
    says(finished, "--base-url")
    assert "bob" not in finished.stderr


def test_a_key_of_words_in_a_wrong_place_is_not_shown_where_the_environment_has_it(
    run: Run, configure: Callable[[str], Path]
) -> None:
    path = configure('theme = "correct-horse-battery"')
    finished = run("--config", str(path), PETTUI_API_KEY="correct-horse-battery")
    says(finished, "theme")
    assert "horse" not in finished.stderr


@pytest.fixture
def homeless(environment: Mapping[str, str], tmp_path: Path) -> Callable[..., Finished]:
    """Run pettui as a user of whom the system knows neither name nor home."""

    def run(*words: str) -> Finished:
        code = (
            "import pwd, sys\n"
            "def getpwuid(_): raise KeyError\n"
            "pwd.getpwuid = getpwuid\n"
            f"sys.argv[1:] = {list(words)!r}\n"
            "from pettui.cli import main\n"
            "sys.exit(main())"
        )
        return subprocess.run(
            [sys.executable, "-c", code],
            env={name: value for name, value in environment.items() if name != "HOME"},
            cwd=tmp_path / "home",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def test_the_demo_needs_no_home(homeless: Callable[..., Finished]) -> None:
    """It gets as far as the terminal that is not there."""
    says(homeless("--demo"), "standard input", "is no terminal")


@pytest.mark.parametrize(
    ("words", "setting"),
    [
        ((), "PETTUI_DATA_DIRECTORY"),
        (("key", "list"), "PETTUI_DATA_DIRECTORY"),
        (("serve", "--port", "0"), "PETTUI_DATA_DIRECTORY"),
        (("ssh", "--port", "0"), "XDG_STATE_HOME"),
    ],
)
def test_a_user_without_a_home_is_told_what_to_set(
    homeless: Callable[..., Finished], words: tuple[str, ...], setting: str
) -> None:
    says(homeless(*words), setting, "no home directory")


@pytest.fixture
def state(home: Path) -> Iterator[Path]:
    """A state directory of pettui's, as it is when pettui has made it."""
    path = home / "state" / "pettui"
    path.mkdir(parents=True)
    path.chmod(0o700)
    yield path
    for directory in (path, path.parent):
        directory.rmdir()


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_state_directory_that_others_can_write_is_refused(
    run: Run, state: Path, mode: int
) -> None:
    state.chmod(mode)
    places = {"XDG_STATE_HOME": str(state.parent), "PETTUI_DATA_DIRECTORY": str(state.parents[2])}
    says(run(**places), "state directory", str(state), "chmod go-w")
    says(run("--demo", **places), "standard input")  # which keeps nothing


def test_a_state_directory_that_others_can_read_is_used(run: Run, state: Path) -> None:
    """Its entries are in directories of 0700."""
    state.chmod(0o755)
    says(run("--demo", XDG_STATE_HOME=str(state.parent)), "standard input")


def test_a_state_directory_of_another_user_is_refused(run: Run, state: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only the superuser can give a directory away")
    os.chown(state, 4242, 4242)
    places = {"XDG_STATE_HOME": str(state.parent), "PETTUI_DATA_DIRECTORY": str(state.parents[2])}
    says(run(**places), "state directory", "another user")


def test_a_configuration_file_without_end_is_refused(run: Run) -> None:
    says(run("--config", "/dev/zero"), "--config", "bytes")


def test_a_configuration_file_that_cannot_be_read_is_refused(
    run: Run, configure: Callable[[str], Path]
) -> None:
    path = configure("")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("the superuser can read every file")
    says(run("--config", str(path)), "--config", "permission")


def test_control_characters_of_a_value_do_not_reach_the_terminal(run: Run) -> None:
    finished = run("--theme", "\x1b]0;title\x07\n\u202e\udce9")
    says(finished, "--theme")
    assert finished.stderr.rstrip("\n").isprintable()


def test_a_data_directory_that_is_a_file_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    data = tmp_path / "data" / "pettui"
    says(run(PETTUI_DATA_DIRECTORY=str(data)), "PETTUI_DATA_DIRECTORY", str(data))


def test_a_data_directory_that_cannot_be_written_is_refused(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o500)
    if os.access(data, os.W_OK):
        pytest.skip("the superuser can write every directory")
    says(run(PETTUI_DATA_DIRECTORY=str(data)), "PETTUI_DATA_DIRECTORY")


@pytest.mark.parametrize("content", [b"mine" * 1000, b"short", b"SQLite format 3\0"])
def test_a_database_that_is_no_database_is_refused_and_left_as_it_is(
    run: Run, tmp_path: Path, content: bytes
) -> None:
    database = tmp_path / "store.sqlite3"
    database.write_bytes(content)
    says(run(PETTUI_DATA_DIRECTORY=str(tmp_path)), "PETTUI_DATA_DIRECTORY", str(database))
    assert database.read_bytes() == content


def test_another_programs_database_is_refused_and_left_as_it_is(run: Run, tmp_path: Path) -> None:
    database = tmp_path / "store.sqlite3"
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    content = database.read_bytes()
    says(run(PETTUI_DATA_DIRECTORY=str(tmp_path)), "PETTUI_DATA_DIRECTORY", "another program")
    says(run("serve", "--port", "0", "--database", str(database)), "serve", "another program")
    assert database.read_bytes() == content


def test_a_damaged_database_is_refused_before_the_screen_is_taken(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    database = tmp_path / "store.sqlite3"
    open_database(database, sample_pets()).close()
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)
    content = database.read_bytes()
    code, screen = in_terminal(
        str(PROGRAM), {**environment, "PETTUI_DATA_DIRECTORY": str(tmp_path)}
    )
    assert code == 2
    assert screen.startswith("pettui: PETTUI_DATA_DIRECTORY: database ")
    assert screen.count("\n") == 1
    assert database.read_bytes() == content


def test_no_terminal_on_standard_input_is_refused(run: Run) -> None:
    says(run("--demo"), "standard input", "terminal")


def test_no_terminal_on_standard_error_is_refused(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    errors = tmp_path / "home" / "errors"
    code, screen = in_terminal(f"sh -c '{PROGRAM} --demo 2>{errors}'", environment)
    assert (code, screen) == (2, "")
    assert errors.read_text().startswith("pettui: standard error: is no terminal")
    errors.unlink()


@pytest.mark.parametrize("kind", ["dumb", "", "unknown"])
def test_a_terminal_that_cannot_draw_is_refused(environment: Mapping[str, str], kind: str) -> None:
    code, screen = in_terminal(f"{PROGRAM} --demo", {**environment, "TERM": kind})
    assert code == 2
    assert screen.startswith(f"pettui: TERM {kind!r}: cannot draw screens")
    assert screen.count("\n") == 1


def in_terminal(command: str, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a command in a pseudo-terminal; give its exit code and all that it wrote."""
    screen, code = pexpect.run(
        command, env=environment, withexitstatus=True, encoding="utf-8", dimensions=(24, 500)
    )
    return code, screen.replace("\r\n", "\n")
