"""Keys change under two real server processes that are read all the while."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from outside_reader import (
    ENVELOPES,
    KEY_SET,
    Envelope,
    Jwks,
    canonical,
    command,
    good,
    named,
    of_each,
    plain,
    raw,
    read_checkpoint,
    studio_in,
    verifies,
)
from running_server import Running, eventually, running

READERS = 3
CACHE_SECONDS = 300
"""How long a key set may be kept, as its own headers say."""
AFTERWARDS_SECONDS = 5
"""How soon after an envelope a key set counts as read right after it."""


@dataclass
class Studio:
    """A server of two processes, its keys, and what is read of both all the while."""

    content: Path
    server: Running
    envelopes: dict[bytes, list[float]] = field(default_factory=dict)
    """Each answer, and when its reader had asked for it."""
    key_sets: dict[bytes, list[float]] = field(default_factory=dict)
    """Each answer, and when its reader had it."""

    def keys(self, *words: str) -> None:
        assert command(self.content.parent, "keys", *words) == 0

    def hint(self) -> None:
        self.server.process.send_signal(signal.SIGHUP)

    def jwks(self) -> list[Jwks]:
        """What each process publishes."""
        return [plain(said.body) for said in of_each(self.server, KEY_SET)]

    def signed(self) -> list[Envelope]:
        """What each process signs."""
        return [plain(said.body) for said in of_each(self.server, "/api/manifest.sig")]

    @property
    def signers(self) -> set[str]:
        """The names of the keys that the processes sign with."""
        return {envelope["publicJwk"]["kid"] for envelope in self.signed()}

    def files(self) -> dict[str, Any]:
        """The files of the keys, by name."""
        found = (self.content.parent / "var" / "keys").glob("*.json")
        return {file.stem: json.loads(file.read_bytes()) for file in found}

    @contextmanager
    def made(self, *words: str) -> Iterator[list[str]]:
        """The names of the keys that a command makes."""
        before, names = set(self.files()), list[str]()
        self.keys(*words)
        names.extend(set(self.files()) - before)
        yield names

    @contextmanager
    def read(self) -> Iterator[None]:
        """While inside, both are read; what is read is kept."""
        self.envelopes.clear()
        self.key_sets.clear()
        stop = threading.Event()
        with ThreadPoolExecutor(READERS) as pool:
            readers = [pool.submit(self._read, number, stop) for number in range(READERS)]
            try:
                eventually(lambda: len(self.envelopes) >= len(ENVELOPES) and self.key_sets)
                yield
            finally:
                stop.set()
                for reader in readers:
                    reader.result()

    def _read(self, number: int, stop: threading.Event) -> None:
        paths = cycle(ENVELOPES[number:] + ENVELOPES[:number])
        while not stop.is_set():
            said = self.server.get(KEY_SET)
            assert said.status == 200
            self.key_sets.setdefault(said.body, []).append(time.monotonic())
            asked = time.monotonic()
            said = self.server.get(next(paths))
            assert said.status == 200
            self.envelopes.setdefault(said.body, []).append(asked)

    def unproven(self, afterwards: float) -> list[Envelope]:
        """The envelopes read that verify with no key set of the time they were asked for."""
        sets = [(plain(body), times) for body, times in self.key_sets.items()]
        return [
            envelope
            for envelope, times in ((plain(body), times) for body, times in self.envelopes.items())
            for known in [[set_times for jwks, set_times in sets if verifies(envelope, jwks)]]
            if not all(_covered(asked, known, afterwards) for asked in times)
        ]


def _covered(asked: float, known: list[list[float]], afterwards: float) -> bool:
    least, most = asked - CACHE_SECONDS, asked + afterwards
    return any(least <= had <= most for times in known for had in times)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    content = studio_in(tmp_path_factory.mktemp("rotation"))
    with running(content, "--workers", "2") as server:
        found = Studio(content, server)
        assert len(found.signers) == 1
        yield found
        assert server.process.poll() is None
        assert not any("Traceback" in line for line in server.errors)


def listed(jwks: Jwks) -> list[str]:
    """The names of the published keys, in their order."""
    return [key["kid"] for key in jwks["keys"]]


def test_a_rotation_publishes_the_next_key_at_once_and_signs_with_the_old_one(
    studio: Studio,
) -> None:
    (before,) = studio.signers
    with studio.made("rotate") as (kid,):
        studio.hint()
        eventually(lambda: all(kid in listed(jwks) for jwks in studio.jwks()))
        for jwks in studio.jwks():
            assert listed(jwks)[:2] == [before, kid]
            assert jwks["revoked"] == []
        assert studio.signers == {before}
        claims = {claim["subject"]: claim for claim in _claims(studio)}
        said = "Consistent: the service publishes the key; another key signs now."
        assert claims[kid]["detail"] == said
        studio.keys("revoke", kid)


def _claims(studio: Studio) -> list[Any]:
    body: dict[str, list[Any]] = studio.server.get("/api/identity").json()
    return [claim for claim in body["claims"] if claim["type"] == "signing-key"]


def test_under_constant_reading_every_envelope_verifies_with_a_key_set_read_before_it(
    studio: Studio,
) -> None:
    (before,) = studio.signers
    with studio.read():
        made = []
        for hinted in (True, False, True):
            with studio.made("rotate", "--now") as names:
                made += names
            if hinted:
                studio.hint()
        eventually(lambda: studio.signers == {made[-1]})
    assert len(made) == 3
    assert studio.unproven(0) == []
    for jwks in studio.jwks():
        assert {before, *made} <= set(listed(jwks))
        assert listed(jwks)[0] == made[-1]


def test_what_was_signed_before_a_rotation_verifies_after_it(studio: Studio) -> None:
    saved = studio.signed()[0]
    (before,) = studio.signers
    with studio.made("rotate", "--now") as (kid,):
        eventually(lambda: studio.signers == {kid})
    for jwks in studio.jwks():
        assert listed(jwks)[:2] == [kid, before]
        assert verifies(saved, jwks)
        assert all(verifies(envelope, jwks) for envelope in studio.signed())
        note = studio.server.get("/api/log/checkpoint").body.decode()
        assert read_checkpoint(note, jwks)[0] == "quillmere.example/changelog"


def test_under_constant_reading_a_revoked_key_signs_nothing_and_no_answer_is_unproven(
    studio: Studio,
) -> None:
    (kid,) = studio.signers
    saved = studio.signed()[0]
    with studio.read():
        with studio.made("revoke", kid) as (replacement,):
            eventually(lambda: all(kid not in listed(jwks) for jwks in studio.jwks()))
            noticed = time.monotonic()
        eventually(lambda: studio.signers == {replacement})
    assert studio.unproven(AFTERWARDS_SECONDS) == []
    later = {
        plain(body)["publicJwk"]["kid"]
        for body, times in studio.envelopes.items()
        if max(times) > noticed
    }
    assert kid not in later
    _refused(studio, saved)


def _refused(studio: Studio, saved: Envelope) -> None:
    """Nothing, where a saved envelope is sound by itself and refused by what is published."""
    kid, data = saved["publicJwk"]["kid"], canonical(saved["payload"])
    assert good(raw(saved["publicJwk"]["x"]), raw(saved["signature"]), data)
    for jwks in studio.jwks():
        assert named(jwks, kid) is None
        assert not verifies(saved, jwks)
        (revoked,) = [key for key in jwks["revoked"] if key["kid"] == kid]
        assert revoked["thumbprint"] == saved["thumbprint"]
        assert revoked["revokedAt"] == studio.files()[kid]["revokedAt"]
    assert "seed" not in studio.files()[kid]
