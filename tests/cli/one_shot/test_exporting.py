"""``pettui export`` on a real service; the files are read by other libraries."""

from __future__ import annotations

import csv
import json
import stat
from typing import TYPE_CHECKING

import pytest

from tests.cli.one_shot.conftest import SAMPLES, calling
from tests.client.hostile.server import http
from tests.exhaustive import exhaustive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run
    from tests.peers.hostile_services import Services

NAMES = ["=1+1", "'quoted", "two\nlines", 'a "b", c', "\x1b[31m", "Ægir 🐹"]
PETS = json.dumps([{"id": n, "name": name, "categoryId": 3} for n, name in enumerate(NAMES)])


def ids_in(path: Path) -> list[int]:
    match path.suffix:
        case ".csv":
            with path.open(newline="", encoding="utf-8") as file:
                return [int(record["id"]) for record in csv.DictReader(file)]
        case ".json":
            return [pet["id"] for pet in json.loads(path.read_text(encoding="utf-8"))]
        case _:
            lines = path.read_text(encoding="utf-8").splitlines()
            return [json.loads(line)["id"] for line in lines]


@pytest.mark.parametrize(
    "name", ["pets.csv", "pets.json", *exhaustive("pets.jsonl", "pets.ndjson")]
)
def test_all_pages_are_written_in_the_format_of_the_suffix(
    call: Run, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    finished = call("export", str(path))
    assert ids_in(path) == list(range(SAMPLES, 0, -1))
    assert finished.stderr == f"notice: {SAMPLES} animals written to {path}\n"
    assert (finished.returncode, finished.stdout) == (0, "")


@pytest.mark.parametrize(
    ("options", "count"),
    [(["--limit", "5"], 5), (["--limit", "50", "--all"], SAMPLES), (["--all"], SAMPLES)],
)
def test_a_limit_writes_only_the_first_page(
    call: Run, tmp_path: Path, options: list[str], count: int
) -> None:
    path = tmp_path / "pets.json"
    assert call("export", str(path), "--quiet", *options).stderr == ""
    assert len(ids_in(path)) == count


def test_an_export_can_be_filtered_and_sorted(call: Run, tmp_path: Path) -> None:
    path = tmp_path / "pets.jsonl"
    call("export", str(path), "--status", "sold", "--sort", "id")
    pets = [json.loads(line) for line in path.read_text().splitlines()]
    assert {pet["status"] for pet in pets} == {"sold"}
    assert [pet["id"] for pet in pets] == sorted(pet["id"] for pet in pets)


def test_a_spreadsheet_runs_no_cell_as_a_formula(
    run: Run, services: Services, tmp_path: Path
) -> None:
    path = tmp_path / "pets.csv"
    calling(run, services.open(http(200, PETS)).base_url)("export", str(path))
    with path.open(newline="", encoding="utf-8") as file:
        names = [record["name"] for record in csv.DictReader(file)]
    assert names == ["'=1+1", "''quoted", *NAMES[2:]]


def test_an_existing_file_is_unchanged_without_force(
    run: Run, services: Services, tmp_path: Path
) -> None:
    path = tmp_path / "pets.json"
    path.write_text("mine")
    path.chmod(0o640)
    server = services.open(http(200, PETS))
    finished = calling(run, server.base_url)("export", str(path))
    assert finished.stderr == f"pettui: FILE: {path} already exists; --force overwrites it\n"
    assert (finished.returncode, path.read_text(), server.seen) == (2, "mine", [])
    assert calling(run, server.base_url)("export", str(path), "--force").returncode == 0
    assert ids_in(path) == list(range(len(NAMES)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_there_is_no_file_if_a_page_fails(run: Run, services: Services, tmp_path: Path) -> None:
    first = http(200, PETS, [("Link", '</v1/pets?page=2>; rel="next"')])
    refusal = http(400, '{"code": "no_page", "message": "No such page.", "status": 400}')
    finished = calling(run, services.open(first, refusal).base_url)("export", "pets.json")
    assert (finished.returncode, finished.stderr) == (1, "error: 400 no_page: No such page.\n")
    away = http(200, PETS, [("Link", '<http://evil.example/v1/pets>; rel="next"')])
    finished = calling(run, services.open(away).base_url)("export", "pets.json")
    assert finished.returncode == 3
    assert not [*tmp_path.rglob("pets.json")]


@pytest.mark.parametrize("name", ["no/such/directory/pets.csv", "a-directory.csv", "link.csv"])
def test_a_file_that_cannot_be_written_is_one_line_and_exit_code_2(
    run: Run, services: Services, home: Path, name: str
) -> None:
    (home / "a-directory.csv").mkdir()
    (home / "link.csv").symlink_to("elsewhere")
    finished = calling(run, services.open(http(200, PETS)).base_url)("export", "--force", name)
    assert finished.returncode == 2
    assert "cannot write" in finished.stderr
    assert finished.stderr.count("\n") == 1
