"""``pettui import``, the installed program, with all kinds of services."""

from __future__ import annotations

import asyncio
import csv
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import INTERRUPTIBLE, PROGRAM, finished, interruptible
from tests.cli.one_shot.conftest import calling
from tests.cli.one_shot.shop_service import INVALID, REFUSE, open_shop, stall_from
from tests.client.hostile.server import drop, http
from tests.exhaustive import exhaustive
from tests.service.running_service import KEY
from tests.small_disks import as_root, mounted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.cli.conftest import Run
    from tests.peers.hostile_services import Services


AGAIN = "run it again; nothing is added twice"
DUPLICATE = (
    "warning: 1 duplicate: 1 within the file (the service lists no animals); "
    "sent all the same: --skip-duplicates leaves them out"
)


def results_in(path: Path) -> list[tuple[str, str, str]]:
    """Return id, position and outcome of each line of a result."""
    with path.open(newline="", encoding="utf-8") as file:
        records = csv.DictReader(file)
        return [(each["id"], each["position"], each["outcome"]) for each in records]


@pytest.fixture
def file(home: Path) -> Path:
    """A file of three animals, two of them alike."""
    path = home / "pets.csv"
    path.write_text("name,category,status,legs\nRex,3,sold,4\nMimi,1,,4\nRex,3,sold,4\n")
    return path


def test_a_deprecation_is_a_notice_once(run_here: Run, services: Services, file: Path) -> None:
    headers = [("Deprecation", "@1764892800"), ("Sunset", "Fri, 01 Jan 2027 00:00:00 GMT")]
    answer = http(201, '{"id": 9, "name": "Mimi", "categoryId": 1}', headers)
    shop = open_shop(services, {"Mimi": answer})
    file.write_text("Mimi,1\n")
    told = calling(run_here, shop.base_url)("import", str(file))
    assert told.stderr.count("notice: createPet is deprecated") == 1


def test_each_line_is_added_once_however_often_it_is_imported(
    run_here: Run, services: Services, file: Path
) -> None:
    shop = open_shop(services)
    first = calling(run_here, shop.base_url)("import", str(file))
    assert (first.returncode, first.stdout) == (0, "")
    assert first.stderr.splitlines() == [
        "notice: ignored columns: legs",
        "notice: line 4 is a duplicate of line 2",
        DUPLICATE,
        f"notice: 3 lines added; the result is in {file.parent / 'pets.result.csv'}",
    ]
    assert sorted(shop.names) == ["Mimi", "Rex", "Rex"]
    found = results_in(file.parent / "pets.result.csv")
    assert [each[1:] for each in found] == [(f"line {n}", "added") for n in (2, 3, 4)]
    assert {each[0] for each in found} == {"1", "2", "3"}

    file.write_text("Mimi,1\nTiny,7\nRex,3,sold\nRex,3,sold\n")  # the same in other words, and one
    call = calling(run_here, shop.base_url)
    again = call("import", str(file))
    assert again.returncode == 0
    assert "notice: 1 line added, 3 added by an earlier import;" in again.stderr
    assert sorted(shop.names) == ["Mimi", "Rex", "Rex", "Tiny"]
    assert call("import", str(file), "--again", "--quiet").stderr.startswith("warning: 4 dupl")
    assert len(shop.names) == 8


def test_nothing_is_sent_while_lines_are_bad_unless_they_are_skipped(
    run_here: Run, services: Services, home: Path
) -> None:
    file = home / "pets.csv"
    file.write_text("name,category\nRex,3\n" + "Mimi,\n" * 130)
    shop = open_shop(services)
    ended = calling(run_here, shop.base_url)("import", str(file))
    assert (ended.returncode, shop.server.seen) == (4, [])
    lines = ended.stderr.splitlines()
    assert lines[0] == "error: line 3: category: is missing"
    assert lines[99] == "error: line 102: category: is missing"
    assert lines[100] == "error: 30 lines more are bad"
    assert lines[101].startswith("error: nothing was sent; 1 line to add, 130 bad; ")
    found = results_in(home / "pets.result.csv")
    assert [each[2] for each in found] == ["not sent", *["bad"] * 130]

    skipped = calling(run_here, shop.base_url)("import", str(file), "--skip-bad")
    assert (skipped.returncode, shop.names) == (4, ["Rex"])
    assert f"error: 1 line added, 130 bad; correct bad lines and {AGAIN};" in skipped.stderr


def test_a_dry_run_counts_and_sends_nothing(run_here: Run, services: Services, file: Path) -> None:
    shop = open_shop(services)
    ended = calling(run_here, shop.base_url)("import", str(file), "--dry-run", "--skip-duplicates")
    assert (ended.returncode, shop.server.adds) == (0, 0)
    assert ended.stderr.splitlines()[-1] == (
        "notice: 2 lines to add, 1 left out as duplicate; nothing was sent"
    )
    assert [path.name for path in file.parent.glob("pets*")] == ["pets.csv"]


def test_a_refused_line_is_exit_code_4_and_sent_again_when_corrected(
    run_here: Run, services: Services, file: Path
) -> None:
    shop = open_shop(services, {"Mimi": REFUSE})
    call = calling(run_here, shop.base_url)
    refused = call("import", str(file), "--quiet")
    assert refused.returncode == 4
    assert refused.stderr.splitlines() == [
        DUPLICATE,
        "error: line 3: 400 invalid_value: No such category.",
        (
            f"error: 2 lines added, 1 refused; correct refused lines and {AGAIN}; the result is in "
            f"{file.parent / 'pets.result.csv'}"
        ),
    ]
    assert "400 invalid_value: No such category." in (file.parent / "pets.result.csv").read_text()
    file.write_text(file.read_text().replace("Mimi", "Mitzi"))
    assert call("import", str(file), "--quiet").returncode == 0
    assert sorted(shop.names) == ["Mitzi", "Rex", "Rex"]


def test_an_unknown_line_is_exit_code_3_and_sent_again_only_on_request(
    run_here: Run, services: Services, file: Path
) -> None:
    shop = open_shop(services, {"Mimi": drop()})
    unknown = calling(run_here, shop.base_url)("import", str(file), "--quiet")
    assert unknown.returncode == 3
    assert unknown.stderr.startswith(f"{DUPLICATE}\nerror: line 3: unknown: cannot ")
    assert "2 lines added, 1 unknown; unknown lines may have been added; --check" in unknown.stderr
    sent = shop.server.adds
    call = calling(run_here, shop.base_url)
    assert call("import", str(file), "--quiet").returncode == 3
    assert shop.server.adds == sent

    shop.instead.clear()
    checked = call("import", str(file), "--check")
    assert (checked.returncode, shop.server.adds) == (3, sent)
    assert "notice: 0 of 1 line found; " in checked.stderr
    assert call("import", str(file), "--retry-unknown").returncode == 0
    assert sorted(shop.names) == ["Mimi", "Rex", "Rex"]


def test_an_unknown_line_that_was_added_is_found(
    run_here: Run, services: Services, file: Path
) -> None:
    shop = open_shop(services, {"Mimi": drop()})
    call = calling(run_here, shop.base_url)
    call("import", str(file), "--quiet")
    shop.pets.append({"id": 77, "name": "Mimi", "categoryId": 1})
    checked = call("import", str(file), "--check")
    assert checked.returncode == 0
    assert "notice: 1 of 1 line found; " in checked.stderr
    assert ("77", "line 3", "added") in results_in(file.parent / "pets.result.csv")
    assert "3 added by an earlier import" in call("import", str(file)).stderr


def test_a_rejected_key_is_exit_code_1_and_the_result_has_earlier_lines(
    run_here: Run, services: Services, file: Path
) -> None:
    shop = open_shop(services, {"Mimi": http(403, INVALID.replace("400", "403"))})
    ended = calling(run_here, shop.base_url)("import", str(file), "--parallel", "1", "--quiet")
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"{DUPLICATE}\nerror: 403 invalid_value: No such category.\n")
    assert "error: a 403 stops an import: use an API key that may add animals, " in ended.stderr
    assert "error: 1 line added, 1 refused, 1 not sent; run it again to continue" in ended.stderr
    outcomes = [each[2] for each in results_in(file.parent / "pets.result.csv")]
    assert outcomes == ["added", "refused", "not sent"]


def test_standard_input_has_its_result_on_standard_output(environment: Mapping[str, str]) -> None:
    given = '{"name": "=Rex", "categoryId": "dogs"}\n{"name": "two\\nlines", "categoryId": 3}\n'
    ended = finished(
        [PROGRAM, "import", "--demo", "-", "--parallel", "1"], environment, input=given
    )
    assert ended.returncode == 0
    assert ended.stderr.splitlines()[-1] == "notice: 2 lines added"
    assert ended.stdout == (
        "id,name,categoryId,status,position,outcome,error,duplicateOf\n"
        "61,'=Rex,3,,line 1,added,,\n"
        '62,"two\nlines",3,,line 2,added,,\n'
    )


def test_a_lost_terminal_ends_an_import_as_ctrl_c_does(
    environment: Mapping[str, str], services: Services, file: Path
) -> None:
    came = asyncio.Event()
    shop = open_shop(services, {"Mimi": stall_from(came)})
    with subprocess.Popen(
        [PROGRAM, "import", str(file), "--parallel", "1", "--quiet"],
        env={**environment, "PETTUI_BASE_URL": shop.base_url, "PETTUI_API_KEY": KEY},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        services.wait_until(came)
        os.kill(process.pid, signal.SIGHUP)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGHUP
    assert "error: interrupted: 1 line added, 1 unknown, 1 not sent; run it again" in errors
    outcomes = [each[2] for each in results_in(file.parent / "pets.result.csv")]
    assert outcomes == ["added", "unknown", "not sent"]


def test_ctrl_c_reports_what_was_done_and_the_next_run_does_the_rest(
    environment: Mapping[str, str], run_here: Run, services: Services, file: Path
) -> None:
    came = asyncio.Event()
    shop = open_shop(services, {"Mimi": stall_from(came)})
    service = {**environment, "PETTUI_BASE_URL": shop.base_url, "PETTUI_API_KEY": KEY}
    call = calling(run_here, shop.base_url)
    with interruptible(service, "import", str(file), "--parallel", "1") as process:
        services.wait_until(came)
        second = call("import", str(file))
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert second.returncode == 2
    assert "another import" in second.stderr
    assert process.returncode == 130
    last = errors.splitlines()[-1]
    assert last.startswith("error: interrupted: 1 line added, 1 unknown, 1 not sent; run it again")
    outcomes = [each[2] for each in results_in(file.parent / "pets.result.csv")]
    assert outcomes == ["added", "unknown", "not sent"]
    shop.instead.clear()
    assert call("import", str(file), "--retry-unknown").returncode == 0
    assert sorted(shop.names) == ["Mimi", "Rex", "Rex"]


def test_standard_input_is_copied_to_a_private_file_that_is_gone_at_the_end(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    directory = tmp_path / "temporary"
    directory.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "import", "--demo", "-"],
        env={**environment, "TMPDIR": str(directory)}, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(b"Rex,3\n" * 100_000)  # more than a pipe holds: it was begun to read
        process.stdin.flush()
        descriptors = [*Path(f"/proc/{process.pid}/fd").iterdir()]
        kept = [each for each in descriptors if str(each.readlink()).startswith(str(directory))]
        assert [oct(each.stat().st_mode & 0o777) for each in kept] == ["0o600"]
        assert [*directory.iterdir()] == []
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=60) == 130


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
