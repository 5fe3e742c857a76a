"""One-shot commands with services that misbehave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.cli.commands.shop_service import Shop
from tests.outbox.on_disk import outbox_directory
from tests.peers.hostile_services import Services
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.conftest import Run
    from tests.client.hostile.server import Step


@pytest.fixture
def services() -> Iterator[Services]:
    """Opens services that take the given steps."""
    opened = Services()
    yield opened
    opened.close()


def at(base_url: str) -> dict[str, str]:
    """Return the variables that choose the service at an address."""
    return {"PETTUI_BASE_URL": base_url, "PETTUI_API_KEY": KEY}


def calling(run: Run, base_url: str) -> Run:
    """Return what runs the program on the service at an address."""
    return lambda *words, **environment: run(*words, **at(base_url) | environment)


@pytest.fixture
def on_profile(run_here: Run, configure: Callable[[str], Path], shop: Shop) -> Run:
    """Runs the program on a profile named shop, with the shop's address and API key."""
    config = configure(
        f'profile = "shop"\n[profiles.shop]\nbase_url = "{shop.base_url}"\napi_key_env = "SHOP"\n'
    )

    def call(*words: str, **environment: str) -> Any:
        return run_here(*words, PETTUI_CONFIG=str(config), SHOP=KEY, **environment)

    return call


class Asked(Protocol):
    """Returns what runs the program on a service that takes the given steps."""

    def __call__(self, *steps: Step) -> Run: ...


@pytest.fixture
def asked(run_here: Run, services: Services) -> Asked:
    return lambda *steps: calling(run_here, services.open(*steps).base_url)


@pytest.fixture
def shop(services: Services) -> Shop:
    return Shop(services)


@pytest.fixture
def call(run_here: Run, shop: Shop) -> Run:
    """Runs the program on the shop."""
    return calling(run_here, shop.base_url)


@pytest.fixture
def outbox_of(home: Path, shop: Shop) -> Callable[..., Path]:
    """Returns where an owner's outbox for the shop is, or for another service on its profile."""

    def outbox_of(owner: str = "local", service: str = "") -> Path:
        state = home / ".local/state/pettui"
        return outbox_directory(state, owner, "shop", service or shop.base_url)

    return outbox_of


@pytest.fixture
def in_shop(environment: dict[str, str], shop: Shop) -> dict[str, str]:
    """The environment of a program that uses the shop."""
    return environment | at(shop.base_url)


def json_lines(text: str) -> list[dict[str, Any]]:
    """Parse the output of ``--json``."""
    return [json.loads(line) for line in text.splitlines()]
