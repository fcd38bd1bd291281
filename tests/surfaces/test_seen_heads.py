"""`studiograph verify` remembers what it saw of a service only if all of it was right."""

from pathlib import Path

import pytest
from outside_reader import command
from running_server import Running
from tampering import source_of, tampering


def test_a_service_found_wrong_is_not_remembered(
    web: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = tmp_path / "state" / "studiograph" / "seen.json"
    source = source_of(web)
    with tampering(source) as proxy:
        assert command(tmp_path, "verify", proxy.address, "--quiet") == 0
        last = proxy.heard[-1]
        seen.unlink()  # of a service that was right there is one
        proxy.reset(source)
        proxy.changes[last] = lambda _: b"{}"
        assert command(tmp_path, "verify", proxy.address, "--quiet") == 1
    assert f"WRONG  {last}" in capsys.readouterr().out
    assert not seen.exists()
