"""What ``make lint`` says of files that hold on one machine alone."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.tracked_files import problems

if TYPE_CHECKING:
    from pathlib import Path

HOME = "/" + "home"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository whose tracked files a test writes."""
    root = tmp_path / "tree"
    root.mkdir()
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


def track(root: Path) -> list[str]:
    subprocess.run(["git", "-C", root, "add", "-A"], check=True)
    return problems(root)


def test_a_tracked_link_stays_inside_the_tree(tree: Path) -> None:
    (tree / "docs").mkdir()
    (tree / "page").write_text("text")
    (tree / "docs/page").symlink_to("../page")
    assert track(tree) == []
    (tree / "docs/out").symlink_to("../../elsewhere")
    (tree / "absolute").symlink_to(tree / "page")
    assert track(tree) == [
        f"absolute: a link that leaves the tree, to {tree / 'page'}",
        "docs/out: a link that leaves the tree, to ../../elsewhere",
    ]


@pytest.mark.parametrize("home", [f"{HOME}/mallory", "/" + "Users/mallory", "/" + "root"])
def test_a_tracked_file_names_nobodys_home(tree: Path, home: str) -> None:
    (tree / "notes").write_text(f"fine\nsee {home}/pettui/.venv\n")
    assert track(tree) == [f"notes: line 2 has an absolute path of a home, {home}"]


def test_an_example_may_name_the_home_of_somebody_who_does_not_exist(tree: Path) -> None:
    (tree / "notes").write_text(f"{HOME}/clerk/sold.csv, var/root/of/x, ./root/x\n")
    assert track(tree) == []
