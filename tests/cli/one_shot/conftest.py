"""One-shot commands with services that misbehave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.peers.hostile_services import Services
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Run


@pytest.fixture
def services() -> Iterator[Services]:
    """Opens services that take the given steps."""
    opened = Services()
    yield opened
    opened.close()


def calling(run: Run, base_url: str) -> Run:
    """Return what runs the program on the service at an address."""

    def call(*words: str, **environment: str) -> Any:
        usual = {"PETTUI_BASE_URL": base_url, "PETTUI_API_KEY": KEY}
        return run(*words, **usual | environment)

    return call


def json_lines(text: str) -> list[dict[str, Any]]:
    """Parse the output of ``--json``."""
    return [json.loads(line) for line in text.splitlines()]
