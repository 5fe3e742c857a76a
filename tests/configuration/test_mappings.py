"""Mappings of files to import: kept by name, as an import's options write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.configuration.editing import keep_mapping, name_categories
from pettui.configuration.errors import ConfigurationError
from pettui.configuration.reading import read_settings
from tests.configuration.refusals import SHOP

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Configure = Callable[[str], Path]

VALUES = {"column": ["name=Animal Name"], "header_line": 2, "skip_unnamed": True}
KEPT = {"column": ("name=Animal Name",), "header_line": 2, "skip_unnamed": True}


@pytest.mark.parametrize(
    "before",
    ["", "# mine\nwatch = 5  # s\n", "[mappings]\nother = { category = '3' }\n",
     "[mappings.a]\ncategory = '1'  # old\n"],
)  # fmt: skip
def test_a_mapping_is_kept_in_place_of_one_of_its_name_and_comments_stay(
    configure: Configure, before: str
) -> None:
    path = configure(before)
    keep_mapping(path, "a", VALUES)
    mappings = read_settings({"config": str(path)}, {}).mappings
    assert mappings["a"] == KEPT
    assert len(mappings) == 1 + ("other" in before)
    assert path.read_text().count("#") == before.count("#") - before.count("# old")


@pytest.mark.parametrize("name", ["", "a b", "a/b", "x" * 41])
def test_what_is_no_name_changes_nothing(configure: Configure, name: str) -> None:
    path = configure("watch = 5\n")
    with pytest.raises(ConfigurationError, match="must be at most 40 letters"):
        keep_mapping(path, name, VALUES)
    assert path.read_text() == "watch = 5\n"


@pytest.mark.parametrize(
    ("before", "profile"),
    [
        ("# mine\nwatch = 5\n", "embedded"),
        (SHOP + "[profiles.shop.categories]\n1 = 'Cats'  # first\n", "shop"),
        (SHOP + "[limits]\nrows = 5\n", "shop"),
        ("profiles.embedded.label = 'X'\nwatch = 5\n", "embedded"),
    ],
)
def test_categories_get_their_names_in_a_profile(
    configure: Configure, before: str, profile: str
) -> None:
    path = configure(before)
    name_categories(path, profile, {3: "Dogs", -1: 'the "others"'})
    settings = read_settings({"config": str(path), "profile": profile}, {"SHOP_KEY": "x" * 20})
    cats = {1: "Cats"} if "Cats" in before else {}
    assert settings.profile.categories == {**cats, 3: "Dogs", -1: 'the "others"'}
    assert path.read_text().count("#") == before.count("#")


def test_tables_in_one_line_are_not_added_to(configure: Configure) -> None:
    path = configure(before := "mappings = { other = { category = '3' } }\n")
    with pytest.raises(ConfigurationError, match="in a form that cannot be added to"):
        keep_mapping(path, "a", VALUES)
    assert path.read_text() == before


def test_only_a_profile_can_name_categories(configure: Configure) -> None:
    with pytest.raises(ConfigurationError, match="is no profile of"):
        name_categories(configure(SHOP), "shpo", {3: "Dogs"})
