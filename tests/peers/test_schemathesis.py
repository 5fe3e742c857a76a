"""schemathesis against the running service: every check, every phase, and no finding.

The description is ``interface.yaml`` and what it implies: the 400 of ``limit``'s bounds, the bounds
of int64, and a link from createPet to getPet.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.exhaustive import only_whole
from tests.service.running_service import KEY, running_service

HERE = Path(__file__).parent
BOUNDS = {"minimum": -(2**63), "maximum": 2**63 - 1}


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [1, *only_whole(20, 300)])
def test_schemathesis_finds_nothing(tmp_path: Path, seed: int) -> None:
    described = tmp_path / "described.json"
    described.write_text(json.dumps(implied()))
    program = Path(sys.executable).with_name("schemathesis")
    options = ["--phases", "examples,coverage,fuzzing,stateful", "--checks", "all", "--no-color"]
    with running_service(tmp_path, samples=60) as running:
        finished = subprocess.run(
            [program, "--config-file", HERE / "schemathesis.toml", "run", described, *options,
             "--url", running.base_url, "--seed", str(seed)],
            check=False, cwd=tmp_path, env=os.environ | {"PETTUI_TEST_KEY": KEY},
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert finished.returncode == 0, finished.stdout
        assert "No issues found" in finished.stdout
        assert {line["status"] for line in running.lines()} == {200, 201, 400, 401, 404, 405}
        assert running.stop() == 0
        assert running.events() <= {"malformed request"}  # some of what it sends is not HTTP


def implied() -> dict[str, Any]:
    """Return the description with what it implies."""
    text = (HERE.parent / "service" / "interface.yaml").read_text()
    description: dict[str, Any] = json.loads(
        json.dumps(yaml.safe_load(text)),
        object_hook=lambda node: node | BOUNDS if node.get("format") == "int64" else node,
    )
    pets = description["paths"]["/pets"]
    pets["get"]["responses"]["400"] = pets["post"]["responses"]["400"]
    link = {"operationId": "getPet", "parameters": {"petId": "$response.body#/id"}}
    pets["post"]["responses"]["201"]["links"] = {"GetCreated": link}
    return description
