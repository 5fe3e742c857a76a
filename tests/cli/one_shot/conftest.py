"""One-shot commands with services that misbehave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.peers.hostile_services import Services
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Run
    from tests.client.hostile.server import Step


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


class Asked(Protocol):
    """Returns what runs the program on a service that takes the given steps."""

    def __call__(self, *steps: Step) -> Run: ...


@pytest.fixture
def asked(run_here: Run, services: Services) -> Asked:
    return lambda *steps: calling(run_here, services.open(*steps).base_url)


def json_lines(text: str) -> list[dict[str, Any]]:
    """Parse the output of ``--json``."""
    return [json.loads(line) for line in text.splitlines()]
