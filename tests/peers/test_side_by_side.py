"""Apps of others are over SSH what they are in a terminal here, cell by cell."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import WHOLE
from tests.peers.side_by_side import (
    LONGEST,
    Comparison,
    SideBySide,
    Verdict,
    programs,
)
from tests.peers.ssh_server import need_ssh

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.peers.side_by_side import Target

ROOT = Path(__file__).parent.parent.parent
UV = str(Path(sys.executable).with_name("uv"))
TEXTUAL = f"textual=={version('textual')}"
AT_ONCE = 4

# As docs/own-app.md says.
DIFFERENT = {
    "how-to/inline01.py": "run(inline=True)",
    "how-to/inline02.py": "run(inline=True)",
    "widgets/clock.py": "run(inline=True)",
    "app/suspend.py": "suspend",
    "isd-tui==0.6.1": "suspend",
}
# They end by themselves before there is a screen, here, too.
ENDING = {
    "guide/reactivity/set_reactive01.py": "it shows an error",
    "guide/reactivity/world_clock01.py": "pytz",
    "guide/reactivity/world_clock02.py": "pytz",
    "guide/reactivity/world_clock03.py": "pytz",
    "how-to/layout.py": "its styles are not in the archive",
    "widgets/text_area_custom_language.py": "tree_sitter_languages",
}
MOVING = 10  # programs at most, in which cells move by themselves
# Whether they get an answer, and how soon, is the network's.
OF_THE_NETWORK = {
    "events/dictionary.py", "guide/workers/weather01.py", "guide/workers/weather02.py", "guide/workers/weather03.py",
    "guide/workers/weather04.py", "guide/workers/weather05.py",
}  # fmt: skip

NONE = "theme=None, navigation=None, command=[]"
OF_COMPLEXITTY = "max_iteration=None, multibrot=None, zoom=None, x_position=None, y_position=None"
APPS = {
    "complexitty==1.0.0": (
        "complexitty.complexitty:Complexitty",
        f"argparse.Namespace(theme=None, colour_map=None, {OF_COMPLEXITTY})",
    ),
    "dooit==3.3.4": ("dooit.ui.tui:Dooit", ""),
    "harlequin==2.17.0": (
        "harlequin.app:Harlequin",
        "import_module('harlequin_duckdb').DuckDbAdapter([':memory:'])",
    ),
    "hike==1.4.0": ("hike.hike:Hike", f"argparse.Namespace({NONE})"),
    "isd-tui==0.6.1": ("isd_tui.isd:InteractiveSystemd", ""),
    "textual-calculator==0.0.1": ("textual_calculator.calculator:CalculatorApp", ""),
    "textual-canvas==1.1.0": ("textual_canvas.__main__:CanvasTestApp", ""),
    "textual-dissect==0.2.0": ("textual_dissect.app:TextualDissectApp", ""),
    "textual-fspicker==1.0.1": ("textual_fspicker.__main__:TestApp", ""),
    "textual-timepiece==0.7.0": ("textual_timepiece._demo:TimepieceDemo", ""),
}


MOVING_APPS = {"complexitty==1.0.0"}  # it says how long it took


def whole(test: Callable[..., None]) -> Callable[..., None]:
    """Leave a test to `make exhaustive`: all of them take ten minutes, and the index of packages."""
    reason = "it takes minutes: make exhaustive"
    return pytest.mark.exhaustive(pytest.mark.skipif(not WHOLE, reason=reason)(test))


def fetched(*words: str) -> None:
    """Run what needs the index of packages; without a network skip the test, or fail in CI."""
    finished = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    if finished.returncode:
        end = pytest.fail if os.environ.get("CI") else pytest.skip
        end(f"the index of packages cannot be asked: {finished.stderr[-300:]}")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Target]:
    """The examples of Textual's documentation."""
    directory = tmp_path_factory.mktemp("textual")
    source = ("--no-deps", "--no-binary=textual", "--quiet", "--dest", str(directory))
    fetched(sys.executable, "-m", "pip", "download", *source, TEXTUAL)
    [archive] = directory.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(directory, filter="data")
    [found] = directory.glob("*/docs/examples")
    targets = [each for each in programs(found) if each["name"] not in OF_THE_NETWORK]
    assert len(targets) > 280
    return targets


def compared(
    targets: Sequence[Target],
    home: Path,
    environment: Mapping[str, str],
    python: str = sys.executable,
    patience: float = LONGEST,
) -> dict[str, Comparison]:
    """Return what became of comparing each app."""
    both = SideBySide(targets, home, environment, python, patience)
    try:
        return {each["name"]: both.compare(number) for number, each in enumerate(targets)}
    finally:
        both.server.stop()


def of_verdict(found: Mapping[str, Comparison], verdict: Verdict) -> dict[str, str]:
    """Return those apps of which this became, and how they differ."""
    return {name: each.how for name, each in found.items() if each.verdict is verdict}


def summary(found: Mapping[str, Comparison]) -> str:
    """Return how many are what, and which are not the same."""
    counts = Counter(each.verdict for each in found.values())
    listed = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)
    others = [f"{name}: {each}" for name, each in found.items() if each.verdict is not Verdict.SAME]
    return "\n".join(["", listed, *others])


@whole
def test_the_examples_of_textuals_documentation_are_served_as_they_run_here(
    examples: Sequence[Target],
    tmp_path: Path,
    environment: Mapping[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    need_ssh()
    homes = [tmp_path / str(number) for number in range(AT_ONCE)]
    for home in homes:
        home.mkdir()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        parts = [
            threads.submit(compared, examples[number::AT_ONCE], home, environment)
            for number, home in enumerate(homes)
        ]
        found = {name: how for part in parts for name, how in part.result().items()}
    with capsys.disabled():
        print(summary(found))
    differing = of_verdict(found, Verdict.DIFFERENT)
    assert {name: how for name, how in differing.items() if name not in DIFFERENT} == {}
    assert of_verdict(found, Verdict.ENDED).keys() <= ENDING.keys()
    assert len(of_verdict(found, Verdict.MOVING)) <= MOVING, summary(found)


@whole
@pytest.mark.parametrize("package", APPS)
def test_an_app_of_the_index_is_served_as_it_runs_here(
    package: str,
    tmp_path: Path,
    home: Path,
    environment: Mapping[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    need_ssh()
    python = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run(
        [UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv"], check=True
    )
    fetched(
        UV, "pip", "install", "--quiet", "--python", python, "-e", f"{ROOT}[ssh]", TEXTUAL, package
    )
    app, arguments = APPS[package]
    targets = [{"name": package, "class": app, "arguments": arguments}]
    [found] = compared(targets, home, environment, python).values()
    with capsys.disabled():
        print(f"\n{package}: {found}")
    expected = {Verdict.SAME, Verdict.MOVING if package in MOVING_APPS else Verdict.SAME}
    if package in DIFFERENT:
        expected.add(Verdict.DIFFERENT)
    assert found.verdict in expected, found
