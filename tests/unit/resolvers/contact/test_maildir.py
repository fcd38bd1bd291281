"""The inbox on this machine: every message once, whole or not at all, for its owner's eyes."""

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mail_samples import HUMAN

from resolvers.contact.transport import Maildir, MailTransport, unique_name
from sdl.errors import UnavailableError

MESSAGE = b"Subject: Hello\r\n\r\nHello.\r\n"
KEY = "c-0123456789abcdef0123456789abcdef"
KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from resolvers.contact.transport import Maildir

folder, steps = Path(sys.argv[1]), int(sys.argv[2])

def step(_, given):
    global steps
    paths = [str(one) for one in given if isinstance(one, str | Path)]
    steps -= any(path.startswith(str(folder)) for path in paths)
    if steps == 0:
        steps = -1
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(step)
asyncio.run(Maildir(folder, "founder@studio.example").deliver(b"x" * 100_000, "key"))
"""
LIMITED = """
import asyncio, resource, sys
from pathlib import Path
from resolvers.contact.transport import Maildir
from sdl.errors import UnavailableError

resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
inbox = Maildir(Path(sys.argv[1]), "founder@studio.example")
asyncio.run(inbox.deliver(b"x" * 999, "short"))
try:
    asyncio.run(inbox.deliver(b"x" * 1_001, "long"))
except UnavailableError as error:
    print(error.status, error.detail)
"""


@pytest.fixture
def inbox(tmp_path: Path) -> Maildir:
    """An inbox that nobody has made yet."""
    return Maildir(tmp_path / "var" / "inbox", HUMAN)


def deliver(inbox: MailTransport, message: bytes = MESSAGE, key: str = KEY, **options: str) -> None:
    """Nothing, once it is delivered."""
    asyncio.run(inbox.deliver(message, key, **options))


def deliver_many(inbox: Maildir, message: bytes) -> None:
    """Nothing, once twenty are delivered."""
    for number in range(20):
        deliver(inbox, message, f"n{number}")


def files(inbox: Maildir) -> dict[str, bytes]:
    """Every message by the place of its file, those that are being written included."""
    found = (path for path in inbox.folder.rglob("*") if path.is_file())
    return {str(path.relative_to(inbox.folder)): path.read_bytes() for path in found}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_message_is_a_file_to_the_byte(inbox: Maildir) -> None:
    deliver(inbox)
    assert files(inbox) == {f"new/{KEY}": MESSAGE}


def test_the_owner_alone_can_read(inbox: Maildir) -> None:
    deliver(inbox)
    assert mode(inbox.folder / "new" / KEY) == 0o600
    assert {mode(inbox.folder), *(mode(part) for part in inbox.folder.iterdir())} == {0o700}


def test_the_same_key_is_no_second_message(inbox: Maildir) -> None:
    deliver(inbox)
    deliver(inbox, b"other")
    assert files(inbox) == {f"new/{KEY}": MESSAGE}


@pytest.mark.parametrize("flags", ["", "S", "RS", "FPRST"])
def test_what_was_seen_is_not_delivered_again(flags: str, inbox: Maildir) -> None:
    deliver(inbox)
    seen = f"cur/{KEY}:2,{flags}"
    (inbox.folder / "new" / KEY).rename(inbox.folder / seen)
    deliver(inbox)
    assert files(inbox) == {seen: MESSAGE}
    deliver(inbox, key=KEY[:-1])
    assert set(files(inbox)) == {seen, f"new/{KEY[:-1]}"}


def test_at_the_same_time_the_same_key_is_one_message(inbox: Maildir) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: deliver(inbox), range(40)))
    assert files(inbox) == {f"new/{KEY}": MESSAGE}


@given(st.lists(st.text(), unique=True, max_size=9))
def test_every_key_names_one_file_in_the_folder(keys: list[str]) -> None:
    names = {unique_name(key) for key in keys}
    assert len(names) == len(keys)
    assert all(name.isascii() and name.replace("-", "a").isalnum() for name in names)
    assert all(len(name) <= 64 and name[0] != "-" for name in names)


def test_nobody_but_the_human_gets_any(inbox: Maildir) -> None:
    with pytest.raises(UnavailableError):
        deliver(inbox, recipient="alice@sender.example")
    assert not inbox.folder.exists()


@pytest.mark.parametrize("place", ["..", ".", "new", "tmp", "cur"])
def test_a_file_in_place_of_a_folder_is_503_and_logged(
    place: str, inbox: Maildir, caplog: pytest.LogCaptureFixture
) -> None:
    deliver(inbox)
    broken = inbox.folder.parent if place == ".." else inbox.folder / place
    shutil.rmtree(broken)
    broken.write_text("")
    with pytest.raises(UnavailableError) as failure:
        deliver(inbox, key="other")
    assert failure.value.detail == "The inbox cannot be written now."
    assert f"{inbox.describe()} cannot be written (" in caplog.text
    assert ". Fix: " in caplog.text
    assert "Hello" not in caplog.text


def test_an_inbox_that_works_again_takes_messages_again(inbox: Maildir) -> None:
    inbox.folder.parent.write_text("")
    with pytest.raises(UnavailableError):
        deliver(inbox)
    inbox.folder.parent.unlink()
    deliver(inbox)
    assert files(inbox) == {f"new/{KEY}": MESSAGE}


def test_a_message_that_does_not_fit_is_503_and_leaves_nothing(inbox: Maildir) -> None:
    words = [sys.executable, "-c", LIMITED, str(inbox.folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "503 The inbox cannot be written now.\n"
    assert files(inbox) == {"new/short": b"x" * 999}


def test_after_a_kill_at_any_step_it_is_there_whole_or_can_be_delivered_again(
    tmp_path: Path,
) -> None:
    code, steps = -signal.SIGKILL, 0
    while code == -signal.SIGKILL:
        steps += 1
        inbox = Maildir(tmp_path / str(steps), HUMAN)
        words = [sys.executable, "-c", KILLED, str(inbox.folder), str(steps)]
        code = subprocess.run(words, check=False, timeout=60).returncode
        found = {place: data for place, data in files(inbox).items() if place[:3] != "tmp"}
        assert found in ({}, {"new/key": b"x" * 100_000})
        deliver(inbox, b"x" * 100_000, "key")
        assert (inbox.folder / "new" / "key").read_bytes() == b"x" * 100_000
    assert code == 0
    assert steps > 8


def test_what_a_killed_writer_left_is_removed_when_it_is_old(inbox: Maildir) -> None:
    deliver(inbox)
    old, young = (inbox.folder / "tmp" / name for name in ("old", "young"))
    for file in (old, young):
        file.write_bytes(b"torn")
    begun = time.time() - 37 * 3600
    os.utime(old, (begun, begun))
    (inbox.folder / "tmp" / "folder").mkdir()
    deliver(inbox, key="next")
    assert set(files(inbox)) == {f"new/{KEY}", "new/next", "tmp/young"}


def test_a_reader_never_meets_half_a_message(inbox: Maildir) -> None:
    data = b"x" * 3_000_000
    deliver(inbox, b"", "first")
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(deliver_many, inbox, data)
        while not done.done():
            sizes = {path.stat().st_size for path in (inbox.folder / "new").iterdir()}
            assert sizes <= {0, len(data)}
        done.result()
