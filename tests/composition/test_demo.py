"""The options of a demo and their files: an unusable one is one line, before anything starts."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

import pytest

from pettui.client import PetClient
from pettui.composition.demo import DemoOptions, DemoService, read_demo_options
from pettui.configuration.errors import ConfigurationError
from pettui.configuration.reading import read_settings
from pettui.models.pets import NewPet, PetStatus
from pettui.service.stores.samples import SAMPLE_CATEGORIES
from pettui.settings.settings import ApiKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Refused

    Written = Callable[[str | bytes], str]


def read(*, demo: bool = True, **options: object) -> DemoOptions:
    unset = {"animals": None, "welcome": None, "read_only": False}
    profile = read_settings({"demo": demo}, {}).profile
    return read_demo_options(Namespace(**unset | options), profile)


def refusal(**options: object) -> str:
    """Return the line with which options of a demo are refused."""
    with pytest.raises(ConfigurationError) as raised:
        read(**options)
    line = str(raised.value)
    assert "\n" not in line
    return line


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes a file, and returns its path."""

    def written(content: str | bytes) -> str:
        path = tmp_path / "shop.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return written


def test_the_first_animal_of_a_file_is_the_newest(written: Written) -> None:
    animals = read(animals=written("name,category,status\nGreta,Dogs,available\nTom,1,\n")).animals
    assert animals is not None
    assert [(pet.name, pet.category_id, pet.status) for pet in animals] == [
        ("Tom", 1, None),
        ("Greta", 3, PetStatus.AVAILABLE),
    ]
    assert SAMPLE_CATEGORIES[3] == "Dogs"


@pytest.mark.parametrize(
    ("option", "content", "reason"),
    [
        ("animals", "name,category\n" + f"{'x' * 998},3\n" * 1000, "it is larger than 1 MB"),
        (
            "animals",
            "Hund;Jahr\nRex;2011\n",
            "no header that pettui knows: Hund | Jahr; call its columns name, category and status",
        ),
        ("animals", "name,category\n" + "Tom,3\n" * 10_001, "it has more than 10,000 lines"),
        ("animals", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it is not text"),
        ("animals", "", "it contains no animal"),
        ("welcome", "x\n" * 20_000, "it is too large"),
        ("welcome", b"\xff\xfe\x00", "it is not text"),
        (
            "animals",
            "name,category,status\nTom,3,\n,3,\nTim,x,\nKim,1,gone\n",
            "shop.csv: line 3: name is missing (and 2 more bad lines)",
        ),
        ("welcome", "x\n" * 21, "it has 21 lines; at most 20 are allowed"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 60 else "",
)
def test_a_file_that_cannot_be_used_is_one_line(
    written: Written, option: str, content: str | bytes, reason: str
) -> None:
    assert reason in refusal(**{option: written(content)})


def test_the_lines_of_a_welcome_are_those_of_its_file(written: Written) -> None:
    """Line ends of any system, tabs as blanks; raw beside that."""
    path = written("\ufeffHello\r\n\n  a\tb \x1b[31m\u202e\n\n")
    assert read(welcome=path).welcome == ("Hello", "", "  a b \x1b[31m\u202e")


@pytest.mark.parametrize(
    ("options", "name"),
    [({"animals": "x"}, "--animals"), ({"welcome": "x"}, "--welcome"), ({"read_only": True}, "--read-only")],
    ids=str,
)  # fmt: skip
def test_the_options_are_for_a_demo_only(options: dict[str, object], name: str) -> None:
    assert refusal(demo=False, **options) == f"{name}: is for a demo; add --demo"


@pytest.mark.parametrize("words", [("ssh", "--port=0"), ("--demo",)], ids=str)
def test_the_program_ends_with_2_before_it_serves_or_draws(
    refused: Refused, words: tuple[str, ...]
) -> None:
    assert refused(*words, "--animals", "none.csv").startswith("--animals: cannot read ")


@pytest.mark.parametrize(
    "animals", [None, (), tuple(NewPet(name=name, category_id=1) for name in "abc")], ids=repr
)
@pytest.mark.parametrize("limit", [1, 3, 60, 100])
async def test_the_first_frame_shows_what_the_demo_is_about_to_list(
    animals: tuple[NewPet, ...] | None, limit: int
) -> None:
    """It is drawn long before the client and the service are loaded."""
    key = ApiKey("key-of-the-demo")
    service = DemoService(key, DemoOptions(animals))
    client = PetClient("http://localhost/v1", key, transport=service.transport)
    drawn = service.newest(limit)
    page = await client.list_pets(limit)
    await client.aclose()
    await service.aclose()
    assert drawn == page.pets
