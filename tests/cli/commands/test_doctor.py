"""``pettui doctor`` shows the whole setup, never a key, and changes nothing."""

from __future__ import annotations

import json
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from pettui.service.stores.sqlite_files import open_database
from pettui.transfer.journal import Journal
from tests.certificates import make_house
from tests.cli.commands.conftest import at
from tests.cli.conftest import Run, finished
from tests.client.hostile.server import http
from tests.conftest import unmeasured
from tests.outbox.scripted import DEAD, left_behind
from tests.peers.terminal import PROGRAM, Terminal
from tests.service.running_service import KEY
from tests.small_disks import as_root, full_disk, mounted
from tests.without_locks import without_locks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.cli.commands.shop_service import Shop
    from tests.peers.hostile_services import Services

SHOP = """
profile = "shop"
limit = 50
theme = "light"
[keys]
refresh = "f5"
[limits]
tries = 1
[profiles.shop]
base_url = "{base_url}"
api_key_env = "SHOP_KEY"
"""
REFUSED = '{"code": "unauthorized", "message": "No.", "status": 401}'
UNREACHABLE = "http://127.0.0.1:9/v1"


def found(run_here: Run, *words: str, code: int = 0, **environment: str) -> dict[str, Any]:
    """Return the doctor's JSON."""
    finished = run_here("doctor", "--json", *words, **environment)
    assert (finished.returncode, finished.stderr) == (code, "")
    findings: dict[str, Any] = json.loads(finished.stdout)
    assert bool(findings["problems"]) is bool(code)
    return findings


def problem(run_here: Run, **environment: str) -> str:
    """Return the one problem that the doctor finds."""
    (only,) = found(run_here, code=1, **environment)["problems"]
    return str(only)


@pytest.fixture
def state(home: Path) -> Path:
    """The state directory."""
    path = home / ".local/state/pettui"
    path.mkdir(parents=True, mode=0o700)
    return path


def files_in(directory: Path) -> set[str]:
    return {str(path) for path in directory.rglob("*")}


@as_root
def test_an_outbox_that_could_not_keep_an_animal_is_a_problem(run_here: Run) -> None:
    with mounted("size=64k") as disk:
        with full_disk(disk):
            said = problem(run_here, XDG_STATE_HOME=str(disk))
        assert said.startswith(f"outbox {disk}/pettui/")
        assert said.endswith(": nothing can be kept there: full")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        said = problem(run_here, XDG_STATE_HOME=str(disk))
        assert said.endswith(": nothing can be kept there: read-only")


def test_each_setting_is_shown_with_its_source(
    run_here: Run, shop: Shop, configure: Callable[[str], Path]
) -> None:
    config = str(configure(SHOP.format(base_url=shop.base_url)))
    findings = found(run_here, PETTUI_CONFIG=config, SHOP_KEY=KEY)
    settings = findings["settings"]
    assert settings["profile"] == f"shop ({config})"
    assert settings["API key"] == "not shown (api_key_env SHOP_KEY)"
    assert settings["limit"] == f"50 ({config})"
    assert settings["theme"] == f"light ({config})"
    assert settings["mouse"] == "true (default)"
    assert settings["keys.refresh"] == f"f5 ({config})"
    assert settings["limits.tries"] == f"1 ({config})"
    assert findings["service"]["test call"].startswith("answered in ")


def test_the_embedded_store_is_not_created(run_here: Run, home: Path) -> None:
    findings = found(run_here)
    assert findings["service"]["test call"] == "none: the first start creates the store"
    assert files_in(home) == set()


def test_an_unreachable_service_is_a_problem_and_exit_code_1(run_here: Run) -> None:
    findings = found(run_here, "--base-url", UNREACHABLE, code=1, PETTUI_API_KEY=KEY)
    assert findings["problems"] == ["cannot connect to 127.0.0.1:9: connection refused"]


def test_the_key_is_never_shown(
    run_here: Run, services: Services, configure: Callable[[str], Path]
) -> None:
    base_url = services.open().base_url
    config = configure(SHOP.format(base_url=base_url).replace("SHOP_KEY", KEY))
    for words in (["doctor"], ["doctor", "--json"]):
        for environment in ({"PETTUI_CONFIG": str(config)}, {"PETTUI_BASE_URL": base_url}):
            finished = run_here(*words, PETTUI_API_KEY=KEY, **environment)
            assert KEY not in finished.stdout + finished.stderr
    wrong = run_here("doctor", **at(services.open(http(401, REFUSED)).base_url))
    assert "problem: 401 unauthorized" in wrong.stdout
    assert KEY not in wrong.stdout


def test_wrong_keys_are_a_problem_and_the_service_is_asked_nevertheless(
    run_here: Run, shop: Shop, configure: Callable[[str], Path]
) -> None:
    text = SHOP.format(base_url=shop.base_url).replace("refresh", "refrehs")
    findings = found(run_here, code=1, PETTUI_CONFIG=str(configure(text)), SHOP_KEY=KEY)
    assert findings["problems"][0].endswith("keys.refrehs: unknown action; did you mean refresh?")
    assert findings["service"]["test call"].startswith("answered in ")


def test_commands_whose_file_others_may_write_are_said_to_be_left_out(
    run_here: Run, configure: Callable[[str], Path]
) -> None:
    config = configure('[commands]\nf9 = { title = "Label", run = ["sh"] }')
    config.chmod(0o602)
    _, left_out = found(run_here, code=1, PETTUI_CONFIG=str(config))["problems"]
    assert left_out.startswith("[commands] is left out: others may write its file")


def test_a_key_that_stays_with_a_command_is_said_with_the_action_that_lost_it(
    run_here: Run, configure: Callable[[str], Path]
) -> None:
    config = configure('[commands]\nf = { title = "Label", run = ["sh"] }')
    commands = found(run_here, PETTUI_CONFIG=str(config))["commands"]
    assert commands["find_category"] == "in the palette; its key f stays with Label"


def test_it_is_said_whom_a_service_over_https_is_trusted_by(
    run_here: Run, configure: Callable[[str], Path], tmp_path: Path
) -> None:
    ca_file, _, _ = make_house(tmp_path)
    text = SHOP.format(base_url=UNREACHABLE.replace("http:", "https:"))
    config = configure(f'{text}ca_file = "{ca_file}"\n')
    findings = found(run_here, code=1, PETTUI_CONFIG=str(config), SHOP_KEY=KEY)
    assert findings["service"]["trusts"] == (
        f"ca_file {ca_file}, as curl does: without VERIFY_X509_STRICT"
    )
    config.write_text(text)
    usual = {"PETTUI_CONFIG": str(config), "SHOP_KEY": KEY, "SSL_CERT_FILE": str(ca_file)}
    trusts = found(run_here, code=1, **usual)["service"]["trusts"]
    assert trusts.startswith(f"the system's authorities (SSL_CERT_FILE {ca_file}")


def test_a_disk_without_file_locks_is_a_problem_with_what_it_costs(
    environment: Mapping[str, str], home: Path, tmp_path: Path
) -> None:
    shim = without_locks(tmp_path)
    before = files_in(home)
    ended = finished([PROGRAM, "doctor", "--json"], unmeasured({**environment, **shim}))
    findings = json.loads(ended.stdout)
    assert (ended.returncode, ended.stderr, files_in(home)) == (1, "", before)
    state, data = home / ".local/state/pettui", home / ".local/share/pettui"
    for directory, cost in zip((state, data), findings["problems"], strict=True):
        assert cost.startswith(f"{directory}: this disk has no file locks (NFS?): ")
        assert cost.endswith(" to a directory on a local disk")
    assert "file locks" not in finished([PROGRAM, "doctor"], environment).stdout


def test_a_store_on_a_disk_without_file_locks_is_not_called_locked(
    environment: Mapping[str, str], home: Path, tmp_path: Path
) -> None:
    open_database(home / ".local/share/pettui/store.sqlite3").close()
    shim = without_locks(tmp_path)
    ended = finished([PROGRAM, "list"], unmeasured({**environment, **shim}))
    assert ended.returncode == 2
    assert "store.sqlite3 is on a disk without file locks (NFS?)" in ended.stderr
    assert "another program" not in ended.stderr


def test_what_others_can_write_is_a_problem(run_here: Run, state: Path) -> None:
    outbox = state / "outbox"
    outbox.mkdir()
    outbox.chmod(0o777)
    findings = found(run_here, code=1)
    assert findings["paths"]["outbox"] == f"{outbox}, mode 0777"
    assert findings["problems"] == [f"others can write to {outbox}; run: chmod go-w {outbox}"]


def test_keys_of_the_service_that_others_can_read_are_a_problem(run_here: Run, home: Path) -> None:
    run_here("key", "add", "till-1")
    assert found(run_here)["problems"] == []
    keys = home / ".local/share/pettui/service-keys"
    keys.chmod(0o644)
    shown = f"key file {keys} can be read by others; run: chmod 600 {keys}"
    assert problem(run_here) == shown


def test_keys_that_two_actions_of_a_screen_share_are_a_problem(
    run_here: Run, configure: Callable[[str], Path]
) -> None:
    config = configure('[keys]\nadd = "/"\nreverse_order = "s"\nsort = "S"\n')
    shown = "[keys]: add and find share the key slash on the list"
    assert problem(run_here, PETTUI_CONFIG=str(config)) == shown


def test_the_outbox_is_counted_and_unchanged(run_here: Run, home: Path) -> None:
    outbox = home.joinpath(found(run_here)["outbox"]["directory"])
    for number, state in enumerate(("waiting", "waiting", "unknown")):
        left_behind(outbox, "{}", entry_id=f"{7:020d}-0000000{number}", state=state)
    (outbox / f"{DEAD}.draft.json").write_text("{}")
    before = files_in(home)
    counted = found(run_here)["outbox"]
    assert (counted["entries"], counted["drafts"]) == ("1 unknown, 2 waiting", "1")
    assert files_in(home) == before
    (outbox / "x.damaged").touch()
    assert problem(run_here) == f"damaged files: 1, in {outbox}"


def test_the_journals_of_imports_are_counted_and_unchanged(run_here: Run, state: Path) -> None:
    assert found(run_here)["imports"] == {"journals": "none"}
    imports = state / "imports"
    Journal.open(imports, "http://h/v1").close()
    (journal,) = imports.glob("*.journal")
    before = files_in(state)
    findings = found(run_here)
    assert findings["imports"] == {"http://h/v1": f"0 lines added, 0 unknown; {journal}"}
    assert findings["paths"]["imports"] == f"{imports}, mode 0700"
    assert files_in(state) == before
    journal.write_text("mine")
    assert problem(run_here).startswith(f"{journal}: ")


def test_size_colours_and_characters_of_a_terminal_are_shown(
    environment: Mapping[str, str],
) -> None:
    with closing(Terminal([PROGRAM, "doctor", "--demo"], environment, (60, 120))) as terminal:
        assert terminal.wait_for_end() == 0
        for text in ("120 columns, 60 rows", "colours                 256", "no problems found"):
            assert text in terminal.text


def test_no_finding_controls_the_terminal(run_here: Run) -> None:
    told = run_here("doctor", "--demo", TERM="\x1b[31m\u202e\nproblem: none")
    assert "problem: none" in told.stdout
    assert not [line for line in told.stdout.split("\n") if not line.isprintable()]
    assert "\nproblem: none" not in told.stdout
    named = run_here("doctor", "--config", "\x9b31m\u202e.toml")
    assert "problem: --config" in named.stdout
    assert not [line for line in named.stdout.split("\n") if not line.isprintable()]
