"""PacketShare: what the packets of one client may cost its process."""

from __future__ import annotations

import pytest

from pettui.ssh import packet_share
from pettui.ssh.packet_share import BURST, SHARE, PacketShare


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(packet_share, "monotonic", lambda: now[0])
    return now


def test_a_client_that_types_never_waits(clock: list[float]) -> None:
    share = PacketShare()
    for _ in range(1000):
        clock[0] += 0.02
        assert share.use(0.002) == 0


def test_a_burst_is_free(clock: list[float]) -> None:
    share = PacketShare()
    assert [share.use(BURST / 10) for _ in range(9)] == [0] * 9


def test_a_flood_gets_no_more_than_its_share(clock: list[float]) -> None:
    share, used, began = PacketShare(), 0.0, clock[0]
    while clock[0] < began + 100:
        clock[0] += 0.01 + share.use(0.01)
        used += 0.01
    assert used <= 100 * SHARE + BURST + 0.01


def test_what_was_used_is_forgotten_after_a_while(clock: list[float]) -> None:
    share = PacketShare()
    assert share.use(5 * BURST) > 0
    clock[0] += 5 * BURST / SHARE
    assert share.use(BURST / 2) == 0
