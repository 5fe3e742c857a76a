"""``pettui add``: what it prints of an animal that was added, and categories by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.one_shot.conftest import json_lines
from tests.cli.one_shot.shop_service import animal
from tests.client.hostile.server import http

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Run
    from tests.cli.one_shot.conftest import Asked
    from tests.cli.one_shot.shop_service import Shop

CATEGORIES = """
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
        (["Ægir\n🐹", "003"], ("Ægir\n🐹", 3, None)),
        ([" Mitzi \u00a0", "3"], ("Mitzi", 3, None)),
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
    call: Run, shop: Shop, configure: Callable[[str], Path]
) -> None:
    config = configure(CATEGORIES.format(base_url=shop.base_url))
    words = ("--config", str(config), "--profile", "shop")
    added = call("add", "Tom", "grey  cats", *words, PETTUI_BASE_URL="")
    assert added.stdout.splitlines()[1].split("\t")[1:] == ["Tom", "3", ""]
    unclear = call("add", "Tom", "fish", *words, PETTUI_BASE_URL="")
    said = 'pettui: CATEGORY: "fish" is the name of 4 and of 5; use the number\n'
    assert (unclear.returncode, unclear.stderr) == (2, said)


def test_a_difference_to_what_was_stored_is_a_warning(asked: Asked) -> None:
    finished = asked(http(201, json.dumps(animal(1, "TOM"))))("add", "Tom", "3", "--quiet")
    assert finished.stderr == "warning: the service stored another name than was sent\n"
    assert finished.returncode == 0
