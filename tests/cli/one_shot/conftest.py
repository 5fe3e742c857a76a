"""The installed program with real services, and with services that misbehave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.peers.hostile_services import Services
from tests.service.running_service import KEY, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Run
    from tests.service.running_service import RunningService

SAMPLES = 130  # animals: two pages of 100
INTERRUPTIBLE = """
import signal, sys
from pettui.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
sys.exit(main())
"""

Call = "Callable[..., subprocess.CompletedProcess[str]]"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with animals, for tests that add none."""
    with running_service(tmp_path_factory.mktemp("service"), samples=SAMPLES) as running:
        yield running


@pytest.fixture
def call(run: Run, service: RunningService) -> Run:
    """Run the program on that service."""
    return calling(run, service.base_url)


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
