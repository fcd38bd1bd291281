"""What is loaded at its first use is whole, however many first uses there are at once."""

import subprocess
import sys
from pathlib import Path

FIRST_USES = """
import asyncio, sys
from concurrent.futures import ThreadPoolExecutor
from resolvers.jobs.queue import JobQueue
from resolvers.rate_limits.limiter import RateLimiter, parse_limit
from resolvers.db.database import Database
from sdl.caller import Caller, Channel

async def state(database):
    async with database.connect():
        pass
    await database.close()

async def count(database):
    limits = RateLimiter("", database, {"contact": parse_limit("contact", "5/hour")})
    await limits.consume("contact", Caller("192.0.2.1", Channel.HTTP))
    await limits.close()
    await database.close()

async def launch(jobs):
    await jobs.launch()
    await jobs.close()

sys.setswitchinterval(1e-5)
url = f"sqlite:///{sys.argv[1]}/"
uses = [state(Database(url + "studio.db")), count(Database(url + "studio.db"))]
with ThreadPoolExecutor() as pool:
    assert list(pool.map(asyncio.run, [launch(JobQueue(url + "jobs.db", [])), *uses])) == [None] * 3
"""


def test_first_uses_at_once_find_everything_whole(tmp_path: Path) -> None:
    words = [sys.executable, "-c", FIRST_USES, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
