"""What every room's tests share: a home that is nobody's, and what a login shell gives in it."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.service.private_postgres import PrivatePostgres

COVERAGE = "COVERAGE_PROCESS_CONFIG"  # what coverage tells the processes that it measures
LONGEST = 600.0  # seconds of a test; one that takes more hangs
STDERR = pytest.StashKey[int]()  # pytest's own, which tests do not write to


def pytest_configure(config: pytest.Config) -> None:
    """Restore the default action of SIGHUP, which ``nohup`` has programs ignore.

    And let hypothesis time nothing, and try a few examples where it is not asked for more.
    """
    config.stash[STDERR] = os.dup(2)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    examples = 100 if os.environ.get("HYPOTHESIS_PROFILE") == "ci" else 10
    profile = settings(
        max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.register_profile("pettui", profile)
    settings.load_profile("pettui")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the thousands of tests themselves out of garbage collections, and have fewer of them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # A test is over before it has made much garbage; by default 1 of 15 seconds goes to looking.
        gc.set_threshold(50_000, 20)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """End the process of a test that hangs, with all stacks; xdist then fails it by name."""
    if os.environ.get("PETTUI_WHOLE_RUNS"):  # of which some take longer
        return (yield)
    stderr = item.config.stash[STDERR]
    faulthandler.dump_traceback_later(LONGEST, exit=True, file=stderr)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def unmeasured(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which coverage does not measure what a process does."""
    return {name: value for name, value in environment.items() if name != COVERAGE}


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    """A server for the whole run; without one its tests are skipped, but fail in CI."""
    from tests.service.private_postgres import binaries, private_postgres

    if binaries() is None:
        reason = "no PostgreSQL binaries here (apt package postgresql)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with private_postgres("fsync=off") as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that nothing was written to."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def configure(tmp_path: Path) -> Callable[[str], Path]:
    """Return what writes a configuration file, and returns its path."""

    def configure(content: str) -> Path:
        path = tmp_path / "config.toml"
        path.write_text(content)
        return path

    return configure


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """What a login shell gives, in that home; nothing of pettui's is set."""
    coverage = {name: value for name, value in os.environ.items() if name == COVERAGE}
    return coverage | {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }
