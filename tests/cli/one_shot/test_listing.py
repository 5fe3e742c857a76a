"""``pettui list`` in real pipes, on a real service."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import SAMPLE_COUNT
from pettui.settings import LIMIT_DEFAULT
from tests.cli.conftest import PROGRAM, finished
from tests.cli.one_shot.conftest import json_lines
from tests.client.hostile.server import http
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.cli.conftest import Run
    from tests.cli.one_shot.conftest import Asked
    from tests.peers.hostile_services import Services

AWKWARD = {
    "a tab\tand a \\ and\na break": r"a tab\tand a \\ and\na break",
    "=SUM(A1)": "=SUM(A1)",
    "'=SUM(A1)": "'=SUM(A1)",
    'quotes ", and commas': 'quotes ", and commas',
    "\x1b[31mred\x1b]0;title\x07": "\x1b[31mred\x1b]0;title\x07",
    "": "",
    "Ægir 🐹 \u202eevil": "Ægir 🐹 \u202eevil",
    r"no \t tab": r"no \\t tab",
    "carriage\rreturn": "carriage\rreturn",
}


def body_of(*names: str) -> str:
    pets = [{"id": number, "name": name, "categoryId": 3} for number, name in enumerate(names)]
    return json.dumps(pets)


def test_in_a_pipe_there_is_a_header_and_a_line_of_fields_for_each(run_here: Run) -> None:
    ended = run_here("list", "--demo", "--limit", "3")
    header, *lines = ended.stdout.splitlines()
    assert header == "id\tname\tcategoryId\tstatus"
    assert [line.split("\t")[0] for line in lines] == [str(SAMPLE_COUNT - n) for n in range(3)]
    assert (ended.returncode, ended.stderr) == (0, "")


def test_words_are_found_in_any_case_and_without_accents(asked: Asked) -> None:
    call = asked(http(200, body_of("Señor Orejas", "Mitzi", "Orejas")))
    ended = call("list", "--json", "--find", "SENOR orejas")
    assert [pet["name"] for pet in json_lines(ended.stdout)] == ["Señor Orejas"]


def test_finding_and_sorting_read_all_pages(run_here: Run) -> None:
    everything = json_lines(run_here("list", "--demo", "--all", "--json").stdout)
    rexes = [pet["id"] for pet in everything if "Rex" in pet["name"]]
    assert min(rexes) < SAMPLE_COUNT - LIMIT_DEFAULT  # on a later page than the first
    found = run_here("list", "--demo", "--json", "--find", "rex")
    assert [pet["id"] for pet in json_lines(found.stdout)] == rexes
    ordered = run_here("list", "--demo", "--json", "--sort", "id")
    assert [pet["id"] for pet in json_lines(ordered.stdout)] == [*range(1, SAMPLE_COUNT + 1)]
    assert (found.stderr, ordered.stderr) == ("", "")


@pytest.mark.parametrize("options", [("--find", "rex"), ("--sort", "name")], ids=["find", "sort"])
def test_with_a_limit_a_pipe_is_told_that_only_these_were_looked_at(
    run_here: Run, options: tuple[str, ...]
) -> None:
    said = "only the first 20 were looked at"
    assert said in run_here("list", "--demo", "--limit", "20", *options).stderr
    assert run_here("list", "--demo", "--limit", "20", "--quiet", *options).stderr == ""
    assert run_here("list", "--demo", "--limit", "20", "--all", *options).stderr == ""


def test_a_field_is_one_field_whatever_it_contains(asked: Asked) -> None:
    call = asked(http(200, body_of(*AWKWARD)))
    _, *lines = call("list").stdout.split("\n")
    fields = enumerate(AWKWARD.values())
    assert lines == [*(f"{number}\t{field}\t3\t" for number, field in fields), ""]


def test_records_that_end_with_nul_have_raw_fields(asked: Asked) -> None:
    call = asked(http(200, body_of(*AWKWARD)))
    _, *records = call("list", "--null").stdout.split("\0")
    assert records == [*(f"{number}\t{name}\t3\t" for number, name in enumerate(AWKWARD)), ""]


def test_json_has_each_number_to_the_last_digit(asked: Asked) -> None:
    bodies = (
        '{ "id":1,"name":"A\\u00e9/\\/", "categoryId":3,"price":1.10,"big":1e400 }',
        '{"categoryId":-9223372036854775808,"name":"\t","id":9223372036854775807,"status":null}',
    )
    call = asked(http(200, f"[{', '.join(bodies)}]"))
    ended = call("list", "--json")
    assert ended.stdout.splitlines() == [bodies[0], bodies[1].replace("\t", "\\t")]


def test_a_pipe_gets_utf8_in_every_locale(
    environment: Mapping[str, str], services: Services
) -> None:
    base_url = services.open(http(200, body_of("Ægir 🐹"))).base_url
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PETTUI_API_KEY": KEY}
    words = [PROGRAM, "list", "--base-url", base_url]
    ended = finished(words, {**environment, **locale}, encoding="utf-8")
    assert "Ægir 🐹" in ended.stdout


def test_without_animals_there_is_a_header_and_no_json(asked: Asked) -> None:
    call = asked(http(200, "[]"))
    assert call("list").stdout == "id\tname\tcategoryId\tstatus\n"
    assert call("list", "--csv").stdout == "id,name,categoryId,status\n"
    assert call("list", "--json").stdout == ""


def test_an_element_that_is_not_an_animal_is_left_out_with_a_warning(asked: Asked) -> None:
    call = asked(http(200, '[{"id": "x"}, {"id":1,"name":"A","categoryId":2}]'))
    ended = call("list", "--json", "--quiet")
    assert [pet["id"] for pet in json_lines(ended.stdout)] == [1]
    assert ended.stderr.startswith("warning: row 1 is not an animal and is left out: ")
    assert ended.returncode == 0


def test_pages_before_a_failed_one_are_printed(asked: Asked) -> None:
    first = http(200, body_of("A"), [("Link", '</v1/pets?page=2>; rel="next"')])
    refusal = http(400, '{"code": "no_page", "message": "No such page.", "status": 400}')
    ended = asked(first, refusal)("list", "--all", "--csv")
    assert ended.stdout.splitlines() == ["id,name,categoryId,status", "0,A,3,"]
    assert ended.stderr == "error: 400 no_page: No such page.\n"
    assert ended.returncode == 1


def test_a_list_that_links_to_another_origin_is_incomplete(asked: Asked) -> None:
    away = http(200, body_of("A"), [("Link", '<http://evil.example/v1/pets>; rel="next"')])
    call = asked(away)
    assert call("list").returncode == 0
    ended = call("list", "--all")
    assert ended.returncode == 3
    assert "error: the list is incomplete" in ended.stderr
    assert ended.stdout.endswith("0\tA\t3\t\n")


def test_a_slow_reader_gets_everything_through_a_nonblocking_pipe(
    environment: Mapping[str, str], services: Services
) -> None:
    base_url = services.open(http(200, body_of("x" * 300_000))).base_url
    read, write = os.pipe()
    os.set_blocking(write, False)
    with subprocess.Popen(
        [PROGRAM, "list", "--json", "--base-url", base_url],
        env={**environment, "PETTUI_API_KEY": KEY},
        stdout=write,
    ) as process:
        os.close(write)
        with os.fdopen(read, "rb") as file:
            content = file.read()
        assert process.wait(timeout=60) == 0
    assert json.loads(content)["name"] == "x" * 300_000


def test_a_full_disk_is_one_line(environment: Mapping[str, str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = finished([PROGRAM, "list", "--demo"], environment, stdout=full)
    said = "pettui: standard output: cannot be written: no space left on device\n"
    assert (ended.returncode, ended.stderr) == (2, said)


def test_a_status_is_a_filter(run_here: Run) -> None:
    pets = json_lines(run_here("list", "--demo", "--all", "--json", "--status", "sold").stdout)
    assert {pet["status"] for pet in pets} == {"sold"}


def test_animals_are_sorted_by_a_column_or_in_reverse(run_here: Run) -> None:
    up = json_lines(run_here("list", "--demo", "--all", "--json", "--sort", "category").stdout)
    down = json_lines(
        run_here("list", "--demo", "--all", "--json", "--sort", "id", "--reverse").stdout
    )
    categories = [pet["categoryId"] for pet in up]
    assert categories == sorted(categories)
    assert [pet["id"] for pet in down] == list(range(SAMPLE_COUNT, 0, -1))


def test_an_animal_that_moved_to_the_next_page_is_listed_once(asked: Asked) -> None:
    first = http(200, body_of("A", "B"), [("Link", '</v1/pets?page=2>; rel="next"')])
    second = http(200, body_of("A", "B", "C"))
    ended = asked(first, second)("list", "--all", "--json")
    assert [pet["id"] for pet in json_lines(ended.stdout)] == [0, 1, 2]
