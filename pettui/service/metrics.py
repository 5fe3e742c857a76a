"""What Prometheus is told of the service; imported only where somebody wants to know.

No label is from outside: operations are those of the interface, statuses those that are sent.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, make_asgi_app
from prometheus_client.process_collector import ProcessCollector

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import Scope

OTHER: Final = "other"
OPERATIONS: Final = MappingProxyType(
    {
        ("GET", "/v1/pets"): "listPets",
        ("HEAD", "/v1/pets"): "listPets",
        ("POST", "/v1/pets"): "createPet",
        ("GET", "/v1/pets/"): "getPet",
        ("HEAD", "/v1/pets/"): "getPet",
        ("GET", "/healthz"): "health",
        ("HEAD", "/healthz"): "health",
    }
)
BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
UNAUTHORIZED: Final = 401


class Metrics:
    """The counters of one service, in a registry of their own."""

    def __init__(self) -> None:
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
            "pettui_refused_keys", "Requests without a valid key.", registry=self.registry
        )
        ProcessCollector(registry=self.registry)
        # A look-up of its labels costs more than to count.
        self._counted: dict[tuple[str, int | None], Counter] = {}
        self._timed = {
            operation: self._seconds.labels(operation)
            for operation in {*OPERATIONS.values(), OTHER}
        }

    def count(self, scope: Scope, status: int | None, seconds: float) -> None:
        """Count a request; its status is None if the client was gone."""
        operation = operation_of(scope["method"], scope["path"])
        self._timed[operation].observe(seconds)
        counter = self._counted.get((operation, status))
        if counter is None:
            label = "none" if status is None else str(status)
            counter = self._requests.labels(operation, label)
            self._counted[operation, status] = counter
        counter.inc()
        if status == UNAUTHORIZED:
            self._refused.inc()

    def watch(self, name: str, description: str, value: Callable[[], float]) -> None:
        """Have a value read whenever Prometheus asks."""
        Gauge(name, description, registry=self.registry).set_function(value)

    def page(self) -> Any:
        """Return the metrics as an ASGI app."""
        return make_asgi_app(self.registry)


def operation_of(method: str, path: str) -> str:
    """Return the operation of a request, as the interface calls it, or ``other``."""
    if path.startswith("/v1/pets/"):
        path = "/v1/pets/"  # whatever the id
    return OPERATIONS.get((method, path), OTHER)
