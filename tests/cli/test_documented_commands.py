"""The commands of docs/, as they stand there, run by a shell in a fresh home."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_files import open_database
from tests.cli.conftest import PROGRAM, finished, needs
from tests.service.running_service import KEY, running_service
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    Typed = Callable[..., str]

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def block(page: str, word: str) -> list[str]:
    """Return the commands of the one block of a page that contains a word."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (found,) = [each for each in BLOCK.findall(text) if word in each]
    return [line.removeprefix("$ ") for line in found.splitlines()]


@pytest.fixture
def typed(environment: dict[str, str], home: Path) -> Typed:
    """Run commands in one shell, which ends at the first that fails, and return what they print."""

    environment |= {"PATH": f"{PROGRAM.parent}:{environment['PATH']}"}

    def typed(*lines: str) -> str:
        words = ["bash", "-e", "-o", "pipefail", "-c", "\n".join(lines)]
        ended = finished(words, environment, cwd=home, timeout=len(lines) * PATIENCE)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return typed


def test_the_commands_for_scripts_run_on_the_store_that_pettui_makes(
    typed: Typed, home: Path
) -> None:
    needs("jq")
    open_database(home / ".local/share/pettui/store.sqlite3", sample_pets(), only_new=True).close()
    written = typed(*block("commands.md", "pettui get"))
    assert "Señor Orejas" in written
    assert '"Mitzi"\n' in written  # of jq
    assert len((home / "animals.csv").read_text().splitlines()) == 1 + 60 + 1


def test_the_commands_of_an_import_run(typed: Typed, home: Path) -> None:
    (home / "animals.csv").write_text("name,category\nRexona,3\n")
    typed(
        "generate-animals() { printf 'name,category\\nWaldina,3\\n'; }",
        *block("commands.md", "pettui import -"),
    )
    assert "Rexona" in (home / "animals.result.csv").read_text()
    assert "Waldina" in (home / "result.csv").read_text()


def test_the_scripts_of_completion_are_written_on_a_fresh_machine(typed: Typed, home: Path) -> None:
    typed(*block("commands.md", "pettui completion"))
    assert (home / ".local/share/bash-completion/completions/pettui").stat().st_size
    assert (home / ".zfunc/_pettui").stat().st_size
    assert (home / ".config/fish/completions/pettui.fish").stat().st_size


def test_keys_are_managed_as_documented(typed: Typed) -> None:
    assert "till-1\t" in typed(*block("service.md", "pettui key list"))


def test_the_documented_backup_is_as_private_as_the_store(typed: Typed, home: Path) -> None:
    open_database(home / ".local/share/pettui/store.sqlite3", sample_pets(5)).close()
    typed(*block("service.md", "pettui backup"))
    copy = home / "copy.tar"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert "5 animals" in typed("mkdir other; HOME=$PWD/other pettui restore copy.tar 2>&1")


def test_the_calls_of_curl_list_add_and_show_animals(
    typed: Typed, home: Path, tmp_path: Path
) -> None:
    needs("curl")
    with running_service(tmp_path, samples=60) as service:
        calls = [*block("api.md", "key.header"), *block("api.md", "openapi.yaml")]
        origin = service.base_url.removesuffix("/v1")
        here = [line.replace("http://127.0.0.1:8080", origin) for line in calls]
        # Each response on a line of its own.
        shown = typed(
            f"export PETTUI_API_KEY={KEY}", 'curl() { command curl -sS -f "$@"; echo; }', *here
        )
    listed, added, got, *description = shown.splitlines()
    assert [pet["status"] for pet in json.loads(listed)] == 3 * ["available"]
    assert json.loads(added) == json.loads(got) == {"id": 61, "name": "Rex", "categoryId": 3}
    assert description[0] == "openapi: 3.1.0"
    assert stat.S_IMODE((home / "key.header").stat().st_mode) == 0o600
