"""The description of the interface that the service sends, and the one that it is tested by."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

TESTED = Path(__file__).parent.parent / "service" / "openapi-testing.yaml"
BOUNDS = {"minimum": -(2**63), "maximum": 2**63 - 1}


def test_the_description_is_the_tested_one_without_what_it_implies() -> None:
    sent = yaml.safe_load((resources.files("pettui.service") / "openapi.yaml").read_text())
    tested = yaml.safe_load(TESTED.read_text())
    del tested["paths"]["/pets"]["get"]["responses"]["400"]  # of limit's bounds
    del tested["paths"]["/pets"]["post"]["responses"]["201"]["links"]
    assert json.dumps(without_bounds(tested), sort_keys=True) == json.dumps(sent, sort_keys=True)


def without_bounds(node: Any) -> Any:
    """Return a description without the bounds of int64, which its format implies."""
    if isinstance(node, list):
        return [without_bounds(each) for each in node]
    if not isinstance(node, dict):
        return node
    is_int64 = node.get("format") == "int64"
    return {
        name: without_bounds(value)
        for name, value in node.items()
        if not (is_int64 and name in BOUNDS and value == BOUNDS[name])
    }
