"""A backup that is taken amid writes has all that was acknowledged before it, and restores it."""

import threading
from functools import partial
from itertools import count
from pathlib import Path

import httpx
from contact_inbox import LETTER, delivered, desk
from running_server import Running, eventually
from webhook_server import SCALE

from resolvers.db.database import Database
from resolvers.transparency.store import ProofStore
from studiograph.__main__ import main
from studiograph.settings import Settings

ROUNDS = 5 * SCALE
WRITERS = 3


def write(
    server: Running, acknowledged: list[str], numbers: "count[int]", end: threading.Event
) -> None:
    """Write to the human until the end, and note what was acknowledged."""
    with httpx.Client(base_url=server.address, timeout=60) as client:
        while not end.is_set():
            mark = f"letter-{next(numbers)}-end"
            body = {**LETTER, "message": f"{LETTER['message']} {mark}"}
            if client.post("/api/contact", json=body).status_code == 200:
                acknowledged.append(mark)
            end.wait(0.02)


def settings_in(folder: Path) -> Settings:
    """The settings of a studio in a folder."""
    return Settings(content=folder / "content", data=folder / "var")


def saved_and_restored(home: Path, file: Path) -> Path:
    """A folder of another machine, with what was saved just now."""
    here, there = settings_in(home), settings_in(file.with_suffix(""))
    assert main(["backup", str(file)], settings=lambda: here) == 0
    assert main(["restore", str(file)], settings=lambda: there) == 0
    stores = [ProofStore(Database(f"sqlite:///{each.data}/studio.db")) for each in (here, there)]
    assert stores[0].current_log() == stores[1].current_log()
    assert stores[0].published_words() == stores[1].published_words()
    return file.with_suffix("")


def test_what_was_acknowledged_before_a_backup_is_in_what_it_restores(tmp_path: Path) -> None:
    acknowledged, numbers, end = list[str](), count(), threading.Event()
    home = tmp_path / "home"
    home.mkdir()
    with desk(home, CONTACT_LIMIT="0", AI_LLM="none") as server:
        words = (server, acknowledged, numbers, end)
        writers = [threading.Thread(target=write, args=words) for _ in range(WRITERS)]
        for writer in writers:
            writer.start()
        try:
            for number in range(ROUNDS):
                eventually(partial(has_at_least, acknowledged, len(acknowledged) + 5), 60)
                due = [*acknowledged]
                other = saved_and_restored(home, tmp_path / f"backup-{number}.tar")
                saved = b"\n".join(delivered(other)).decode()
                assert [mark for mark in due if mark not in saved] == []
        finally:
            end.set()
            for writer in writers:
                writer.join()


def has_at_least(items: list[str], number: int) -> bool:
    """Whether there are so many."""
    return len(items) >= number
