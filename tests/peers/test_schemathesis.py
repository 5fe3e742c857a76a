"""schemathesis against the running service: every check, every phase, and no finding.

The description is ``openapi.yaml`` and what it implies: the 400 of ``limit``'s bounds, the bounds
of int64, and a link from createPet to getPet.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.exhaustive import only_whole
from tests.service.running_service import KEY, running_service

pytestmark = pytest.mark.exhaustive

HERE = Path(__file__).parent
DESCRIPTION = HERE.parent / "service" / "openapi-testing.yaml"
EVERYTHING = ("--phases", "examples,coverage,fuzzing,stateful")
LITTLE = ("--phases", "fuzzing", "--max-examples", "1")


@pytest.fixture
def running(tmp_path):
    with running_service(tmp_path, samples=60) as service:
        yield service


def schemathesis(service, directory, seed, amount=EVERYTHING, key=KEY):
    program = [Path(sys.executable).with_name("schemathesis")]
    options = ["--config-file", HERE / "schemathesis.toml"]
    run = ["run", DESCRIPTION, "--url", service.base_url, "--checks", "all", *amount]
    return subprocess.run(
        [*program, *options, *run, "--seed", str(seed), "--no-color"],
        check=False,
        cwd=directory,
        env=os.environ | {"PETTUI_TEST_KEY": key},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("seed", [1, *only_whole(20, 300)])
def test_schemathesis_finds_nothing(running, tmp_path, seed):
    finished = schemathesis(running, tmp_path, seed)
    assert finished.returncode == 0, finished.stdout
    assert "No issues found" in finished.stdout
    assert {line["status"] for line in running.lines()} == {200, 201, 400, 401, 404, 405}
    assert running.stop() == 0
    assert running.events() <= {"malformed request"}  # some of what it sends is not HTTP


def test_a_wrong_key_does_not_pass_silently(running, tmp_path):
    finished = schemathesis(running, tmp_path, 1, amount=LITTLE, key="wrong")
    assert finished.returncode != 0
    assert "authentication" in finished.stdout.lower()
