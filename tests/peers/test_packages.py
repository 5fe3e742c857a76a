"""The wheel and the source archive: built, checked, and run from fresh environments."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZipFile

import pytest

from pettui.build import checked_out
from tests.cli.conftest import finished
from tests.peers.ssh_server import SSH_PROGRAM, SshServer
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.peers.conftest import Start

ROOT = Path(__file__).parent.parent.parent
BIN = Path(sys.executable).parent
NEWEST_SAMPLE = "Mitzi"
KEY = "till-1-0123456789"


class Packages(NamedTuple):
    """What a release uploads."""

    wheel: Path
    sdist: Path


def uv(*words: str | Path) -> None:
    subprocess.run([BIN / "uv", *words, "--quiet"], check=True, timeout=10 * PATIENCE)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """The wheel is built from the source archive, as an index would build it."""
    directory = tmp_path_factory.mktemp("dist")
    uv("build", "--python", sys.executable, "--out-dir", directory, ROOT)
    [wheel], [sdist] = directory.glob("*.whl"), directory.glob("*.tar.gz")
    return Packages(wheel, sdist)


@pytest.fixture
def install(packages: Packages, tmp_path: Path) -> Callable[..., str]:
    """Installs the wheel into an environment of its own; returns its ``pettui``."""

    def install(extra: str = "") -> str:
        programs = tmp_path / "venv" / "bin"
        uv("venv", "--python", sys.executable, programs.parent)
        constraints = ("--constraint", ROOT / "constraints.txt")
        wheel = f"{packages.wheel}{extra}"
        uv("pip", "install", "--python", programs / "python", *constraints, wheel)
        return str(programs / "pettui")

    return install


def test_both_packages_pass_twines_check(packages: Packages) -> None:
    subprocess.run([BIN / "twine", "check", "--strict", *packages], check=True, timeout=PATIENCE)


def test_the_wheel_holds_the_package_the_manual_page_and_nothing_else(packages: Packages) -> None:
    package = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "pettui").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    data_files = {
        "pettui/tui/widgets/pettui.tcss",
        "pettui/tui/widgets/screens.tcss",
        "pettui/py.typed",
        "pettui/service/openapi.yaml",
    }
    assert data_files <= package
    with ZipFile(packages.wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        commit = wheel.read("pettui/commit").decode().strip() if "pettui/commit" in names else ""
    assert commit == checked_out(str(ROOT))  # "" where the tests are those of a source archive
    (shared,) = names - package - {"pettui/commit"}
    assert shared.endswith(".data/data/share/man/man1/pettui.1")
    assert package < names


def test_the_source_archive_holds_the_tests_and_all_that_they_read(packages: Packages) -> None:
    with tarfile.open(packages.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    read = ("README.md", "CHANGELOG.md", "docs/demo.md", "screenshots/tour.svg", "constraints.txt")
    assert {*read, "LICENSE", "tests/conftest.py", "tests/peers/schemathesis.toml"} <= names


@pytest.mark.exhaustive
def test_the_demo_runs_without_any_extra(install: Callable[..., str], start: Start) -> None:
    terminal = start("--demo", program=[install()])
    terminal.wait_for("DEMO", NEWEST_SAMPLE)
    terminal.quit()


@pytest.mark.exhaustive
def test_what_is_said_of_missing_extras_installs_them_all(
    install: Callable[..., str], environment: Mapping[str, str]
) -> None:
    program = install()
    words = ["serve", "--init", "--database", "postgresql://nobody@localhost:9/shop"]
    missing = finished([program, *words], environment)
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    wanted = re.search(r"install pettui again from its directory, as '\.(\[.+\])'", missing.stderr)
    assert wanted is not None, missing.stderr
    python, constraints = Path(program).parent / "python", ROOT / "constraints.txt"
    uv("pip", "install", "--python", python, "--constraint", constraints, f"{ROOT}{wanted[1]}")
    errors = finished([program, *words], {**environment, "PETTUI_SERVICE_KEYS": KEY}).stderr
    assert "install" not in errors
    assert "localhost" in errors  # psycopg tried to reach it


@pytest.mark.exhaustive
def test_serve_runs_with_its_extra_alone(
    install: Callable[..., str], environment: Mapping[str, str]
) -> None:
    program = install("[serve]")
    with subprocess.Popen(
        [program, "serve", "--port", "0", "--samples", "3"],
        env={**environment, "PETTUI_SERVICE_KEYS": KEY},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+/v1", line)
        assert found is not None, line
        listed = finished(
            [program, "list", "--base-url", found[0]], {**environment, "PETTUI_API_KEY": KEY}
        )
        process.terminate()
        assert (listed.returncode, listed.stdout.count("\n")) == (0, 1 + 3)
        assert process.wait(PATIENCE) == 0


@pytest.mark.exhaustive
def test_ssh_runs_with_its_extra_alone(
    install: Callable[..., str], serve_ssh: Callable[..., SshServer]
) -> None:
    program = install("[ssh]")
    serve_ssh("--workers=1", program=[program, *SSH_PROGRAM[1:]]).connect().quit()
