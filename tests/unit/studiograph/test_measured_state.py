"""What is measured goes on, and a service that cannot start takes nothing from one that runs."""

import asyncio
import socket
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from asgi_call import keeping
from reverse_proxies import free_port
from running_server import eventually

from studiograph.settings import Settings
from studiograph.wiring.metrics import Metrics, show_metrics

if TYPE_CHECKING:
    from studiograph.application import Application


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder, whose metrics the environment names for this test alone."""
    (tmp_path / "metrics").mkdir()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path / "metrics"))
    return tmp_path


def test_a_taken_port_leaves_the_files_of_the_service_that_has_it(data: Path) -> None:
    file = data / "metrics" / "counter_1.db"
    file.write_bytes(b"")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = Settings(data=data, metrics_port=taken.getsockname()[1])
        with pytest.raises(OSError, match="in use"):
            show_metrics(settings)
    assert file.exists()


def test_only_this_machine_sees_the_metrics(data: Path) -> None:
    """Another address of this machine stands for one of its network."""
    port = free_port()
    show_metrics(Settings(data=data, metrics_port=port))
    socket.create_connection(("127.0.0.1", port), 5).close()
    with socket.socket() as elsewhere:
        elsewhere.settimeout(5)
        assert elsewhere.connect_ex(("127.0.0.2", port))


def test_an_unexpected_error_is_logged_and_the_state_is_measured_again(data: Path) -> None:
    nothing_to_measure = cast("Application", None)

    async def follow() -> None:
        measuring = asyncio.create_task(Metrics(data / "metrics").follow_state(nothing_to_measure))
        await asyncio.to_thread(eventually, lambda: lines or measuring.done(), 20)
        assert not measuring.done()
        measuring.cancel()

    with keeping("studiograph.faults") as lines:
        asyncio.run(follow())
    assert "was not measured; trying again" in lines[0]
