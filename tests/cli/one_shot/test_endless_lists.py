"""Lists of any length: their rows go out as they come, and nothing bounds the whole."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import PROGRAM, interruptible
from tests.cli.one_shot.conftest import json_lines
from tests.cli.one_shot.shop_service import stall_from
from tests.client.hostile.server import http
from tests.peers.terminal import Terminal
from tests.service.running_service import KEY
from tests.small_disks import as_root, full_disk, mounted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.cli.one_shot.conftest import Asked
    from tests.client.hostile.server import HostileServer, Step
    from tests.peers.hostile_services import Services

FIRST, LAST = {"id": 2, "name": "A", "categoryId": 3}, {"id": 1, "name": "B", "categoryId": 3}


def page(*pets: Mapping[str, object], then: int | None = None, padding: int = 0) -> Step:
    links = [] if then is None else [("Link", f'</v1/pets?page={then}>; rel="next"')]
    return http(200, json.dumps(pets) + " " * padding, links)


def test_no_limit_of_a_list_bounds_what_is_printed(
    asked: Asked, configure: Callable[[str], Path]
) -> None:
    config = configure("[limits]\nrows = 1\n")
    call = asked(page(FIRST, then=2), page(LAST))
    finished = call("list", "--all", "--json", PETTUI_CONFIG=str(config))
    assert (finished.returncode, json_lines(finished.stdout)) == (0, [FIRST, LAST])


@pytest.fixture
def two_pages(environment: dict[str, str], services: Services) -> HostileServer:
    """A service of which the second page does not come."""
    server = services.open(page(FIRST, then=2), page())
    server.steps[1] = stall_from(server.requested)
    environment |= {"PETTUI_BASE_URL": server.base_url, "PETTUI_API_KEY": KEY}
    return server


@pytest.mark.usefixtures("two_pages")
def test_an_interrupted_list_has_printed_what_came_and_says_that_it_is_incomplete(
    environment: Mapping[str, str],
) -> None:
    with interruptible(environment, "list", "--all", "--csv") as process:
        assert process.stdout is not None
        first = os.read(process.stdout.fileno(), 1000)  # while the second page does not come
        os.kill(process.pid, signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    assert b"A" in first
    assert (process.returncode, rest) == (130, "")
    assert errors == "error: interrupted; the list is incomplete\n"


def test_an_interrupted_export_leaves_no_file(
    environment: Mapping[str, str], services: Services, two_pages: HostileServer, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "pets.csv"
    with interruptible(environment, "export", str(path)) as process:
        services.wait_until(two_pages.requested)
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, f"error: interrupted; {path} is not written\n")
    assert not [*path.parent.iterdir()]


@as_root
def test_an_export_that_does_not_fit_on_the_disk_is_one_line_and_leaves_nothing(
    asked: Asked,
) -> None:
    large = {**FIRST, "name": "x" * 500_000}
    call = asked(page(large, then=2), page({**large, "id": 1}))
    with mounted("size=1m,mode=700") as directory, full_disk(directory):
        path = directory / "pets.csv"
        finished = call("export", str(path))
        assert finished.stderr == f"error: cannot write {path}: the disk is full\n"
        assert finished.returncode == 2
        assert [each.name for each in directory.iterdir()] == ["full"]


def test_a_printed_csv_has_the_fields_of_the_first_page_and_says_what_it_leaves_out(
    asked: Asked,
) -> None:
    first, last = {**FIRST, "weight": 1.5}, {**LAST, "colour": "red"}
    call = asked(page(first, then=2), page(last))
    finished = call("list", "--all", "--csv")
    lines = finished.stdout.splitlines()
    assert lines == ["id,name,categoryId,status,weight", "2,A,3,,1.5", "1,B,3,,"]
    assert finished.stderr == (
        "warning: the field colour of animal 1 comes after the header and is left out,"
        " here and in what follows; --json has it\n"
    )
    assert finished.returncode == 0


def test_a_column_of_a_table_becomes_wider_with_a_later_page(
    environment: Mapping[str, str], services: Services
) -> None:
    longer = {**LAST, "name": "a much longer name"}
    base_url = services.open(page(FIRST, then=2), page(longer)).base_url
    terminal = Terminal(
        [str(PROGRAM), "list", "--all", "--base-url", base_url],
        {**environment, "PETTUI_API_KEY": KEY},
    )
    assert terminal.wait_for_end() == 0
    lines = terminal.text.splitlines()
    assert lines[0].split() == ["id", "name", "category", "status"]
    assert lines[1].split()[:3] == ["2", "A", "3"]
    assert longer["name"] in lines[2]
    terminal.close()
