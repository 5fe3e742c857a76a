"""Profiles: their labels, colours and names of categories, and how each is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.configuration.reading import read_settings
from pettui.settings.settings import Profile, StoreKind
from tests.configuration.refusals import KEY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.configuration.conftest import Configure

    ProfileOf = Callable[..., Profile]


@pytest.fixture
def profile_of(configure: Configure) -> ProfileOf:
    """Make a file of one profile, and read it."""

    def profile_of(*lines: str, name: str = "shop", address: str = "https://h/v1") -> Profile:
        content = [f"[profiles.{name}]", f'base_url = "{address}"', 'api_key_env = "K"', *lines]
        options = {"config": str(configure("\n".join(content))), "profile": name}
        return read_settings(options, {"K": KEY}).profile

    return profile_of


@pytest.mark.parametrize(
    ("name", "colour"),
    [("production", "red"), ("staging", "yellow"), ("local", "green"), ("shop", "orange")],
)
def test_a_profile_is_labelled_and_coloured_by_its_name(
    profile_of: ProfileOf, name: str, colour: str
) -> None:
    profile = profile_of(name=name)
    assert (profile.label, profile.colour) == (name.upper(), colour)


def test_a_profile_sets_its_own_label_colour_and_names_of_categories(
    profile_of: ProfileOf,
) -> None:
    categories = 'categories = { 3 = "Dogs", -1 = "?" }'
    profile = profile_of('label = " Corner shop "', 'colour = "violet"', categories)
    assert (profile.label, profile.colour) == ("Corner shop", "violet")
    assert dict(profile.categories) == {3: "Dogs", -1: "?"}


@pytest.mark.parametrize("name", ["embedded", "demo"])
def test_a_built_in_store_takes_a_look_of_the_users(configure: Configure, name: str) -> None:
    path = configure(f'[profiles.{name}]\nlabel = "Mine"\ncategories.9 = "Dragons"')
    profile = read_settings({"config": str(path), "profile": name}, {}).profile
    assert profile.kind is StoreKind[name.upper()]
    assert (profile.label, dict(profile.categories)) == ("Mine", {9: "Dragons"})


@pytest.mark.parametrize(
    ("address", "warned"),
    [
        ("http://store.example/v1", True),
        ("https://store.example/v1", False),
        ("http://localhost:8080/v1", False),
    ],
)
def test_a_key_that_would_travel_in_the_clear_is_warned_of(
    profile_of: ProfileOf, address: str, warned: bool
) -> None:
    assert ("https" in " ".join(profile_of(address=address).warnings)) is warned


def test_a_proxy_and_certificates_are_for_services_over_https(
    profile_of: ProfileOf, tmp_path: Path
) -> None:
    (tmp_path / "shop.pem").write_text("certificates")
    profile = profile_of('proxy = "http://proxy.example:3128/"', 'ca_file = "shop.pem"')
    assert profile.proxy == "http://proxy.example:3128"
    assert profile.ca_file == tmp_path / "shop.pem"
