"""Profiles: what tells them apart, where their keys are, and what is warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.configuration import read_settings, setting_sources
from pettui.settings import Profile, StoreKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    ProfileOf = Callable[..., Profile]

KEY = "sekrit-0123456789"


@pytest.fixture
def profile_of(configure: Callable[[str], Path]) -> ProfileOf:
    """Make a file of one profile, and read it."""

    def profile_of(*lines: str, name: str = "shop", address: str = "https://h/v1") -> Profile:
        content = [f"[profiles.{name}]", f'base_url = "{address}"', 'api_key_env = "K"', *lines]
        options = {"config": str(configure("\n".join(content))), "profile": name}
        return read_settings(options, {"K": KEY}).profile

    return profile_of


@pytest.mark.parametrize(
    ("name", "colour"),
    [
        ("production", "red"),
        ("staging", "yellow"),
        ("local", "green"),
        ("shop", "orange"),
    ],
)
def test_a_profile_is_labelled_and_coloured_by_its_name(
    profile_of: ProfileOf, name: str, colour: str
) -> None:
    profile = profile_of(name=name)
    assert (profile.label, profile.colour) == (name.upper(), colour)


def test_a_profile_sets_its_own_label_colour_and_names_of_categories(
    profile_of: ProfileOf,
) -> None:
    lines = [
        'label = " Corner shop "',
        'colour = "violet"',
        'categories = { 3 = "Dogs", -1 = "?" }',
    ]
    profile = profile_of(*lines)
    assert (profile.label, profile.colour) == ("Corner shop", "violet")
    assert dict(profile.categories) == {3: "Dogs", -1: "?"}


@pytest.mark.parametrize("name", ["embedded", "demo"])
def test_a_built_in_store_takes_a_look_of_the_users(
    configure: Callable[[str], Path], name: str
) -> None:
    path = configure(f'[profiles.{name}]\nlabel = "Mine"\ncategories.9 = "Dragons"')
    profile = read_settings({"config": str(path), "profile": name}, {}).profile
    assert profile.kind is StoreKind[name.upper()]
    assert (profile.label, dict(profile.categories)) == ("Mine", {9: "Dragons"})


@pytest.mark.parametrize("content", [KEY, f"{KEY}\n", f"  {KEY}\r\n"])
def test_a_key_comes_from_a_file_beside_the_configuration(
    configure: Callable[[str], Path], key_file: Path, content: str
) -> None:
    key_file.write_text(content)
    path = configure('[profiles.s]\nbase_url = "https://h/v1"\napi_key_file = "key"')
    profile = read_settings({"config": str(path), "profile": "s"}, {}).profile
    assert profile.api_key.reveal() == KEY


def test_a_key_of_another_profile_need_not_be_there(configure: Callable[[str], Path]) -> None:
    path = configure('[profiles.s]\nbase_url = "https://h/v1"\napi_key_env = "NOT_SET"')
    profile = read_settings({"config": str(path), "demo": True}, {}).profile
    assert profile.kind is StoreKind.DEMO


def test_no_key_shows_in_what_settings_say_of_themselves(profile_of: ProfileOf) -> None:
    profile = profile_of()
    assert profile.api_key.reveal() == KEY
    assert KEY not in f"{profile!r} {profile} {profile.api_key}"


@pytest.mark.parametrize(
    ("address", "warned"),
    [
        ("http://store.example/v1", True),
        ("http://localhost.example/v1", True),
        ("https://store.example/v1", False),
        ("http://localhost:8080/v1", False),
        ("http://[::1]:4010/v1", False),
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


def test_the_key_of_a_bare_address_is_not_that_of_a_profile_called_service(
    configure: Callable[[str], Path],
) -> None:
    file = configure('[profiles.service]\nbase_url = "https://h/v1"\napi_key_env = "OTHER"')
    options = {"config": str(file), "base_url": "https://store.example/v1"}
    environment = {"PETTUI_API_KEY": KEY}
    settings = read_settings(options, environment)
    sources = {each.name: each.source for each in setting_sources(options, environment, settings)}
    assert sources["API key"] == "PETTUI_API_KEY"
