"""Where calls are counted is settled at the start, or the start is refused."""

import subprocess
import sys
from pathlib import Path

import pytest
from repository import SAMPLE

from studiograph.settings import SettingsError, read_settings


@pytest.mark.parametrize(
    "url",
    [
        *("redis://u:secret@127.0.0.1:99999/0", "redis://127.0.0.1/0?secret=1", "redis://"),
        *("redis://u:secret/x@127.0.0.1/0", "redis://127.0.0.1/secret", "rediss://127.0.0.1:0"),
        *("memory://secret", "memcached://secret", "redis://[secret]/0"),
    ],
)
def test_an_address_that_is_none_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(SettingsError, match="STUDIOGRAPH_RATELIMIT_URL: must be") as refused:
        read_settings({"STUDIOGRAPH_RATELIMIT_URL": url})
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1", "rediss://u:p@[::1]:6380/3", "redis://:p@redis:6379/", "memory://"]
)
def test_an_address_of_a_store_is_taken(url: str) -> None:
    assert read_settings({"STUDIOGRAPH_RATELIMIT_URL": url}).ratelimit_url == url


def test_the_memory_of_one_process_is_refused_to_several(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("STUDIOGRAPH_RATELIMIT_URL=memory://\nSTUDIOGRAPH_PORT=0\n")
    done = subprocess.run(
        [sys.executable, "-m", "studiograph", "serve", "--workers", "2"],
        env={"STUDIOGRAPH_CONTENT": str(SAMPLE), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Fix: leave STUDIOGRAPH_RATELIMIT_URL empty" in done.stderr
