"""``pettui list``: what it prints, also in real pipes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import pytest

from pettui.service.stores.samples import SAMPLE_COUNT
from pettui.settings.settings import LIMIT_DEFAULT
from tests.cli.commands.conftest import Asked, at, calling, json_lines
from tests.cli.commands.shop_service import ELSEWHERE, NEXT, Shop, animal, page
from tests.cli.conftest import PROGRAM, Run, finished, interruptible
from tests.client.hostile.server import Step, http, stall
from tests.peers.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tests.peers.hostile_services import Services

AWKWARD = {
    "a tab\tand a \\ and\na break": r"a tab\tand a \\ and\na break",
    "=SUM(A1)": "=SUM(A1)",
    "'=SUM(A1)": "'=SUM(A1)",
    'quotes ", and commas': 'quotes ", and commas',
    "\x1b[31mred\x1b]0;title\x07": r"\u001b[31mred\u001b]0;title\u0007",
    "": "",
    "Ægir 🐹 \u202eevil": r"Ægir 🐹 \u202eevil",
    r"no \t tab": r"no \\t tab",
    '"Bo", the old one': r'\"Bo", the old one',
    "carriage\rreturn": r"carriage\u000dreturn",
}
NOBODY = "http://127.0.0.1:9/v1"
HARD_TO_READ = ("'=1", '"tall" one', '"', "'", "\\t", "a\r\nb", " blanks ", "3", "name", "[", "{}")


def named(*names: str, then: str = "") -> Step:
    """A page of animals with these names, numbered from 0."""
    return page(*(animal(number, name) for number, name in enumerate(names)), then=then)


def test_a_column_of_the_screen_is_no_field_in_a_pipe(environment: Mapping[str, str]) -> None:
    program = (
        "import sys; from pettui.rows import columns\n"
        "columns.COLUMNS = (*columns.COLUMNS, columns.field_column('age'))\n"
        "from pettui.cli import main; sys.exit(main(['list', '--demo', '--limit=1']))"
    )
    ended = finished([sys.executable, "-c", program], environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [len(line.split("\t")) for line in ended.stdout.splitlines()] == [4, 4]


PARTS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "--find=rex": lambda pets: [pet for pet in pets if "Rex" in pet["name"]],
    "--find=-rex st:sold id>50": lambda pets: [pet for pet in pets if pet["name"] == "小梅"],
    "--sort=id": lambda pets: sorted(pets, key=itemgetter("id")),
    "--sort=category --reverse": lambda pets: sorted(
        pets, key=itemgetter("categoryId"), reverse=True
    ),
    "--status=sold": lambda pets: [pet for pet in pets if pet.get("status") == "sold"],
}


@pytest.mark.parametrize("options", PARTS)
def test_what_is_found_and_sorted_is_of_all_pages(run_here: Run, options: str) -> None:
    everything = json_lines(run_here("list", "--demo", "--json").stdout)
    words = re.split(" (?=--)", options)
    found = run_here("list", "--demo", "--json", *words)
    expected = PARTS[options](everything)
    assert json_lines(found.stdout) == expected
    assert any(pet["id"] <= SAMPLE_COUNT - LIMIT_DEFAULT for pet in expected) or len(expected) == 1
    assert found.stderr == ""
    assert run_here("export", "--demo", "-", "--format=jsonl", *words).stdout == found.stdout


def linked(count: int, *, first: int = 10_000) -> list[Step]:
    """Pages of 100 animals, each linked to the next; the last page is empty."""
    starts = range(first, first - 100 * count, -100)
    pages = (
        page(*(animal(start - n) for n in range(100)), then=f"/v1/pets?page={start}")
        for start in starts
    )
    return [*pages, page()]


@pytest.mark.parametrize(
    ("options", "ids", "requests"),
    [
        (["--limit=3"], [10_000, 9_999, 9_998], ["/v1/pets?limit=3"]),
        (["--limit=101"], [*range(10_000, 9_899, -1)], ["/v1/pets?limit=100", "/v1/pets?page=10000"]),
        (["--limit=2", "--find=id<9950"], [9_949, 9_948], ["/v1/pets?limit=100"]),
        (["--limit=1", "--page-size=7"], [10_000], ["/v1/pets?limit=7"]),
        (
            ["--sort=id", "--limit=2"], [9_101, 9_102],
            ["/v1/pets?limit=100", *(f"/v1/pets?page={n}" for n in range(10_000, 9_100, -100))],
        ),
    ],
)  # fmt: skip
def test_a_limit_is_the_most_that_are_printed_and_no_more_pages_are_read(
    run_here: Run, services: Services, options: list[str], ids: list[int], requests: list[str]
) -> None:
    server = services.open(*linked(9))
    ended = calling(run_here, server.base_url)("list", "--json", *options)
    assert [pet["id"] for pet in json_lines(ended.stdout)] == ids
    assert (ended.returncode, server.targets) == (0, requests)


def test_a_service_that_links_no_page_after_a_full_one_is_warned_of(asked: Asked) -> None:
    call = asked(named(*"abc"))
    said = "warning: the service links to no further page; there may be more than these 3\n"
    assert call("list", "--page-size=3", "--quiet").stderr == said
    assert call("list", "--page-size=4").stderr == ""
    assert call("list", "--limit=3").stderr == ""


@pytest.mark.parametrize("rel", ["", "first"])
def test_a_service_may_list_fewer_than_it_is_asked_for_unless_it_links_pages(
    asked: Asked, rel: str
) -> None:
    body = json.dumps([animal(number) for number in range(50)])
    links = [("Link", f'</v1/pets>; rel="{rel}"')] if rel else []
    said = asked(http(200, body, links))("list").stderr
    assert ("there may be more than these 50" in said) == (rel != "first")


@pytest.mark.parametrize("options", [(), ("--find=id>9999",)])
def test_a_reader_that_has_enough_ends_the_list(
    environment: dict[str, str], services: Services, options: tuple[str, ...]
) -> None:
    server = services.open(*linked(90))
    with subprocess.Popen(
        [PROGRAM, "list", *options], env=environment | at(server.base_url), stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"id\t")
        process.stdout.close()
        assert process.wait(timeout=60) == 0
    assert len(server.seen) < 90


@pytest.mark.parametrize(
    ("option", "end", "fields"), [("--quiet", "\n", AWKWARD.values()), ("--null", "\0", AWKWARD)]
)
def test_a_field_is_one_field_whatever_it_contains_and_raw_before_nul(
    asked: Asked, option: str, end: str, fields: Iterable[str]
) -> None:
    _, *records = asked(named(*AWKWARD))("list", option).stdout.split(end)
    assert records == [*(f"{number}\t{field}\t3\t" for number, field in enumerate(fields)), ""]


@pytest.mark.parametrize("options", [[], ["--csv"], ["--json"]], ids=["fields", "csv", "json"])
def test_what_a_list_prints_is_imported_exactly(
    environment: dict[str, str], services: Services, shop: Shop, options: list[str]
) -> None:
    names = [name for name in (*AWKWARD, *HARD_TO_READ) if name]  # the shop takes no empty one
    listed = environment | at(services.open(named(*names)).base_url)
    with subprocess.Popen(
        [PROGRAM, "list", *options], env=listed, stdout=subprocess.PIPE
    ) as process:
        words = [PROGRAM, "import", "-", "--parallel=1", "--quiet"]
        ended = finished(words, environment | at(shop.base_url), stdin=process.stdout)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert sorted(shop.names) == sorted(name.strip() for name in names)  # no blanks at the ends


def test_a_printed_csv_is_what_an_export_writes(asked: Asked) -> None:
    call = asked(named(*AWKWARD, *HARD_TO_READ))
    assert call("list", "--csv").stdout == call("export", "-").stdout


def test_json_has_each_number_to_the_last_digit(asked: Asked) -> None:
    bodies = (
        '{ "id":1,"name":"A\\u00e9/\\/", "categoryId":3,"price":1.10,"big":1e400 }',
        '{"categoryId":-9223372036854775808,"name":"\t","id":9223372036854775807,"status":null}',
    )
    call = asked(http(200, f"[{', '.join(bodies)}]"))
    ended = call("list", "--json")
    assert ended.stdout.splitlines() == [bodies[0], bodies[1].replace("\t", "\\t")]


def test_without_animals_there_is_a_header_and_no_json(asked: Asked) -> None:
    call = asked(page())
    assert call("list").stdout == "id\tname\tcategoryId\tstatus\n"
    assert call("list", "--csv").stdout == "id,name,categoryId,status\n"
    assert call("list", "--json").stdout == ""


def test_an_element_that_is_not_an_animal_is_left_out_with_a_warning(asked: Asked) -> None:
    call = asked(http(200, '[{"id": "x"}, {"id":1,"name":"A","categoryId":2}]'))
    ended = call("list", "--json", "--quiet")
    assert [pet["id"] for pet in json_lines(ended.stdout)] == [1]
    assert ended.stderr.startswith("warning: row 1 is not an animal and is left out: ")
    assert ended.stderr.endswith("error: the list is incomplete: 1 row is not an animal\n")
    assert ended.returncode == 1


TEXT_ID = "id: must be a whole number, and is text"
ADDS_GO = "adds are sent all the same, and are unknown if they are answered like that"
TEXT_IDS = '[{"id": "1", "name": "A", "categoryId": 2}, {"id": "2", "name": "B", "categoryId": 2}]'


def test_ids_that_are_text_are_said_once(asked: Asked) -> None:
    more = [("Link", f'<{NEXT}>; rel="next"')]
    ended = asked(http(200, TEXT_IDS, more), http(200, TEXT_IDS))("list", "--json")
    assert ended.stderr.splitlines() == [
        f"warning: none of 2 rows is an animal ({TEXT_ID}); {ADDS_GO}",
        "error: the list is incomplete: 4 rows are not animals",
    ]
    assert (ended.returncode, ended.stdout) == (1, "")


def test_a_limit_that_is_ignored_is_said_once(asked: Asked) -> None:
    first = page(*map(animal, (9, 8, 7)), then=NEXT)
    ended = asked(first, page(*map(animal, (6, 5, 4))))("list", "--page-size=2", "--json")
    said = "warning: the service sent 3 animals instead of at most 2, and all are used\n"
    assert (ended.returncode, ended.stderr) == (0, said)
    assert [pet["id"] for pet in json_lines(ended.stdout)] == [9, 8, 7, 6, 5, 4]


def test_a_list_that_links_to_another_origin_is_incomplete(asked: Asked) -> None:
    call = asked(named("A", then=ELSEWHERE))
    assert call("list", "--limit=1").returncode == 0
    ended = call("list")
    assert ended.returncode == 3
    assert "error: the list is incomplete" in ended.stderr
    assert ended.stdout.endswith("0\tA\t3\t\n")


def test_a_slow_reader_gets_everything_through_a_nonblocking_pipe(
    environment: Mapping[str, str], services: Services
) -> None:
    base_url = services.open(named("x" * 300_000)).base_url
    read, write = os.pipe()
    os.set_blocking(write, False)
    with subprocess.Popen(
        [PROGRAM, "list", "--json"], env={**environment, **at(base_url)}, stdout=write
    ) as process:
        os.close(write)
        with os.fdopen(read, "rb") as file:
            content = file.read()
        assert process.wait(timeout=60) == 0
    assert json.loads(content)["name"] == "x" * 300_000


@pytest.mark.parametrize("command", [["list", "--json"], ["export", "-", "--format=jsonl"]])
def test_several_statuses_are_read_from_all_pages(asked: Asked, command: list[str]) -> None:
    """The service can be asked for one status alone."""
    states = ("sold", "pending", "available", None)
    pets = [animal(number, status=states[number % 4]) for number in range(8)]
    call = asked(page(*pets[:4], then=NEXT), page(*pets[4:]))
    ended = call(*command, "--status", "sold", "-s", "pending", "-s", "sold")
    found = [(pet["id"], pet["status"]) for pet in json_lines(ended.stdout)]
    assert found == [(0, "sold"), (1, "pending"), (4, "sold"), (5, "pending")]


CHOSEN = {
    "--json": '{"name": "Rex, Max", "id": 1}\n{"name": "=1", "id": 2}\n',
    "--csv": 'name,id\n"Rex, Max",1\n\'=1,2\n',
    "--quiet": "name\tid\nRex, Max\t1\n=1\t2\n",
    "--null": "name\tid\0Rex, Max\t1\0=1\t2\0",
}


@pytest.mark.parametrize(("option", "written"), CHOSEN.items(), ids=CHOSEN)
def test_fields_choose_members_and_columns_and_their_order(
    asked: Asked, option: str, written: str
) -> None:
    call = asked(page(animal(1, "Rex, Max", weight=1.5), animal(2, "=1")))
    ended = call("list", "--fields", "name,id", option)
    assert (ended.stdout, ended.stderr) == (written, "")


def test_fields_choose_the_columns_of_a_table(environment: Mapping[str, str]) -> None:
    words = [PROGRAM, "list", "--demo", "--limit=1", "--fields=status,categoryId"]
    with closing(Terminal(words, environment)) as terminal:
        assert terminal.wait_for_end() == 0
        assert terminal.text.split()[:2] == ["status", "category"]


def test_an_interrupted_list_has_printed_what_came_and_says_that_it_is_incomplete(
    environment: dict[str, str], services: Services
) -> None:
    server = services.open(named("A", then=NEXT), stall())
    with interruptible(environment | at(server.base_url), "list", "--csv") as process:
        assert process.stdout is not None
        first = os.read(process.stdout.fileno(), 1000)  # while the second page does not come
        os.kill(process.pid, signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    assert b"A" in first
    assert (process.returncode, rest) == (130, "")
    assert errors == "error: interrupted; the list is incomplete\n"


def test_a_printed_csv_has_the_fields_of_the_first_page_and_says_what_it_leaves_out(
    asked: Asked,
) -> None:
    call = asked(page(animal(2, weight=1.5), then=NEXT), page(animal(1, colour="red")))
    finished = call("list", "--csv")
    lines = finished.stdout.splitlines()
    assert lines == ["id,name,categoryId,status,weight", "2,Rex,3,,1.5", "1,Rex,3,,"]
    assert finished.stderr == (
        "warning: the field colour of animal 1 comes after the header and is left out,"
        " here and in what follows; --json has it\n"
    )
    assert finished.returncode == 0


def test_options_of_the_store_can_come_before_the_command(run_here: Run) -> None:
    finished = run_here("--demo", "add", "Tom", "3", "--csv")
    assert finished.stdout == "id,name,categoryId,status\n61,Tom,3,\n"
    assert finished.stderr == ""  # no store was made
