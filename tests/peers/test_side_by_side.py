"""Apps of others are over SSH what they are in a terminal here, cell by cell."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import WHOLE
from tests.peers.side_by_side import Comparison, SideBySide, Verdict, programs
from tests.peers.ssh_server import need_ssh

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.peers.side_by_side import Target

TEXTUAL = f"textual=={version('textual')}"
AT_ONCE = 4

# As docs/own-app.md says.
DIFFERENT = {
    "how-to/inline01.py": "run(inline=True)",
    "how-to/inline02.py": "run(inline=True)",
    "widgets/clock.py": "run(inline=True)",
    "app/suspend.py": "suspend",
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
    targets: Sequence[Target], home: Path, environment: Mapping[str, str]
) -> dict[str, Comparison]:
    """Return what became of comparing each app."""
    both = SideBySide(targets, home, environment)
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


@pytest.mark.exhaustive
@pytest.mark.skipif(not WHOLE, reason="it takes minutes: make exhaustive")
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
