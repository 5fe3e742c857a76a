"""The units of docs/deploy: systemd accepts them, and finds them confined."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pettui.cli.command_line import CommandParser
from pettui.cli.commands import COMMANDS
from pettui.configuration import read_settings
from tests.documentation import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DEPLOY = ROOT / "docs" / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
INSTALLED = "/opt/pettui/bin/pettui"


@pytest.fixture(scope="module")
def analyze() -> str:
    found = shutil.which("systemd-analyze")
    if found is None:
        reason = "no systemd-analyze here (apt package systemd)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def test_systemd_accepts_the_units(analyze: str, tmp_path: Path) -> None:
    for unit in DEPLOY.glob("*.s[eo][rc]*"):  # services and sockets
        # That of this machine: only a program that is there is accepted.
        text = unit.read_text(encoding="utf-8").replace(INSTALLED, sys.executable)
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    verified = subprocess.run(
        [analyze, "verify", "--man=no", *tmp_path.iterdir()],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    of_ours = [line for line in verified.stderr.splitlines() if "pettui" in line]
    assert (verified.returncode, of_ours) == (0, [])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_may_do_little_more_than_it_needs(analyze: str, unit: Path) -> None:
    security = [analyze, "security", "--offline=true", "--threshold=25", unit]
    rated = subprocess.run(security, capture_output=True, text=True, check=False, timeout=60)
    assert rated.returncode == 0, rated.stdout


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_pettui_accepts_the_command_of_a_unit(unit: Path) -> None:
    text = unit.read_text(encoding="utf-8").replace("\\\n", " ")
    [line] = re.findall(rf"^ExecStart={INSTALLED} (.*)$", text, re.MULTILINE)
    name, *words = line.split()
    [command] = [each for each in COMMANDS if each.name == name]
    CommandParser(command).parse_args(words)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_service_never_listens_without_its_socket(unit: Path) -> None:
    """A socket fails with its service; without it a new start would listen on loopback alone."""
    assert f"Requires={unit.stem}.socket" in unit.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_the_process_of_a_unit_can_be_measured(unit: Path) -> None:
    """Without /proc/stat prometheus_client has no metrics of the process."""
    assert "ProcSubset=pid" not in unit.read_text(encoding="utf-8")


def test_the_profile_of_the_unit_is_accepted() -> None:
    options = {"config": str(DEPLOY / "ssh.toml"), "profile": "store"}
    settings = read_settings(options, {"STORE_KEY": "sekrit-0123456789"})
    assert settings.profile.base_url == "http://127.0.0.1:8080/v1"
