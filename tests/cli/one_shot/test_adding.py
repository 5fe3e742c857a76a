"""``pettui add`` and ``pettui get`` on a real service."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.one_shot.conftest import calling, json_lines
from tests.cli.one_shot.shop_service import open_shop
from tests.client.hostile.server import http

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Run
    from tests.cli.one_shot.conftest import Asked
    from tests.peers.hostile_services import Services

SHOP = """
[profiles.shop]
base_url = "{base_url}"
api_key_env = "PETTUI_API_KEY"
[profiles.shop.categories]
3 = "Grey Cats"
4 = "Fish"
5 = "fish"
"""


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        (["Mitzi", "3"], ("Mitzi", 3, None)),
        (["--status=pending", "--", "-x", "-9223372036854775808"], ("-x", -(2**63), "pending")),
        (["Mitzi", "--", "-3"], ("Mitzi", -3, None)),
        (["Ægir\n🐹 ", "003"], ("Ægir\n🐹 ", 3, None)),
    ],
)
def test_an_added_animal_is_printed_as_it_was_stored(
    run_here: Run, words: list[str], sent: tuple[str, int, str | None]
) -> None:
    run_here("list")  # makes the store, and says so
    finished = run_here("add", "--json", *words)
    (pet,) = json_lines(finished.stdout)
    assert (pet["name"], pet["categoryId"], pet.get("status")) == sent
    assert (finished.returncode, finished.stderr) == (0, "")
    (kept,) = json_lines(run_here("get", str(pet["id"]), "--json").stdout)
    assert kept == pet


def test_a_category_can_be_given_by_name(
    run_here: Run, services: Services, configure: Callable[[str], Path]
) -> None:
    config = str(configure(SHOP.format(base_url=open_shop(services).base_url)))
    words = ("--config", config, "--profile", "shop")
    added = calling(run_here, "")("add", "Tom", "grey  cats", *words)
    assert added.stdout.splitlines()[1].split("\t")[1:] == ["Tom", "3", ""]
    unclear = calling(run_here, "")("add", "Tom", "fish", *words)
    said = "pettui: CATEGORY: fish is the name of 4 and of 5; use the number\n"
    assert (unclear.returncode, unclear.stderr) == (2, said)


def test_a_difference_to_what_was_stored_is_a_warning(asked: Asked) -> None:
    body = json.dumps({"id": 1, "name": "TOM", "categoryId": 3})
    finished = asked(http(201, body))("add", "Tom", "3", "--quiet")
    assert finished.stderr == "warning: the service stored another name than was sent\n"
    assert finished.returncode == 0


def test_the_deprecation_of_get_is_a_notice_unless_quiet(run_here: Run) -> None:
    told, quiet = run_here("get", "3", "--demo"), run_here("get", "3", "--demo", "--quiet")
    assert told.stderr.startswith("notice: getPet is deprecated. It goes away on 5 December 2030")
    assert told.stdout == quiet.stdout != ""
    assert quiet.stderr == ""


def test_the_list_is_searched_if_get_is_gone(asked: Asked) -> None:
    gone = http(410, '{"code": "gone", "message": "It is gone.", "status": 410}')
    pet = '{"id": 7, "name": "A", "categoryId": 3}'
    first = http(200, "[]", [("Link", '</v1/pets?page=2>; rel="next"')])
    found = asked(gone, first, http(200, f"[{pet}]"))("get", "7")
    lost = asked(gone, http(200, f"[{pet}]"))("get", "8")
    assert found.stdout.splitlines()[1] == "7\tA\t3\t"
    assert (found.returncode, lost.returncode) == (0, 1)
    assert lost.stderr.endswith("error: 410 gone: It is gone.\n")


def test_options_of_the_store_can_come_before_the_command(run_here: Run) -> None:
    finished = run_here("--demo", "add", "Tom", "3", "--csv")
    assert finished.stdout == "id,name,categoryId,status\n61,Tom,3,\n"
    assert finished.stderr == ""  # no store was made
