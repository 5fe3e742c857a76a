"""What Prometheus is told of the service; imported only where somebody wants to know.

No label is from outside: operations are those of the interface, statuses those that are sent. The
series of all that can be expected are there from the start: none has to be missing for an alert.
"""

from __future__ import annotations

import platform
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    make_asgi_app,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from pettui.build import build
from pettui.service.keys import KEY, KeyFile, KnownKey
from pettui.service.operations import OPERATION, Operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from starlette.types import Scope


STATUSES: Final = MappingProxyType(  # that an operation has, and None where the client was gone
    {
        Operation.LIST_PETS: (200, 400, 401, 500, 503, None),
        Operation.CREATE_PET: (201, 400, 401, 403, 409, 412, 500, 503, None),
        Operation.GET_PET: (200, 400, 401, 404, 500, 503, None),
        Operation.HEALTH: (200, 503),
        Operation.DESCRIBE: (200,),
        Operation.OTHER: (401, 404, 405),
    }
)
BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
UNAUTHORIZED: Final = 401
NO_RESPONSE: Final = "none"  # the status where the client was gone


class Metrics:
    """The counters of one service, in a registry of their own."""

    def __init__(self) -> None:
        # They double the counters' series, and say no more than when the process started.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "pettui_requests", "Requests.", ("operation", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "pettui_request_seconds",
            "Seconds from a request's head to the end of its response.",
            ("operation",),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._refused = Counter(
            "pettui_refused_keys", "Requests without a known key.", registry=self.registry
        )
        self._expired = Counter(
            "pettui_expired_keys",
            "Requests with a key that has expired.",
            ("key",),
            registry=self.registry,
        )
        Gauge(
            "pettui_build_info", "What runs.", ("version", "python"), registry=self.registry
        ).labels(build(), platform.python_version()).set(1)
        ProcessCollector(registry=self.registry)
        for operation, statuses in STATUSES.items():
            self._seconds.labels(operation)
            for status in statuses:
                self._requests.labels(operation, status or NO_RESPONSE)

    def count(self, scope: Scope, status: int | None, seconds: float) -> None:
        """Count a request; its status is None if the client was gone."""
        operation = scope[OPERATION]
        self._seconds.labels(operation).observe(seconds)
        self._requests.labels(operation, status or NO_RESPONSE).inc()
        if status == UNAUTHORIZED:
            key: KnownKey | None = scope.get(KEY)
            (self._refused if key is None else self._expired.labels(key.name)).inc()

    def watch(self, name: str, description: str, value: Callable[[], float]) -> None:
        """Have a value read whenever Prometheus asks."""
        Gauge(name, description, registry=self.registry).set_function(value)

    def watch_count(self, name: str, description: str, value: Callable[[], int]) -> None:
        """Have a value read whenever Prometheus asks that only grows."""
        self.registry.register(Reading(lambda: CounterMetricFamily(name, description, value())))

    def watch_keys(self, keys: KeyFile) -> None:
        """Have the ends of a file's keys read whenever Prometheus asks."""
        self.registry.register(Reading(lambda: _expiry(keys)))
        for entry in keys.entries:
            if entry.expires is not None:
                self._expired.labels(entry.name)

    def page(self) -> Any:
        """Return the metrics as an ASGI app."""
        return make_asgi_app(self.registry)


class Reading(Collector):
    """What is read whenever Prometheus asks."""

    def __init__(self, read: Callable[[], Metric]) -> None:
        self._read = read

    def collect(self) -> Iterable[Metric]:
        """Return what is so now."""
        return [self._read()]


def _expiry(keys: KeyFile) -> Metric:
    description = "When a key expires, in seconds since 1970."
    times = GaugeMetricFamily("pettui_key_expiry_time_seconds", description, labels=("key",))
    for entry in keys.entries:
        if (end := entry.end) is not None:
            times.add_metric((entry.name,), end.timestamp())
    return times
