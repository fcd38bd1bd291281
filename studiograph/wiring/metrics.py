"""Metrics of all processes on a port of the loopback, in the text format of Prometheus.

Every process writes its numbers to files in the folder `metrics` of the data folder, and the first
process adds them up when it is asked. The library is imported only where metrics are on: it looks
for the folder in the environment when it is imported.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_bridge.description import PATH as MCP_PATH
from resolvers.jobs.store import count_unfinished
from resolvers.usage.recorder import family_of
from rest_bridge.endpoints.graphql import PATH as GRAPHQL_PATH
from rest_bridge.http.access_log import request_observers
from sdl.errors import UnavailableError
from studiograph.reload import running
from studiograph.settings import Settings, jobs_url

if TYPE_CHECKING:
    from studiograph.application import Application


LOOPBACK = "127.0.0.1"
_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_LAG_SECONDS = 0.5
"""How often it is measured how late the event loop is."""
_STATE_SECONDS = 5
_REQUEST_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60)
_LAG_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
_DIGITS = slice(7, 19)
"""The first 48 bits of a revision's digest, which a number of the format holds exactly."""
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


log = logging.getLogger("studiograph.faults")


class Metrics:
    """The metrics of one process."""

    def __init__(self, folder: Path) -> None:
        """Write to files of the folder from now on."""
        client = _client(folder)
        self._kinds: set[str] = set()
        counter, gauge, histogram = client.Counter, client.Gauge, client.Histogram
        self.requests: Any = counter(
            "studiograph_requests",
            "Requests by route, status, surface and family of the declared agent.",
            ["route", "status", "surface", "agent"],
        )
        self.signed: Any = counter(
            "studiograph_signed_requests",
            "Requests by route and status that an agent signed with a key it publishes.",
            ["route", "status"],
        )
        self.seconds: Any = histogram(
            "studiograph_request_seconds",
            "Time until a response was sent.",
            ["route"],
            buckets=_REQUEST_BUCKETS,
        )
        self.lag: Any = histogram(
            "studiograph_loop_lag_seconds",
            "How much later than asked for the event loop continued.",
            buckets=_LAG_BUCKETS,
        )
        self.waiting: Any = gauge(
            "studiograph_queue_length",
            "Calls that wait for the models, by kind of work.",
            ["queue"],
            multiprocess_mode="livesum",
        )
        self.memory: Any = gauge(
            "studiograph_resident_bytes", "Resident memory.", multiprocess_mode="liveall"
        )
        self.revision: Any = gauge(
            "studiograph_content_revision",
            "The first 48 bits of the digest of the content that is served.",
            multiprocess_mode="liveall",
        )
        self.stale: Any = gauge(
            "studiograph_content_stale",
            "1 if newer content is invalid and older content is served.",
            multiprocess_mode="livemax",
        )
        self.answers: Any = gauge(
            "studiograph_models_ready", "1 if questions are answered.", multiprocess_mode="livemin"
        )
        self.key_age: Any = gauge(
            "studiograph_signing_key_age_seconds",
            "Time since the signing key became active.",
            multiprocess_mode="livemax",
        )
        self.jobs: Any = gauge(
            "studiograph_jobs_unfinished",
            "Deliveries and mails that wait, run or have failed for good, by kind.",
            ["kind"],
            multiprocess_mode="livemax",
        )
        self.given_up: Any = gauge(
            "studiograph_deliveries_given_up",
            "Webhook deliveries whose attempts all failed.",
            multiprocess_mode="livemax",
        )

    def observe(  # noqa: PLR0913 - what is known of a request
        self, *, route: str, status: int, seconds: float, agent: str, path: str, is_verified: bool
    ) -> None:
        """Count a request."""
        del path
        if is_verified:
            self.signed.labels(route, status).inc()
        self.requests.labels(route, status, surface_of(route), family_of(agent)).inc()
        self.seconds.labels(route).observe(seconds)

    async def follow_loop(self) -> None:
        """Measure the lag of the event loop, forever."""
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            await asyncio.sleep(_LAG_SECONDS)
            self.lag.observe(max(0.0, clock() - began - _LAG_SECONDS))

    async def follow_state(self, app: "Application") -> None:
        """Note the state of the process, forever."""
        while True:
            try:
                await self._note_state(app)
            except UnavailableError:
                pass  # it is logged, and the last numbers stay
            except Exception:  # an odd state must not end this loop for good
                log.exception("the state of the process was not measured; trying again")
            await asyncio.sleep(_STATE_SECONDS)

    async def _note_state(self, app: "Application") -> None:
        services, content = app.services, app.current.state
        self.waiting.labels("questions").set(services.models.waiting)
        self.memory.set(_resident_bytes())
        self.revision.set(int(content["revision"][_DIGITS], 16))
        self.stale.set(content["content"] == "stale")
        self.answers.set(services.models.state == "ready")
        active_from = services.proofs.signing_key.active_from
        self.key_age.set((services.proofs.clock() - active_from).total_seconds())
        kinds = await asyncio.to_thread(count_unfinished, jobs_url(app.settings))
        for kind in {*kinds, *self._kinds}:
            self.jobs.labels(kind).set(kinds.get(kind, 0))
        self._kinds |= {*kinds}
        self.given_up.set(await services.webhooks.deliveries.count_dead())


def surface_of(route: str) -> str:
    """Return the surface that a route belongs to: `graphql`, `mcp` or `http`."""
    for surface, path in (("graphql", GRAPHQL_PATH), ("mcp", MCP_PATH)):
        if route == path or route.startswith((f"{path}/", f"{path}#")):
            return surface
    return "http"


@asynccontextmanager
async def measuring(app: "Application") -> AsyncIterator[None]:
    """Measure this process until the block ends, if metrics are on."""
    if not app.settings.metrics_port:
        yield
        return
    metrics = Metrics(_folder(app.settings))
    request_observers.append(metrics.observe)
    async with running(metrics.follow_loop(), metrics.follow_state(app)):
        try:
            yield
        finally:
            request_observers.remove(metrics.observe)


def show_metrics(settings: Settings) -> None:
    """Show the metrics of all processes on a port, in a thread. Raises: OSError."""
    folder = _folder(settings)
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    client = _client(folder)
    registry = client.CollectorRegistry()
    registry.register(_LiveProcesses(folder))
    client.start_http_server(settings.metrics_port, LOOPBACK, registry)
    # Only now are the files those of an earlier service: one that runs would have the port.
    for file in folder.iterdir():
        file.unlink()


class _LiveProcesses:
    """Adds up the files of all processes, without the state of those that have ended."""

    def __init__(self, folder: Path) -> None:
        from prometheus_client import multiprocess  # noqa: PLC0415 - only where metrics are on

        self._folder = folder
        self._library: Any = multiprocess
        self._all = self._library.MultiProcessCollector(None, str(folder))

    def collect(self) -> Any:
        """Return the metrics."""
        for file in self._folder.glob("gauge_live*_*.db"):
            pid = int(file.stem.rpartition("_")[2])
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                self._library.mark_process_dead(pid, str(self._folder))
        return self._all.collect()


def _client(folder: Path) -> Any:
    """Import the library, which writes to the folder from now on."""
    os.environ[_FOLDER_VARIABLE] = str(folder)
    import prometheus_client  # noqa: PLC0415 - only where metrics are on

    return prometheus_client


def _folder(settings: Settings) -> Path:
    return settings.data / "metrics"


def _resident_bytes() -> int:
    """Return the resident memory of this process. Source: proc(5)."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE_BYTES
