"""What Prometheus is told of the server, by its parent; imported only where somebody wants to know.

No label is from outside: the reasons of refused logins are those of ``load``, the parts and their
reasons those that the caller declares. All series are there from the start, so that none has to be
missing for an alert.
"""

from __future__ import annotations

import math
import platform
from collections import Counter as Counts
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from pettui.build import build
from pettui.ssh.apps.app_factory import GOOD
from pettui.ssh.health import DRAINS, OTHER, Health
from pettui.ssh.load import REASONS, Report, middle_of
from pettui.ssh.status import memory_of
from pettui.ssh.watchdog import read_activity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from prometheus_client.metrics_core import Metric

    from pettui.ssh.worker_link import WorkerProcess

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
    "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
    "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
)
_METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"
_JSON: Final = "application/json"
HEALTH: Final = b"/healthz"


class Metrics:
    """The counters of one server, in a registry of their own."""

    def __init__(
        self,
        numbers: Callable[[], Mapping[str, Any]],
        health: Health,
        obstacle: Callable[[], str],
        workers: Callable[[], Iterable[WorkerProcess]],
    ) -> None:
        """Start with nothing counted.

        Args:
            numbers: returns those of the server's status, as they are now.
            health: of what its apps depend on.
            obstacle: returns why no session can be started now; "" where one can.
            workers: returns those that serve.
        """
        # They double the counters' series, and say no more than when the process started.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._health, self._obstacle = health, obstacle
        for name, (status_name, description) in GAUGES.items():
            self._watch(name, description, partial(_number_of, numbers, status_name))
        self._watch("healthy", "Whether sessions can be started.", lambda: float(not obstacle()))
        self._watch("draining", "Whether it is about to end.", lambda: float(obstacle() == DRAINS))
        for name, description in health.watched.numbers.items():
            self._watch(name, description, partial(health.number, name))
        self._keys = Counter("pettui_ssh_keys", "Keys of all users.", registry=self.registry)
        self._key_seconds = KeySeconds()
        self._refused = Counter(
            "pettui_ssh_refused_logins", "Refused logins.", ("reason",), registry=self.registry
        )
        for refused in REASONS:
            self._refused.labels(refused)
        self.worker_ends = Counter(
            "pettui_ssh_worker_ends", "Processes that ended by themselves.", registry=self.registry
        )
        self.lines_dropped = Counter(
            "pettui_ssh_log_lines_dropped", "Lines that the log lost.", registry=self.registry
        )
        Gauge(
            "pettui_ssh_build_info", "What runs.", ("version", "python"), registry=self.registry
        ).labels(build(), platform.python_version()).set(1)
        for name, reasons in health.watched.parts.items():
            self._watch(
                f"{name}_up", f"Whether the {name} can be used.", partial(self._is, name, GOOD)
            )
            away = Gauge(
                f"pettui_ssh_{name}_away",
                f"Why the {name} can't be used.",
                ("reason",),
                registry=self.registry,
            )
            for reason in (*reasons, OTHER):
                away.labels(reason).set_function(partial(self._is, name, reason))
        for collector in (self._key_seconds, Workers(workers)):
            self.registry.register(collector)
        ProcessCollector(registry=self.registry)  # of the parent

    def _watch(self, name: str, description: str, value: Callable[[], float]) -> None:
        Gauge(f"pettui_ssh_{name}", description, registry=self.registry).set_function(value)

    def _is(self, part: str, reason: str) -> float:
        """Return 1 if a part is as this says, 0 if not, and nan where that is not known."""
        known = self._health.part(part)
        return math.nan if known is None else float(known == reason)

    def report(self, report: Report) -> None:
        """Count what a worker has reported.

        Raises:
            ValueError: a reason is none of ours, or is counted down.
        """
        refused = [(reason.encode("ascii").decode(), count) for reason, count in report.refused]
        self._keys.inc(report.keys)
        self._key_seconds.bins.update(dict(report.bins))
        self.lines_dropped.inc(report.lines_dropped)
        for reason, count in refused:
            self._refused.labels(reason).inc(count)

    def respond(self, request: bytes) -> bytes:
        """Return the response to an HTTP request: health by its path, the metrics by any other."""
        method, _, rest = request.partition(b" ")
        if method not in (b"GET", b"HEAD"):
            return _HEAD.format("405 Method Not Allowed", _METRICS, 0).encode()
        status, kind = "200 OK", _METRICS
        if rest.split(b" ", 1)[0].partition(b"?")[0] == HEALTH:
            status, body = self._health.response(self._obstacle())
            kind = _JSON
        else:
            body = generate_latest(self.registry)
        head = _HEAD.format(status, kind, len(body)).encode()
        return head if method == b"HEAD" else head + body


def _number_of(numbers: Callable[[], Mapping[str, Any]], name: str) -> float:
    return float(numbers()[name])


class KeySeconds(Collector):
    """The histogram of ``load``, in the buckets of Prometheus, each bin by its middle."""

    def __init__(self) -> None:
        self.bins: Counts[int] = Counts()  # since the start

    def collect(self) -> Iterable[Metric]:
        """Return what was counted so far."""
        counted = [(middle_of(index), count) for index, count in self.bins.items()]
        buckets = [
            (str(bound), float(sum(count for middle, count in counted if middle <= bound)))
            for bound in BUCKETS
        ]
        return [
            HistogramMetricFamily(
                "pettui_ssh_key_seconds",
                "Seconds from a key to its frame, of some twenty keys a second in each process.",
                [*buckets, ("+Inf", float(self.bins.total()))],
                sum(middle * count for middle, count in counted),
            )
        ]


class Workers(Collector):
    """What each process costs, by its number, which the one that replaces it has again."""

    def __init__(self, workers: Callable[[], Iterable[WorkerProcess]]) -> None:
        self._workers = workers

    def collect(self) -> Iterable[Metric]:
        """Return what the system says now."""
        memory = GaugeMetricFamily(
            "pettui_ssh_worker_memory_bytes", "Memory of a process (PSS).", labels=("worker",)
        )
        cpu = CounterMetricFamily(
            "pettui_ssh_worker_cpu_seconds", "Processor time of a process.", labels=("worker",)
        )
        for worker in self._workers():
            label = (str(worker.number),)
            memory.add_metric(label, math.nan if (size := memory_of(worker.pid)) is None else size)
            activity = read_activity(worker.pid)
            cpu.add_metric(label, math.nan if activity is None else activity.cpu)
        return [memory, cpu]
