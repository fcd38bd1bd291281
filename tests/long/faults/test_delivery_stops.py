"""A stop waits for no slow receiver beyond its time, and what it cut off is made again."""

from pathlib import Path

import pytest
from databases import KINDS
from webhook_server import studio, until
from webhook_sinks import sink


@pytest.mark.parametrize("kind", KINDS)
def test_a_stop_amid_a_slow_delivery_is_soon_and_loses_nothing(kind: str, tmp_path: Path) -> None:
    with sink() as receiver, studio(kind, tmp_path) as made:
        served = made.start(stops=True)
        receiver.rule("slow", delay=14)
        served.follow(receiver, ["slow"])
        made.publish()
        until(lambda: receiver.ledger("slow"))
        assert served.stop() == 0
        assert not receiver.ledger("slow")[0].acked  # the answer was not waited for
        made.served.clear()
        receiver.rule("slow")
        made.start()
        until(lambda: any(entry.acked for entry in receiver.ledger("slow")))
        assert len({entry.id for entry in receiver.ledger("slow")}) == 1
