"""A whole data folder of an older version, in use until its process was killed.

Run as a program by the Python of a checkout of that version, in its folder, with the kind of store
and a folder to write to. It serves a small studio there with the code and the test support of the
checkout, uses all that keeps something, kills the service, and writes what is left as text: the
files, a dump of each database, and what was published (`published.json`).
"""

import json
import smtplib
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from webhook_server import Served, Studio, free_port, studio, until
from webhook_sinks import Sink, sink

from studiograph.settings import Settings

CONTENT = {
    "studio.toml": """name = "Saltmarsh"
url = "https://saltmarsh.example"
oneLiner = "Saltmarsh draws tide tables for small harbours"

[founder]
name = "Ana Silva"

[contact]
email = "ana@saltmarsh.example"
programmaticEmail = "agents@saltmarsh.example"
""",
    "faq.toml": """[[faq]]
q = "When is the desk open?"
a = "From nine to five on weekdays."
tags = []
""",
    "changelog.toml": "",
}
LETTER = {"name": "Ada", "email": "ada@example.org", "message": "Do you draw tables for Faro?"}
SENT_ONCE = {"Idempotency-Key": "letter-1"}
MAIL = "From: bob@example.net\r\nTo: agents@saltmarsh.example\r\nMessage-ID: <{0}@example.net>\r\n"
MAIL += "Subject: Tables {0}\r\n\r\nWhat does a table cost?\r\n"
HOOKS = ("kept", "pending", "in-hand")
KEPT = ("content", "var/keys", "var/inbox")
"""The folders whose files are kept; a start makes the rest again."""
ENVELOPES = ("/api/manifest.sig", "/api/changelog.sig", "/api/snapshot.sig?section=faq")
LISTS = (("keys", "list"), ("subscribers", "list"), ("jobs", "list"), ("inbox",))


def in_use(made: Studio, receiver: Sink, mail: int) -> dict[str, Any]:
    """Use a service of the studio, kill it, and return what it published."""
    content = made.folder / "content"
    rmtree(content)
    content.mkdir()
    for name, text in CONTENT.items():
        (content / name).write_text(text)
    served = made.start()
    (port,) = receiver.take(1)
    followed = {}
    for hook in HOOKS:
        answer = served.subscribe(receiver.url(hook, port))
        followed[hook] = answer.raise_for_status().json()
    contact = httpx.post(f"{served.address}/api/contact", json=LETTER, headers=SENT_ONCE)
    hand_in(mail, 1)
    until(lambda: not made.rows("SELECT 1 FROM mail WHERE state = 'waiting'"))
    for path in ("/pricing", "/api/faq", "/api/chat?query=What+does+a+table+cost"):
        httpx.get(f"{served.address}{path}")
    seen: list[dict[str, Any]] = []

    def publish(count: int) -> None:
        made.publish()
        until(lambda: receiver.counts()["seen"] == count)
        until(lambda: made.states().keys() <= {"SUCCESS", "DELAYED"})
        seen.append(look(made, served, len(seen)))

    publish(len(HOOKS))
    made.command("keys", "rotate", "--now").check_returncode()
    faq = content / "faq.toml"
    faq.write_text(faq.read_text().replace("five", "six"))
    publish(2 * len(HOOKS))
    revoked = read(served, "/.well-known/jwks.json")["keys"][0]["kid"]
    made.command("keys", "revoke", revoked).check_returncode()
    receiver.rule("pending", answers=[(503, {})])
    publish(3 * len(HOOKS))
    served.stop()
    made.served.clear()
    # Afterwards the relay is away, and one receiver takes its time while the service is killed.
    receiver.rule("in-hand", delay=60)
    served = made.start(SMTP_URL=f"smtp://127.0.0.1:{free_port()}")
    hand_in(mail, 2)
    made.publish()
    until(lambda: receiver.counts()["seen"] == 4 * len(HOOKS))
    until(lambda: made.states().get("DELAYED", 0) >= 3 and made.states()["PENDING"] == 1)
    seen.append(look(made, served, len(seen)))
    published = {
        "made_at": time.time(),
        "settings": list(Settings.model_fields),
        "port": receiver.ports[port],
        "subscribed": followed,
        "seen": seen,
        "received": [[each.hook, each.id, each.acked] for each in receiver.ledger()],
        "contact": {"body": LETTER, "headers": SENT_ONCE, "receipt": contact.json()},
        "mails": [MAIL.format(number) for number in (1, 2)],
        "lists": {
            " ".join(words): json.loads(made.command(*words, "--json").stdout) for words in LISTS
        },
    }
    made.kill()
    return published


def look(made: Studio, served: Served, number: int) -> dict[str, Any]:
    """What is published now, and what `verify` remembers of it."""
    state = made.folder / f"state-{number}"
    made.environment["XDG_STATE_HOME"] = str(state)
    done = made.command("verify", served.address)
    assert done.returncode in (0, 3), done.stdout + done.stderr
    (remembered,) = json.loads((state / "studiograph" / "seen.json").read_text()).values()
    return {
        "verify": remembered,
        "keySet": read(served, "/.well-known/jwks.json"),
        "envelopes": {path: read(served, path) for path in ENVELOPES},
        "log": read(served, "/api/log"),
        "checkpoint": httpx.get(f"{served.address}/api/log/checkpoint").text,
        "words": httpx.get(f"{served.address}/api/words/checkpoint").text,
    }


def read(served: Served, path: str) -> Any:
    """The JSON at a path."""
    return httpx.get(f"{served.address}{path}").raise_for_status().json()


def hand_in(port: int, number: int) -> None:
    """Send a mail, once the port is open."""

    def is_taken() -> bool:
        with suppress(OSError), smtplib.LMTP("127.0.0.1", port) as client:
            client.sendmail("bob@example.net", "agents@saltmarsh.example", MAIL.format(number))
            return True
        return False

    until(is_taken)


def files_of(folder: Path) -> dict[str, str]:
    """The text of each file that is not empty, as locks are."""
    own = [path for name in KEPT for path in (folder / name).rglob("*")]
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(own)
        if path.is_file() and path.stat().st_size
    }


def dumps(made: Studio) -> dict[str, str]:
    """The statements that make each database, by name."""
    if made.jobs_url.startswith("sqlite"):
        found = {}
        for name in ("studio", "jobs"):
            with closing(sqlite3.connect(made.folder / "var" / f"{name}.db")) as connection:
                found[name] = "\n".join(connection.iterdump())
        return found
    url = made.jobs_url.replace("+psycopg", "")
    words = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", url]
    dump = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    kept = [line for line in dump.splitlines() if line and not line.startswith(("--", "\\"))]
    return {"all": "\n".join(kept)}


if __name__ == "__main__":
    kind, target, mail_port = sys.argv[1], Path(sys.argv[2]), free_port()
    settings = {"MAIL_LISTEN": f"lmtp://127.0.0.1:{mail_port}", "MAIL_AUTO_REPLY": "trusted"}
    settings |= {"MIRROR": "questions", "WEBHOOK_SCHEDULE": "0,3600"}
    with (
        TemporaryDirectory() as folder,
        sink(1) as receivers,
        studio(kind, Path(folder), **settings) as old,
    ):
        told = in_use(old, receivers, mail_port)
        target.mkdir(parents=True, exist_ok=True)
        for part, statements in dumps(old).items():
            (target / f"{part}.sql").write_text(f"{statements}\n")
        told["files"] = files_of(Path(folder))
        (target / "published.json").write_text(f"{json.dumps(told, indent=1)}\n")
