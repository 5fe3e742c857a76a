"""``pettui import``, the installed program, with all kinds of services."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pettui.appearance.glyphs import GlyphSet
from pettui.cli.output import StandardError
from pettui.cli.progress import ImportProgressDisplay, progress_bar
from pettui.service.stores.samples import SAMPLE_COUNT, sample_pets
from pettui.service.stores.sqlite_files import open_database
from pettui.settings.settings import ApiKey, Profile, Settings, StoreKind
from pettui.transfer.import_run import ImportProgress
from tests.cli.commands.conftest import Asked, calling
from tests.cli.commands.shop_service import INVALID, NEXT, REFUSE, Shop, animal, page
from tests.cli.conftest import INTERRUPTIBLE, PROGRAM, Refused, Run, finished, interruptible
from tests.client.hostile.server import drop, http
from tests.clock import Clock
from tests.exhaustive import exhaustive
from tests.peers.terminal import Terminal
from tests.service.running_service import KEY
from tests.small_disks import as_root, mounted
from tests.transfer.workbooks import cell, head, row, xlsx
from tests.transfer.workbooks import number as numeral

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.peers.hostile_services import Services


AGAIN = "run it again; nothing is added twice"
DUPLICATE = (
    "warning: 1 duplicate is sent too, --skip-duplicates leaves it out: "
    "1 within the file, 0 among the 0 animals that the service lists"
)


@pytest.fixture
def file(home: Path) -> Path:
    """A file of three animals, two of them alike."""
    path = home / "pets.csv"
    path.write_text("name,category,status,legs\nRex,3,sold,4\nMimi,1,,4\nRex,3,sold,4\n")
    return path


@pytest.fixture
def run_import(call: Run, file: Path) -> Run:
    """Imports the file to the shop."""
    return lambda *options, **environment: call("import", str(file), *options, **environment)


@pytest.fixture
def config(configure: Callable[[str], Path], shop: Shop) -> Path:
    """A configuration file with the profile of the shop."""
    address = f'base_url = "{shop.base_url}"\napi_key_env = "SHOP"\n'
    return configure(f'profile = "shop"  # ours\n[profiles.shop]\n{address}')


@pytest.fixture
def configured(run_here: Run, config: Path) -> Run:
    """Runs the program with that file."""
    return lambda *words, **environment: run_here(
        *words, PETTUI_CONFIG=str(config), SHOP=KEY, **environment
    )


def results_in(home: Path) -> list[tuple[str, str, str]]:
    """Return id, position and outcome of each line of the file's result."""
    with (home / "pets.result.csv").open(newline="", encoding="utf-8") as file:
        return [(each["id"], each["position"], each["outcome"]) for each in csv.DictReader(file)]


def outcomes_in(home: Path) -> list[str]:
    return [outcome for _, _, outcome in results_in(home)]


def test_a_deprecation_is_a_notice_once(run_import: Run, shop: Shop, file: Path) -> None:
    headers = [("Deprecation", "@1764892800"), ("Sunset", "Fri, 01 Jan 2027 00:00:00 GMT")]
    shop.instead["Mimi"] = http(201, '{"id": 9, "name": "Mimi", "categoryId": 1}', headers)
    file.write_text("name,category\nMimi,1\n")
    assert run_import().stderr.count("notice: createPet is deprecated") == 1


@pytest.mark.parametrize("promises", [False, True])
def test_an_import_that_would_wait_for_an_hour_ends_with_3_and_goes_on_when_it_is_run_again(
    run_import: Run, shop: Shop, file: Path, *, promises: bool
) -> None:
    shop.store_id = "0" * 32 if promises else None
    file.write_text("name,category\nRex,3\nMimi,1\n")
    shop.instead["Mimi"] = http(429, "", [("Retry-After", "3600")])
    ended = run_import("--parallel", "1")
    assert ended.returncode == 3
    assert (
        "adds would wait 60 min or longer, though the service answers: 429 too many" in ended.stderr
    )
    assert "; run it again: it goes on here\n" in ended.stderr
    del shop.instead["Mimi"]
    assert run_import().returncode == 0
    assert shop.names == ["Rex", "Mimi"]


def test_each_line_is_added_once_however_often_it_is_imported(
    run_import: Run, shop: Shop, file: Path, home: Path
) -> None:
    first = run_import()
    assert (first.returncode, first.stdout) == (0, "")
    assert first.stderr.splitlines() == [
        "notice: columns that are ignored: legs",
        "notice: line 4 is a duplicate of line 2",
        DUPLICATE,
        f"notice: 3 lines added; the result is in {home / 'pets.result.csv'}",
    ]
    assert sorted(shop.names) == ["Mimi", "Rex", "Rex"]
    found = results_in(home)
    assert [each[1:] for each in found] == [(f"line {n}", "added") for n in (2, 3, 4)]
    assert {each[0] for each in found} == {"1", "2", "3"}

    file.write_text(
        "name,category,status\nMimi,1\nTiny,7\nRex,3,sold\nRex,3,sold\n"
    )  # the same in other words, and one
    again = run_import()
    assert again.returncode == 0
    assert "notice: 1 line added, 3 added by an earlier import;" in again.stderr
    assert sorted(shop.names) == ["Mimi", "Rex", "Rex", "Tiny"]
    assert "warning: 4 duplicates are sent too" in run_import("--again", "--quiet").stderr
    assert len(shop.names) == 8


def test_a_file_that_is_not_utf_8_is_read_once_its_encoding_is_said(
    run_import: Run, shop: Shop, file: Path
) -> None:
    file.write_bytes("name,category\nMańka,3\nŻółw,3\n".encode("cp1250"))
    ended = run_import()
    *shown, refusal = ended.stderr.splitlines()
    assert (ended.returncode, shop.server.seen) == (2, [])
    assert shown == [
        "notice: cp1252 Mañka, ¯ó³w", "notice: cp1250 Mańka, Żółw", "notice: cp1253 Maρka, ―σ³w",
        "notice: cp1251 Maсka, Їуіw", "notice: mac-roman MaÒka, ØÛ≥w",
    ]  # fmt: skip
    assert refusal.endswith(
        "neither UTF-8 nor UTF-16; choose with --encoding how its names are right"
    )
    assert run_import("--encoding", "cp1250").returncode == 0
    assert sorted(shop.names) == ["Mańka", "Żółw"]


@pytest.mark.parametrize("source", ["<(printf 'Rex,3\\n')", "/dev/stdin <<<Rex,3"])
def test_a_stream_is_imported_as_standard_input_is(
    in_shop: dict[str, str], shop: Shop, source: str
) -> None:
    ended = finished(["/bin/bash", "-c", f'"$0" import --no-header {source}', PROGRAM], in_shop)
    assert (ended.returncode, shop.names) == (0, ["Rex"]), ended.stderr
    assert ended.stdout.startswith("id,name,categoryId")  # there is no file that it could be beside


def test_a_file_is_imported_by_its_address_or_as_it_was_dragged(
    run_here: Run, home: Path, shop: Shop
) -> None:
    (home / "my pets.csv").write_text("name,category\nNobody has this name,3\n")
    for path in (f"file://{home}/my%20pets.csv", f"'{home}/my pets.csv'"):
        assert run_here("import", "--demo", path).returncode == 0
    assert (home / "my pets.result.csv").exists()


def test_rows_of_the_list_that_cannot_be_read_hold_an_import(
    services: Services, run_here: Run, file: Path
) -> None:
    file.write_text("name,category\nRex,3\n")
    strange = http(200, '[{"id": "7", "name": "Rex", "categoryId": 3}]')
    added = http(201, '{"id": 8, "name": "Rex", "categoryId": 3}')
    server = services.open(strange, strange, strange, strange, added)
    call = calling(run_here, server.base_url)
    for options in ((), ("--dry-run",)):
        ended = call("import", str(file), *options)
        assert ended.returncode == 5
        said = "error: 1 row of the list could not be read: a duplicate may be among them"
        assert said in ended.stderr.splitlines()
    assert not any(each.method == "POST" for each in server.seen)
    ended = call("import", str(file), "--skip-unreadable")
    assert (ended.returncode, server.seen[-1].method) == (0, "POST")


def test_nothing_is_sent_unless_the_whole_list_could_be_read(asked: Asked, file: Path) -> None:
    ended = asked(page(animal(7), then=NEXT), REFUSE)("import", str(file), "--skip-duplicates")
    assert ended.returncode == 1
    first, second = ended.stderr.splitlines()[-2:]
    assert first == "error: nothing was sent: the list could not be read"
    assert second.startswith("error: 400 invalid_value")


def test_a_sheet_is_imported_by_its_name_from_a_file_or_a_pipe(
    call: Run, shop: Shop, home: Path, environment: Mapping[str, str]
) -> None:
    rows = row(cell("Rex"), numeral("3.0")) + row(cell("Tiny"), cell("x"))
    book = xlsx(row(cell("see Stock")), others={"Stock": f"{head()}{rows}"})
    path = home / "stock.xlsx"
    path.write_bytes(book)
    ended = call("import", str(path), "--sheet", "stock", "--skip-bad")
    assert ended.returncode == 4
    assert "notice: the sheet Stock is read, and not Animals\n" in ended.stderr
    assert 'error: line 3: category "x" is not a number' in ended.stderr
    assert shop.names == ["Rex"]
    assert (home / "stock.xlsx-result.csv").exists()
    asked = call("import", str(path), "--sheet", "Sold")
    assert (asked.returncode, "it has no sheet Sold, but Animals, Stock" in asked.stderr) == (
        2,
        True,
    )
    words = [str(PROGRAM), "import", "--dry-run", "-"]
    piped = subprocess.run(
        words, input=xlsx(head(), rows), capture_output=True, check=False, env=environment
    )
    assert b"error: 1 line to add, 1 bad; nothing was sent" in piped.stderr


@pytest.fixture
def own_store(home: Path) -> Path:
    """A store of one's own, as plain pettui makes it."""
    path = home / ".local/share/pettui/store.sqlite3"
    open_database(path, sample_pets(), only_new=True).close()
    return path


def names_in(run_here: Run) -> list[str]:
    return sorted(run_here("list", "--fields", "name").stdout.splitlines()[1:])


@pytest.mark.usefixtures("own_store")
def test_an_import_into_samples_sends_nothing_until_it_is_said_what_becomes_of_them(
    run_here: Run, file: Path
) -> None:
    ended = run_here("import", str(file))
    assert ended.returncode == 2
    assert ended.stderr.endswith(
        "pettui: import: the store has nothing but 60 samples; --begin-empty takes them out first, "
        "--keep-samples adds to them; nothing was sent\n"
    )
    assert len(names_in(run_here)) == SAMPLE_COUNT
    assert "--begin-empty takes them out first" in run_here("import", str(file), "--dry-run").stderr

    kept = run_here("import", str(file), "--keep-samples", "--send-duplicates", "--send-changed")
    assert (kept.returncode, len(names_in(run_here))) == (0, SAMPLE_COUNT + 3)
    assert run_here("import", str(file)).returncode == 0  # there is more than samples now


@pytest.mark.usefixtures("own_store")
def test_an_import_that_begins_empty_has_its_animals_alone_however_often_it_is_run(
    run_here: Run, file: Path
) -> None:
    ended = run_here("import", str(file), "--begin-empty")
    assert ended.returncode == 0
    assert "notice: 60 samples taken out\n" in ended.stderr
    assert names_in(run_here) == ["Mimi", "Rex", "Rex"]
    again = run_here("import", str(file), "--begin-empty")
    assert "3 added by an earlier import" in again.stderr
    assert names_in(run_here) == ["Mimi", "Rex", "Rex"]


@pytest.mark.parametrize(
    ("answer", "count"), [("y", 3), ("n", SAMPLE_COUNT + 3), ("\x03", SAMPLE_COUNT)]
)
@pytest.mark.usefixtures("own_store")
def test_on_a_terminal_an_import_asks_whether_the_store_is_emptied_first(
    run_here: Run, environment: Mapping[str, str], file: Path, answer: str, count: int
) -> None:
    words = [str(PROGRAM), "import", str(file), "--send-duplicates", "--send-changed"]
    with closing(Terminal(words, environment, size=(20, 100))) as terminal:
        terminal.wait_for("nothing but 60 samples; empty the store first? y or n:")
        terminal.press("perhaps", "\r")
        terminal.wait_until(lambda: terminal.text.count("y or n:") == 2, "asked again")
        terminal.press(answer, *([] if answer == "\x03" else ["\r"]))
        assert terminal.wait_for_end() == (130 if answer == "\x03" else 0)
    assert len(names_in(run_here)) == count


def test_an_unknown_line_that_was_added_is_not_sent_again_unseen(
    run_import: Run, shop: Shop, file: Path
) -> None:
    file.write_text("name,category\nMimi,1\n")
    shop.instead["Mimi"] = drop()
    run_import()
    shop.instead.clear()
    shop.pets.append({"id": 77, "name": "Mimi", "categoryId": 1})
    held = run_import("--retry-unknown")
    assert (held.returncode, shop.names) == (4, ["Mimi"])
    assert "--send-duplicates sends it too" in held.stderr


@pytest.mark.parametrize(
    ("content", "code"), [("", 2), ("name,category\n", 0), ("[]", 0), ("\n", 0)]
)
@pytest.mark.parametrize("stream", [True, False], ids=["standard input", "a file"])
def test_an_input_of_no_bytes_is_a_mistake_and_one_of_no_animals_is_0_lines(
    call: Run, file: Path, monkeypatch: pytest.MonkeyPatch, content: str, *, code: int, stream: bool
) -> None:
    file = file.with_suffix("")
    file.write_text(content)
    with file.open() as opened:
        monkeypatch.setattr(sys, "stdin", opened)
        ended = call("import", "-" if stream else str(file), "--result", "result.csv")
    assert ended.returncode == code
    assert ("it is empty" if code else "0 lines added") in ended.stderr


def test_a_refused_line_is_exit_code_4_and_sent_again_when_corrected(
    run_import: Run, shop: Shop, file: Path, home: Path
) -> None:
    shop.instead["Mimi"] = REFUSE
    result = f"the result is in {home / 'pets.result.csv'}"
    refused = run_import("--quiet")
    assert refused.returncode == 4
    assert refused.stderr.splitlines() == [
        DUPLICATE,
        "error: line 3: refused: 400 invalid_value: No such category.",
        f"error: 2 lines added, 1 refused; correct refused lines and {AGAIN}; {result}",
    ]
    assert "400 invalid_value: No such category." in (home / "pets.result.csv").read_text()
    file.write_text(file.read_text().replace("Mimi", "Mitzi"))
    assert run_import("--quiet").returncode == 0
    assert sorted(shop.names) == ["Mitzi", "Rex", "Rex"]


def test_an_unknown_line_is_exit_code_3_and_sent_again_only_on_request(
    run_import: Run, shop: Shop
) -> None:
    shop.instead["Mimi"] = drop()
    unknown = run_import("--quiet")
    assert unknown.returncode == 3
    assert unknown.stderr.startswith(f"{DUPLICATE}\nerror: line 3: unknown: cannot ")
    assert "2 lines added, 1 unknown; unknown lines may have been added; --check" in unknown.stderr
    sent = shop.server.adds
    assert run_import("--quiet").returncode == 3
    assert shop.server.adds == sent

    shop.instead.clear()
    checked = run_import("--check")
    assert (checked.returncode, shop.server.adds) == (3, sent)
    assert "notice: line 3 could be no listed animal\n" in checked.stderr
    assert "notice: the list was read to its end: 2 animals on 1 page\n" in checked.stderr
    assert run_import("--retry-unknown").returncode == 0
    assert sorted(shop.names) == ["Mimi", "Rex", "Rex"]


def test_what_an_unknown_line_could_be_is_listed_and_nothing_is_changed(
    run_import: Run, shop: Shop, home: Path
) -> None:
    shop.instead["Mimi"] = drop()
    run_import("--quiet")
    sent = shop.server.adds
    for number, status in ((77, "sold"), (78, None), (1, None)):  # of which another line became 1
        shop.pets.append({"id": number, "name": "mimi ", "categoryId": 1, "status": status})
    for _ in range(2):
        checked = run_import("--check")
        assert (checked.returncode, shop.server.adds) == (3, sent)
        assert "line 3 could be id 78 not set, id 77 sold\n" in checked.stderr
        assert "left out: 1 animal that imports added\n" in checked.stderr
    lines = (home / "pets.result.csv").read_text().splitlines()
    assert lines[0].endswith(",error,duplicateOf,candidates")
    assert next(each for each in lines if ",line 3," in each).endswith(
        '"id 78 not set, id 77 sold"'
    )
    assert run_import("--check", "--result", "result.jsonl").returncode == 3
    results = map(json.loads, (home / "result.jsonl").read_text().splitlines())
    found = [each["candidates"] for each in results if "candidates" in each]
    assert [[pet["id"] for pet in pets] for pets in found] == [[78, 77]]


def test_a_rejected_key_is_exit_code_1_and_the_result_has_earlier_lines(
    run_import: Run, shop: Shop, home: Path
) -> None:
    shop.instead["Mimi"] = http(403, INVALID.replace("400", "403"))
    ended = run_import("--parallel", "1", "--quiet")
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"{DUPLICATE}\nerror: 403 invalid_value: No such category.\n")
    assert "error: a 403 stops an import: use an API key that may add animals, " in ended.stderr
    assert "error: 1 line added, 1 refused, 1 not sent; run it again to continue" in ended.stderr
    assert outcomes_in(home) == ["added", "refused", "not sent"]


ENDS = {signal.SIGINT: 130, signal.SIGHUP: -signal.SIGHUP}


@pytest.mark.parametrize("number", ENDS)
def test_ctrl_c_or_a_lost_terminal_reports_what_was_done_and_the_next_run_does_the_rest(
    in_shop: dict[str, str], run_import: Run, shop: Shop, file: Path, number: int
) -> None:
    wait_until_asked = shop.stall("Mimi")
    with interruptible(in_shop, "import", str(file), "--parallel", "1") as process:
        wait_until_asked()
        second = run_import()
        os.kill(process.pid, number)
        _, errors = process.communicate(timeout=60)
    assert second.returncode == 2
    assert "another import" in second.stderr
    assert process.returncode == ENDS[number]
    last = errors.splitlines()[-1]
    assert last.startswith("error: interrupted: 1 line added, 1 unknown, 1 not sent; run it again")
    assert outcomes_in(file.parent) == ["added", "unknown", "not sent"]
    shop.instead.clear()
    assert run_import("--retry-unknown").returncode == 0
    assert sorted(shop.names) == ["Mimi", "Rex", "Rex"]


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
    "pets.csv": b"name,category\nRex,3\n",
    "binary.csv": bytes(range(256)) * 10,
    "large.csv": b"name,category\n" + (b"x" * 4_000_000 + b",3\n") * 13,
    "long.csv": b"name,category\n" + b"Rex,3\n" * 200_001,
    "mine.txt": b"mine\n",
}
SAID = {
    "nowhere.csv": "FILE: cannot read {home}/nowhere.csv: no such file or directory",
    "directory": "FILE: cannot read {home}/directory: it is a directory",
    "fifo": "FILE: cannot read {home}/fifo: it is not a regular file",
    "binary.csv": "FILE: cannot read {home}/binary.csv: it is not text",
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
    "pets.csv --check --retry-unknown": "--check: not allowed with --retry-unknown",
    "": "FILE: is missing; see pettui import --help",
}
LONG = {"long.csv"}  # takes seconds


@pytest.mark.parametrize("line", [*(each for each in SAID if each not in LONG), *exhaustive(*LONG)])
def test_a_file_that_cannot_be_imported_is_one_line(
    refused: Refused, home: Path, line: str
) -> None:
    for name in {*line.split()} & {*CONTENTS}:
        (home / name).write_bytes(CONTENTS[name])
    (home / "directory").mkdir()
    os.mkfifo(home / "fifo")
    before = {*home.iterdir()}
    assert refused("import", "--demo", *line.split()) == SAID[line].format(home=home)
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
def test_a_full_disk_for_the_result_still_reports_what_was_added(
    run_import: Run, shop: Shop, file: Path
) -> None:
    file.write_text("name,category\n" + "".join(f"{'x' * 200}{n},3\n" for n in range(40)))
    with mounted("size=4k") as disk:
        path = disk / "result.csv"
        ended = run_import("--quiet", "--result", str(path))
        assert [*disk.iterdir()] == []
    assert (ended.returncode, len(shop.pets)) == (2, 40)
    said = f"error: cannot write {path}: the disk is full\nerror: 40 lines added\n"
    assert ended.stderr == said


STYLE = re.compile(r"\x1b\[[0-9]*m")
HALF = ImportProgress(
    total=10_000,
    added=4_900,
    refused=70,
    unknown=5,
    earlier=25,
    remaining=5_000,
    rate=812.3,
    seconds_left=64.9,
)
ALL = "5,000 of 10,000 · 5 unknown · 70 refused · 1 min 4 s left"
WAITING = replace(HALF, waiting="cannot connect to h:1:\x1b[31m 接続拒否", tries_in=8.0)


def bar(
    progress: ImportProgress, width: int, glyphs: GlyphSet | None = None, colours: bool = False
) -> str:
    return progress_bar(progress, width, glyphs or GlyphSet(), has_colours=colours)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (120, f"[{'█' * 19}{'░' * 19}] {ALL}"),
        (57, ALL),
        (42, "5,000 of 10,000 · 5 unknown · 70 refused"),
        (20, "5,000 of 10,000"),
        (10, "5,000 of…"),
    ],
)
def test_a_narrow_terminal_shows_the_most_important_details(width: int, shown: str) -> None:
    assert bar(HALF, width) == shown


@pytest.mark.parametrize("is_quiet", [False, True])
def test_without_a_terminal_there_is_a_line_every_ten_seconds(
    capsys: pytest.CaptureFixture[str], is_quiet: bool
) -> None:
    clock = Clock()
    profile = Profile("shop", StoreKind.SERVICE, "http://h/v1", ApiKey("k"), "SHOP", "red")
    stderr = StandardError(is_quiet=is_quiet, kind="xterm")
    display = ImportProgressDisplay(stderr, Settings(profile), clock)
    for second in range(25):
        clock.now = float(second)
        display.show(HALF)
    line = "notice: 5,000 of 10,000, 5 unknown, 70 refused, 1 min 4 s left\n"
    assert capsys.readouterr().err == ("" if is_quiet else line * 2)


# ── files of other programs ──────────────────────────────────────────────────────────────────────

SHELTER = (
    "In care on 1 November;;\nAnimal Name;Species;Intake Status\n"
    "Rex;Dog;Stray\nMimi;Cat;Died\nTim;dog;available\n"
)
SAID_OF_IT = (
    *("--header-line", "2", "--column", "name=Animal Name", "--column", "category=Species"),
    *("--column", "status=Intake Status", "--category-of", "Dog=3", "--category-of", "Cat=1"),
    *("--status-of", "Died=skip", "--status-of", "*=pending"),
)


PETS = "name,category,status,legs\nRex,3,sold,4\nMimi,1,,4\nRex,3,sold,4\n"
DOGS = "name,category\n" + "Rex,Dog\n" * 3 + "Mimi,Cat\n"
NO_DOG = 'category "Dog" is not a number or a name that the profile has'
# What is imported with which options, the exit code, what is said, and which animals are added.
IMPORTS: dict[str, tuple[str, tuple[str, ...], int, tuple[str, ...], str]] = {
    "nothing is sent while lines are bad": (
        "name,category\nRex,3\n" + "Mimi,\n" * 130, (), 4,
        ("error: 130 lines: category is missing (lines 3, 4, 5, …)\n",
         "error: 130 bad lines, so nothing is sent: correct the file, or --skip-bad leaves them out",
         "error: nothing was sent; 1 line to add, 130 bad; "), "",
    ),
    "bad lines are skipped": (
        "name,category\nRex,3\nMimi,\n", ("--skip-bad",), 4,
        (f"error: 1 line added, 1 bad; correct bad lines and {AGAIN};",), "Rex",
    ),
    "a dry run sends nothing": (
        PETS, ("--dry-run", "--skip-duplicates"), 0,
        ("notice: 2 lines to add, 1 left out as duplicate; nothing was sent\n",), "",
    ),
    "only a store of one's own can begin empty": (
        PETS, ("--begin-empty",), 2, ("--begin-empty: is for a store of your own",), "",
    ),
    "a category that is not known is listed once": (
        DOGS, (), 4,
        (f"error: 3 lines: {NO_DOG} (lines 2, 3, 4)\nerror: line 5: category \"Cat\" is not a numb",
         "notice: --category-of Dog=NUMBER says what one means, skip leaves its lines out\n"), "",
    ),
    "what no column is stands in the guess, to be said": (
        "Colour;Sex\nbrown;m\n", (), 2, ("--category '?' --column 'name=?'\n",), "",
    ),
    "a category that has a number is added": (
        DOGS, ("--category-of", "Dog=3", "--category-of", "Cat=1"), 0, (), "Mimi Rex Rex Rex",
    ),
    "what a mapping makes of a file is shown before it is sent": (
        SHELTER, (*SAID_OF_IT, "--dry-run"), 0,
        ("notice: 2 animals: category 3 1 pending and 1 available\n",
         'notice: left out: 1 line with status "Died"\n'), "",
    ),
    "what a mapping makes of a file is sent": (SHELTER, SAID_OF_IT, 0, (), "Rex Tim"),
}  # fmt: skip


@pytest.mark.parametrize("case", IMPORTS.values(), ids=IMPORTS)
def test_an_import(run_import: Run, shop: Shop, file: Path, case: tuple[Any, ...]) -> None:
    content, options, code, said, names = case
    file.write_text(content)
    ended = run_import(*options)
    assert ended.returncode == code, ended.stderr
    for each in said:
        assert each in ended.stderr
    assert " ".join(sorted(shop.names)) == names


def test_a_file_of_another_program_is_shown_with_a_guess_as_options_and_not_read(
    run_import: Run, shop: Shop, file: Path, home: Path
) -> None:
    file.write_text(SHELTER)
    for options in ((), ("--dry-run",), ("--skip-bad",)):
        ended = run_import(*options)
        assert (ended.returncode, ended.stdout, shop.server.seen) == (2, "", [])
        *shown, refusal = ended.stderr.splitlines()
        assert shown == [
            "notice: above the header: In care on 1 November",
            "notice: column 1 Animal Name: Rex, Mimi, Tim",
            "notice: column 2 Species: Dog, Cat",
            "notice: column 3 Intake Status: Stray, Died, available",
            'notice: unknown in category: "Dog" 2, "Cat" 1',
            'notice: unknown in status: "Stray" 1, "Died" 1',
            (
                "notice: a guess, with something for each ?: --header-line 2 --column 'name=Animal Name' "
                "--column category=Species --column 'status=Intake Status' --category-of 'Dog=?' "
                "--category-of 'Cat=?' --status-of 'Stray=?' --status-of 'Died=?'"
            ),
        ]
        assert refusal.startswith(f"pettui: FILE: cannot read {file}: line 1 is no header that pet")
        assert "In care on 1 November; nothing is read by position: say what" in refusal
    assert [*home.glob("pets*")] == [file]


def test_what_is_said_is_kept_by_name_and_said_again_by_it(
    configured: Run, shop: Shop, file: Path, config: Path
) -> None:
    file.write_text(SHELTER)
    before = config.read_text()
    kept = configured("import", str(file), *SAID_OF_IT, "--save-mapping", "shelter", "--dry-run")
    assert kept.returncode == 0
    assert f"notice: --mapping shelter says this again; it is in {config}" in kept.stderr
    assert config.read_text().startswith(before)
    mapping = tomllib.loads(config.read_text())["mappings"]["shelter"]
    assert mapping == {
        "header_line": 2,
        "column": ["name=Animal Name", "category=Species", "status=Intake Status"],
        "category_of": ["Dog=3", "Cat=1"],
        "status_of": ["Died=skip", "*=pending"],
        "header": ["Animal Name", "Species", "Intake Status"],
    }
    again = configured("import", str(file), "--mapping", "shelter", "--status-of", "died=sold")
    assert again.returncode == 0
    assert sorted(shop.names) == ["Mimi", "Rex", "Tim"]
    replaced = configured("import", str(file), *SAID_OF_IT, "--save-mapping", "shelter", "-q")
    assert (replaced.returncode, config.read_text().count("[mappings.shelter]")) == (0, 1)


def test_a_kept_mapping_that_goes_by_numbers_is_for_files_with_the_same_columns(
    configured: Run, shop: Shop, file: Path
) -> None:
    file.write_text("Pet,Kind\nRex,3\n")
    said = ("--column", "name=1", "--column", "category=2", "--save-mapping", "shelter")
    assert configured("import", str(file), *said).returncode == 0
    file.write_text("Kind,Age,Pet\n3,9,Mimi\n")
    ended = configured("import", str(file), "--mapping", "shelter")
    assert (ended.returncode, shop.names) == (2, ["Rex"])
    assert "goes by numbers of columns, and this file has other ones" in ended.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--column", "name"), "--column 'name': needs a = in it"),
        (("--column", "name=Nmae", "--category", "3"), "--column 'Nmae': is no column of the file"),
        (("--status-of", "Stray=gone"), "--status-of 'gone': must be available, pending, sold, un"),
        (("--category", "Dgos"), '--category: "Dgos" is not a number or one of Dogs'),
        (("--no-header", "--header-line", "2"), "--header-line: not allowed with argument --no-he"),
        (("--header-line", "0"), "--header-line '0': must be a whole number from 1 to 200000"),
        (("--mapping", "sheltr"), "--mapping 'sheltr': unknown mapping; did you mean shelter?"),
        (("--mapping", "wrong"), "--mapping 'wrong': --status-of \"gone\": must be available, pend"),
        (("--encoding", "nonsense"), "--encoding 'nonsense': must be one such as utf-8, cp1252"),
        (("--encoding", "rot13"), "--encoding 'rot13': must be one such as utf-8, cp1252"),
        (("--delimiter", ":"), "--delimiter ':': must be a comma, a semicolon, |, or tab"),
        (("--save-mapping", "a b"), "--save-mapping 'a b': must be at most 40 letters, digits"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_of_a_file_is_one_line(
    configured: Run, file: Path, config: Path, words: tuple[str, ...], said: str
) -> None:
    config.write_text(config.read_text() + KEPT)
    ended = configured("import", str(file), *words)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr
    assert ended.stderr.removeprefix("pettui: ").startswith(said)


KEPT = """
[profiles.shop.categories]
3 = "Dogs"
[mappings.shelter]
column = ["name=Pet"]
[mappings.wrong]
status_of = ["a=gone"]
"""
