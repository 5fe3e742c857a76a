"""README.md and docs/ say what the program does: their tables are written from its declarations."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from pettui.cli.declarations import COMMANDS
from pettui.configuration.reading import FILE_KEYS, read_settings
from pettui.keyboard import actions
from pettui.settings.settings import LABEL_SETTINGS, SERVICE_SETTINGS
from tests.documentation import BLOCK, MANUAL, PAGES, ROOT, TABLES, VARIABLE, filled, manual

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]+))?\)")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(kind: str) -> Iterator[str]:
    """Return what the blocks of a kind name, in all pages."""
    found = chain.from_iterable(BLOCK.findall(text_of(page)) for page in PAGES)
    return chain.from_iterable(words.split() for name, words in found if name == kind)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_what_the_program_declares(page: Path) -> None:
    text = text_of(page)
    assert text == filled(text), "the tables are out of date: run make docs"


def test_the_manual_page_is_what_the_commands_declare() -> None:
    assert text_of(MANUAL) == manual(), "the manual page is out of date: run make docs"


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_the_manual_page_is_formatted_without_a_warning() -> None:
    groff = ["groff", "-man", "-Tutf8", "-ww", "-P-cbou", MANUAL]
    formatted = subprocess.run(groff, capture_output=True, text=True, check=True)
    assert formatted.stderr == ""
    assert "       pettui list [--demo|--profile NAME|--base-url URL]" in formatted.stdout
    assert "stand for a tab, a line break and" in formatted.stdout
    assert "://…" in formatted.stdout


def test_every_table_is_in_some_page() -> None:
    assert all([*blocks(kind)] for kind in TABLES)


def test_all_keys_are_in_the_page_of_keys() -> None:
    listed = {id(getattr(actions, name)) for name in blocks("keys")}
    assert {id(group) for group in actions.GROUPS} <= listed


def test_the_options_of_every_command_are_listed() -> None:
    assert {"pettui", *(command.name for command in COMMANDS)} <= {*blocks("options")}


def anchors(page: Path) -> set[str]:
    """Return what links call the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_and_to_headings_lead_somewhere(page: Path) -> None:
    for name, anchor in LINK.findall(text_of(page)):
        there = page.parent / name if name else page
        assert there.exists(), name
        assert not anchor or anchor in anchors(there), (name, anchor)


def example() -> str:
    """Return the configuration file that docs/configuration.md shows."""
    page = text_of(ROOT / "docs" / "configuration.md")
    return page.partition("```toml\n")[2].partition("```")[0]


def test_the_example_of_a_configuration_file_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    certificates = tmp_path / "shop-ca.pem"
    certificates.write_text("")
    file.write_text(example(), encoding="utf-8")
    settings = read_settings({"config": str(file)}, {"STORE_KEY": "sekrit-0123456789"})
    assert settings.profile.label == "PRODUCTION"


@pytest.mark.parametrize("key", [*FILE_KEYS, *SERVICE_SETTINGS, *LABEL_SETTINGS, "categories"])
def test_the_example_has_every_setting(key: str) -> None:
    assert re.search(rf"\b{key}\b", example())


def test_every_environment_variable_is_documented_and_no_other() -> None:
    sources = (text_of(file) for file in (ROOT / "pettui").rglob("*.py"))
    read = {name for text in sources for name in re.findall(r"\bPETTUI_[A-Z_]+\b", text)}
    page = text_of(ROOT / "docs" / "configuration.md")
    of_keys = {"PETTUI_USER"}  # of a line of a file of keys, and never of the environment
    assert {name for name, _ in VARIABLE.findall(page)} | of_keys == read


def test_the_readme_is_short() -> None:
    assert len(text_of(ROOT / "README.md").splitlines()) <= 200
