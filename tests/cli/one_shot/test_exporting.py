"""``pettui export`` on a real service; the files are read by other libraries."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import SAMPLE_COUNT
from tests.cli.one_shot.conftest import calling
from tests.client.hostile.server import http

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run
    from tests.cli.one_shot.conftest import Asked
    from tests.client.hostile.server import HostileServer, Step
    from tests.peers.hostile_services import Services

NAMES = ["=1+1", "'quoted", "two\nlines", 'a "b", c', "\x1b[31m", "Ægir 🐹"]
PETS = json.dumps([{"id": n, "name": name, "categoryId": 3} for n, name in enumerate(NAMES)])


def ids_in(path: Path) -> list[int]:
    return [pet["id"] for pet in json.loads(path.read_text(encoding="utf-8"))]


def test_all_pages_are_written_in_the_format_of_the_suffix(run_here: Run, tmp_path: Path) -> None:
    path = tmp_path / "pets.json"
    finished = run_here("export", "--demo", str(path))
    assert ids_in(path) == list(range(SAMPLE_COUNT, 0, -1))
    assert finished.stderr == f"notice: {SAMPLE_COUNT} animals written to {path}\n"
    assert (finished.returncode, finished.stdout) == (0, "")


@pytest.mark.parametrize(
    ("options", "count"), [(["--limit", "5"], 5), (["--limit", "50", "--all"], SAMPLE_COUNT)]
)
def test_a_limit_writes_only_the_first_page(
    run_here: Run, tmp_path: Path, options: list[str], count: int
) -> None:
    path = tmp_path / "pets.json"
    assert run_here("export", "--demo", str(path), "--quiet", *options).stderr == ""
    assert len(ids_in(path)) == count


def test_an_existing_file_is_unchanged_without_force(
    run_here: Run, services: Services, tmp_path: Path
) -> None:
    path = tmp_path / "pets.json"
    path.write_text("mine")
    path.chmod(0o640)
    server = services.open(http(200, PETS))
    finished = calling(run_here, server.base_url)("export", str(path))
    assert finished.stderr == f"pettui: FILE: {path} already exists; --force overwrites it\n"
    assert (finished.returncode, path.read_text(), server.seen) == (2, "mine", [])
    assert calling(run_here, server.base_url)("export", str(path), "--force").returncode == 0
    assert ids_in(path) == list(range(len(NAMES)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_there_is_no_file_if_a_page_fails(asked: Asked, tmp_path: Path) -> None:
    first = http(200, PETS, [("Link", '</v1/pets?page=2>; rel="next"')])
    refusal = http(400, '{"code": "no_page", "message": "No such page.", "status": 400}')
    finished = asked(first, refusal)("export", "pets.json")
    assert (finished.returncode, finished.stderr) == (1, "error: 400 no_page: No such page.\n")
    away = http(200, PETS, [("Link", '<http://evil.example/v1/pets>; rel="next"')])
    finished = asked(away)("export", "pets.json")
    assert finished.returncode == 3
    assert not [*tmp_path.rglob("pets.json")]


def listed(*ids: int, then: int | None = None) -> Step:
    """A page of animals, which links to another one."""
    pets = json.dumps([{"id": pet_id, "name": "Rex", "categoryId": 3} for pet_id in ids])
    links = [] if then is None else [("Link", f'</v1/pets?page={then}>; rel="next"')]
    return http(200, pets, links)


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ([], "id,name,categoryId,status"),
        (["--format", "jsonl"], '{"id":60,'),
    ],
)
def test_standard_output_gets_what_a_file_would(
    run_here: Run, tmp_path: Path, options: list[str], first: str
) -> None:
    finished = run_here("export", "--demo", "-", *options)
    path = tmp_path / f"pets.{options[-1] if options else 'csv'}"
    run_here("export", "--demo", str(path))
    assert finished.stdout == path.read_text()
    assert finished.stdout.startswith(first)
    assert finished.stderr == f"notice: {SAMPLE_COUNT} animals written to standard output\n"


def test_standard_output_gets_nothing_if_a_page_fails(run_here: Run, services: Services) -> None:
    refusal = http(400, '{"code": "no_page", "message": "No such page.", "status": 400}')
    failing = services.open(listed(2, 1, then=2), refusal)
    finished = calling(run_here, failing.base_url)("export", "-")
    assert (finished.returncode, finished.stdout) == (1, "")


def test_a_format_that_is_named_goes_before_the_suffix(run_here: Run, tmp_path: Path) -> None:
    path = tmp_path / "pets.txt"
    assert (
        run_here("export", "--demo", "--format", "json", "--limit", "2", str(path)).returncode == 0
    )
    assert ids_in(path) == [SAMPLE_COUNT, SAMPLE_COUNT - 1]


def since(run_here: Run, server: HostileServer, pet_id: str) -> list[int]:
    finished = calling(run_here, server.base_url)(
        "export", "-", "--format", "jsonl", "--since-id", pet_id
    )
    assert finished.returncode == 0, finished.stderr
    return [json.loads(line)["id"] for line in finished.stdout.splitlines()]


def test_where_ids_fall_no_page_behind_an_id_is_read(run_here: Run, services: Services) -> None:
    server = services.open(listed(9, 8, then=2), listed(7, 5, then=3), listed(4))
    assert since(run_here, server, "6") == [9, 8, 7]
    assert len(server.seen) == 2


def test_where_ids_do_not_fall_all_pages_are_read(run_here: Run, services: Services) -> None:
    server = services.open(listed(8, 7, then=2), listed(9, 2, then=3), listed(10))
    assert since(run_here, server, "3") == [8, 7, 9, 10]
    assert len(server.seen) == 3
