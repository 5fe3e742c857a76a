"""``pettui export`` on a real service; the files are read by other libraries."""

from __future__ import annotations

import json
import os
import signal
import stat
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import SAMPLE_COUNT
from pettui.transfer.writing import EXPORT_HEADER
from tests.cli.commands.conftest import Asked, at, calling, json_lines
from tests.cli.commands.shop_service import ELSEWHERE, NEXT, REFUSE, animal, page
from tests.cli.conftest import Refused, Run, interruptible
from tests.client.hostile.server import HostileServer, Step, http, stall
from tests.service.running_service import KEY
from tests.small_disks import as_root, full_disk, mounted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.peers.hostile_services import Services


THIRD = "/v1/pets?page=3"


def ids_in(path: Path) -> list[int]:
    return [pet["id"] for pet in json.loads(path.read_text(encoding="utf-8"))]


def test_all_pages_are_written_in_the_format_of_the_suffix(run_here: Run, tmp_path: Path) -> None:
    path = tmp_path / "pets.json"
    finished = run_here("export", "--demo", str(path))
    assert ids_in(path) == list(range(SAMPLE_COUNT, 0, -1))
    assert finished.stderr == f"notice: {SAMPLE_COUNT} animals written to {path}\n"
    assert (finished.returncode, finished.stdout) == (0, "")


def test_a_limit_is_the_most_that_are_written_in_the_format_that_is_named(
    run_here: Run, tmp_path: Path
) -> None:
    path = tmp_path / "pets.txt"
    run_here("export", "--demo", "--limit=50", "--page-size=20", "--format", "json", str(path))
    assert len(ids_in(path)) == 50


def test_an_existing_file_is_unchanged_without_force(
    run_here: Run, services: Services, tmp_path: Path
) -> None:
    path = tmp_path / "pets.json"
    path.write_text("mine")
    path.chmod(0o640)
    server = services.open(listed(2, 1))
    call = calling(run_here, server.base_url)
    finished = call("export", str(path))
    assert finished.stderr == f"pettui: FILE: {path} already exists; --force overwrites it\n"
    assert (finished.returncode, path.read_text(), server.seen) == (2, "mine", [])
    assert call("export", str(path), "--force").returncode == 0
    assert ids_in(path) == [2, 1]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_there_is_no_file_if_a_page_fails(asked: Asked, tmp_path: Path) -> None:
    finished = asked(listed(2, then=NEXT), REFUSE)("export", "pets.json")
    said = "error: 400 invalid_value: No such category.\n"
    assert (finished.returncode, finished.stderr) == (1, said)
    assert asked(listed(2, then=ELSEWHERE))("export", "pets.json").returncode == 3
    assert not [*tmp_path.rglob("pets.json")]


def test_what_a_service_does_not_filter_is_filtered_here(
    services: Services, run_here: Run, tmp_path: Path
) -> None:
    pages = [
        page(animal(4), animal(3, status="sold"), then=NEXT),
        page(animal(2, status="available"), animal(1, status="sold")),
    ]
    call = calling(run_here, services.open(*pages, *pages).base_url)
    path = tmp_path / "sold.json"
    finished = call("export", "--status", "sold", str(path), "--quiet")
    said = "warning: the service does not filter by status: what is not sold is left out\n"
    assert (finished.returncode, finished.stderr, ids_in(path)) == (0, said, [3, 1])
    listed = call("list", "--status", "sold", "--json", "--limit", "2")
    assert [pet["id"] for pet in json_lines(listed.stdout)] == [3, 1]


TEXT_IDS = http(
    200, '[{"id": "2", "name": "A", "categoryId": 3}, {"id":1,"name":"A","categoryId":2}]'
)


@pytest.mark.parametrize("words", [(), ("--limit=1",), ("--find=a", "--sort=id")])
def test_with_unreadable_rows_the_file_of_the_night_before_stays(
    services: Services, run_here: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    call = calling(run_here, services.open(TEXT_IDS).base_url)
    path = tmp_path / "pets.json"
    path.write_text("[]")
    finished = call("export", str(path), "--force", "--quiet", *words)
    assert (finished.returncode, path.read_text()) == (5, "[]")
    said = f"1 row is not an animal: {path} is not written; --skip-unreadable leaves"
    assert said in finished.stderr
    finished = call("export", str(path), "--force", "--skip-unreadable", *words)
    assert (finished.returncode, ids_in(path)) == (0, [1])


def listed(*ids: int, then: str = "") -> Step:
    return page(*map(animal, ids), then=then)


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


NAMED = """
[profiles.embedded.categories]
1 = "Cats"
2 = "Dogs; big"
"""


def test_a_csv_for_excel_has_its_mark_its_delimiter_and_names_of_categories(
    run_here: Run, configure: Callable[[str], Path], tmp_path: Path
) -> None:
    config = str(configure(NAMED))
    run_here("--config", config, "add", "Tom", "2")
    for delimiter in (";", "tab"):
        words = ("--bom", "--names", "--delimiter", delimiter, "--force", "--limit=1")
        path = tmp_path / f"{delimiter}.csv"
        assert run_here("export", "--config", config, *words, str(path)).returncode == 0
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        assert path.read_bytes().startswith(b"\xef\xbb\xbfid")
        name = '"Dogs; big"' if delimiter == ";" else "Dogs; big"
        header, line = (",".join(EXPORT_HEADER) + ",category", f"1,Tom,2,,{name}")
        character = ";" if delimiter == ";" else "\t"
        assert text == f"{header}\n{line}\n".replace(",", character)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--delimiter", "x", "a.csv"), "--delimiter 'x': must be a comma, a semicolon, |, or tab"),
        (("--delimiter", ";", "a.json"), "--delimiter: only a CSV has this"),
        (("--bom", "a.jsonl"), "--bom: only a CSV has this"),
        (("--names", "--base-url=http://127.0.0.1:1/v1", "a.csv"), "--names: the profile names no"),
    ],
)
def test_what_makes_no_csv_is_said(refused: Refused, words: tuple[str, ...], said: str) -> None:
    assert refused("export", *words, PETTUI_API_KEY=KEY).startswith(said)


def since(run_here: Run, server: HostileServer, pet_id: str) -> list[int]:
    words = ("export", "-", "--format", "jsonl", "--since-id", pet_id)
    return [pet["id"] for pet in json_lines(run_here(*words, **at(server.base_url)).stdout)]


def test_where_ids_fall_no_page_behind_an_id_is_read(run_here: Run, services: Services) -> None:
    server = services.open(listed(9, 8, then=NEXT), listed(7, 5, then=THIRD), listed(4))
    assert since(run_here, server, "6") == [9, 8, 7]
    assert len(server.seen) == 2


def test_where_ids_do_not_fall_all_pages_are_read(run_here: Run, services: Services) -> None:
    server = services.open(listed(8, 7, then=NEXT), listed(9, 2, then=THIRD), listed(10))
    assert since(run_here, server, "3") == [8, 7, 9, 10]
    assert len(server.seen) == 3


def test_an_interrupted_export_leaves_no_file(
    environment: dict[str, str], services: Services, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "pets.csv"
    server = services.open(listed(2, then=NEXT), stall())
    with interruptible(environment | at(server.base_url), "export", str(path)) as process:
        services.wait_until(server.requested)
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, f"error: interrupted; {path} is not written\n")
    assert not [*path.parent.iterdir()]


@as_root
def test_an_export_that_does_not_fit_on_the_disk_is_one_line_and_leaves_nothing(
    asked: Asked,
) -> None:
    name = "x" * 500_000
    call = asked(page(animal(2, name), then=NEXT), page(animal(1, name)))
    with mounted("size=1m,mode=700") as directory, full_disk(directory):
        path = directory / "pets.csv"
        finished = call("export", str(path))
        assert finished.stderr == f"error: cannot write {path}: the disk is full\n"
        assert finished.returncode == 2
        assert [each.name for each in directory.iterdir()] == ["full"]
