"""What Prometheus is told of the server, by its parent; imported only where somebody wants to know.

No label is from outside: the reasons of refused logins are those of ``connection``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.process_collector import ProcessCollector

from pettui.ssh.load import middle_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

BUCKETS: Final = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
GAUGES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(  # with the name in the status
    {
        "sessions": ("sessions", "Sessions."),
        "max_sessions": ("max_sessions", "Sessions at most."),
        "waiting": ("queue", "Users who wait."),
        "max_waiting": ("max_queue", "Users who wait at most."),
        "clients": ("clients", "Sessions and waits, so far."),
        "workers": ("workers", "Processes."),
    }
)
_HEAD: Final = (
    "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
    "Content-Length: {}\r\nConnection: close\r\n\r\n"
)


class Metrics:
    """The counters of one server, in a registry of their own."""

    def __init__(self, numbers: Callable[[], Mapping[str, Any]]) -> None:
        """Start with nothing counted.

        Args:
            numbers: returns those of the server's status, as they are now.
        """
        # They double the counters' series, and say no more than when the process started.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        for name, (status_name, description) in GAUGES.items():
            gauge = Gauge(f"pettui_ssh_{name}", description, registry=self.registry)

            def value(status_name: str = status_name) -> float:
                return float(numbers()[status_name])

            gauge.set_function(value)
        self._keys = Counter("pettui_ssh_keys", "Keys of all users.", registry=self.registry)
        self._key_seconds = Histogram(
            "pettui_ssh_key_seconds",
            "Seconds from a key to its frame, of some twenty keys a second in each process.",
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._refused = Counter(
            "pettui_ssh_refused_logins", "Refused logins.", ("reason",), registry=self.registry
        )
        self.worker_ends = Counter(
            "pettui_ssh_worker_ends", "Processes that ended by themselves.", registry=self.registry
        )
        ProcessCollector(registry=self.registry)  # of the parent

    def report(
        self, keys: int, bins: Iterable[tuple[int, int]], refused: Iterable[tuple[str, int]]
    ) -> None:
        """Count what a worker has reported.

        Raises:
            ValueError: a reason is none of ours, or is counted down.
        """
        refused = [(reason.encode("ascii").decode(), count) for reason, count in refused]
        self._keys.inc(keys)
        for index, count in bins:
            for _ in range(count):
                self._key_seconds.observe(middle_of(index))
        for reason, count in refused:
            self._refused.labels(reason).inc(count)

    def respond(self, request: bytes) -> bytes:
        """Return the response to an HTTP request: the metrics, whatever the path."""
        if not request.startswith(b"GET "):
            return _HEAD.format("405 Method Not Allowed", 0).encode()
        text = generate_latest(self.registry)
        return _HEAD.format("200 OK", len(text)).encode() + text
