"""What ``pettui import`` cannot read or write is one line and exit code 2; nothing is sent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import PROGRAM, finished
from tests.cli.one_shot.conftest import calling
from tests.cli.one_shot.shop_service import open_shop
from tests.exhaustive import exhaustive
from tests.small_disks import as_root, mounted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.cli.conftest import Run
    from tests.peers.hostile_services import Services

CONTENTS = {
    "pets.csv": b"Rex,3\n",
    "binary.csv": bytes(range(256)) * 10,
    "header.csv": b"category,status\n3,sold\n",
    "large.csv": b"name,category\n" + (b"x" * 4_000_000 + b",3\n") * 13,
    "long.csv": b"Rex,3\n" * 200_001,
    "mine.txt": b"mine\n",
}
SAID = {
    "nowhere.csv": "FILE: cannot read {home}/nowhere.csv: no such file or directory",
    "directory": "FILE: cannot read {home}/directory: it is a directory",
    "fifo": "FILE: cannot read {home}/fifo: it is not a regular file",
    "binary.csv": "FILE: cannot read {home}/binary.csv: it is not text",
    "header.csv": "FILE: cannot read {home}/header.csv: its header has no name column",
    "large.csv": "FILE: cannot read {home}/large.csv: it is larger than 50 MB",
    "long.csv": "FILE: cannot read {home}/long.csv: it has more than 200,000 lines",
    "pets.csv --result no/such/a.csv": "--result: cannot write {home}/no/such/a.csv: "
    "no such file or directory",
    "pets.csv --result directory": "--result: cannot write {home}/directory: it is a directory",
    "pets.csv --result mine.txt": "--result: cannot write {home}/mine.txt: "
    "a file that is not the result of an import is already there",
    "pets.csv --result pets.csv": "--result: cannot write {home}/pets.csv: "
    "a file that is not the result of an import is already there",
    "pets.csv --parallel 0": "--parallel '0': must be a whole number from 1 to 16",
    "pets.csv --parallel ²": "--parallel '²': must be a whole number from 1 to 16",
    "pets.csv --check --dry-run": "--check: not allowed with --dry-run",
    "": "FILE: is missing; see pettui import --help",
}
LONG = {"long.csv"}  # takes seconds


@pytest.mark.parametrize("line", [*(each for each in SAID if each not in LONG), *exhaustive(*LONG)])
def test_a_file_that_cannot_be_imported_is_one_line(run_here: Run, home: Path, line: str) -> None:
    for name in {*line.split()} & {*CONTENTS}:
        (home / name).write_bytes(CONTENTS[name])
    (home / "directory").mkdir()
    os.mkfifo(home / "fifo")
    before = {*home.iterdir()}
    ended = run_here("import", "--demo", *line.split())
    assert ended.stderr == f"pettui: {SAID[line].format(home=home)}\n"
    assert (ended.returncode, ended.stdout) == (2, "")
    assert {*home.iterdir()} == before


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        ("<&-", "standard input: is closed"),
        ("< /dev/zero", "FILE: cannot read standard input: it is not text"),
    ],
)
def test_an_unusable_standard_input_is_one_line(
    environment: Mapping[str, str], stream: str, said: str
) -> None:
    script = f'exec "$0" import --demo - {stream}'
    ended = finished(["/bin/sh", "-c", script, PROGRAM], environment)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"pettui: {said}\n")


@as_root
def test_a_full_disk_for_standard_input_is_an_error(environment: Mapping[str, str]) -> None:
    with mounted("size=16k") as disk:
        temporary = {**environment, "TMPDIR": str(disk)}
        words = [PROGRAM, "import", "--demo", "-"]
        ended = finished(words, temporary, input="Rex,3\n" * 10_000)
        left = [*disk.iterdir()]
    said = "pettui: FILE: cannot keep standard input: the disk is full\n"
    assert (ended.returncode, ended.stderr, left) == (2, said, [])


@as_root
def test_a_full_disk_for_the_result_still_reports_what_was_added(
    run_here: Run, services: Services, home: Path
) -> None:
    shop = open_shop(services)
    (home / "pets.csv").write_text("".join(f"{'x' * 200}{n},3\n" for n in range(40)))
    with mounted("size=4k") as disk:
        path = disk / "result.csv"
        ended = calling(run_here, shop.base_url)(
            "import", "pets.csv", "--quiet", "--result", str(path)
        )
        assert [*disk.iterdir()] == []
    assert (ended.returncode, len(shop.pets)) == (2, 40)
    assert ended.stderr == (
        f"error: cannot write {path}: the disk is full\nerror: 40 lines added\n"
    )
