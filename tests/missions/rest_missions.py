"""The twenty missions by REST alone. What a studio has not published, the caller is told so."""

import json
from typing import Any
from urllib.parse import urlsplit

from callers import RestCaller
from studios import Studio

LETTER = {
    "name": "Ines Ferreira",
    "email": "ines@harbour.example",
    "message": "Could you begin in March, and what would you need from us before that?",
    "agent": "missions/1",
}
WHO = ",".join(
    f"studio.{name}" for name in ("oneLiner", "founder.name", "founder.role", "founder.based")
)
WRONG_SLUG, WRONG_ISSUER = "tide", "somebody"


def can_do(caller: RestCaller, studio: Studio) -> None:
    """Whether the studio does a job."""
    caller.get("/api/search", query=studio.job, limit="3")
    caller.section("/api/engagement", fields="scope,notInScope")


def by_when(caller: RestCaller, studio: Studio) -> None:
    """By when it can be done."""
    del studio
    caller.section("/api/status", fields="asOf,studio")
    caller.section("/api/engagement", fields="availability,responseSla")


def price(caller: RestCaller, studio: Studio) -> None:
    """What it costs, in the words of the entry that the answer cites."""
    del studio
    answer = caller.get_json("/api/chat", query="What do you charge?")
    for citation in answer["citations"][:1]:
        caller.get(citation["url"])


def authentic(caller: RestCaller, studio: Studio) -> dict[str, object]:
    """The terms with a signature, and the keys to check it with."""
    del studio
    envelope: dict[str, object] = caller.get_json("/api/snapshot.sig", section="engagement")
    keys: dict[str, object] = caller.get_json("/.well-known/jwks.json")
    return {"envelope": envelope, "keys": keys}


def write(caller: RestCaller, studio: Studio) -> None:
    """A message to the human: tried first, then sent."""
    del studio
    caller.post("/api/contact", {**LETTER, "dryRun": True})
    caller.post("/api/contact", LETTER)


def subscribe(caller: RestCaller, url: str) -> None:
    """A webhook for changes."""
    caller.post("/api/subscribe", {"url": url})


def follow_up(caller: RestCaller, studio: Studio) -> None:
    """How a project fares that the caller has heard of by name."""
    name = studio.entries("projects")[0]["name"] if studio.entries("projects") else studio.job
    found = caller.get_json("/api/search", query=name, kinds="project", limit="1")
    for result in found["results"]:
        caller.get(result["url"], fields="name,status,highlights,lastUpdated")


def compare(caller: RestCaller, studio: Studio) -> None:
    """What two projects have in common, and where they differ."""
    for slug in studio.projects:
        caller.section(f"/api/projects/{slug}", fields="name,tagline,status,stack,highlights")


def who(caller: RestCaller, studio: Studio) -> None:
    """Who is behind the studio."""
    del studio
    caller.section("/api/about", fields=WHO)


def since(caller: RestCaller, studio: Studio) -> None:
    """What has changed since the last visit."""
    day = studio.since.strftime("%Y-%m-%dT%H:%M:%SZ")
    caller.section("/api/changelog", since=day, fields="kind,title,publishedAt")


def proven(caller: RestCaller, studio: Studio) -> list[Any]:
    """Who is behind the studio, with the proof of each statement that the answer cites."""
    del studio
    answer = caller.get_json("/api/chat", query="Who is behind the studio?")
    return [caller.get_json(citation["proof"]) for citation in answer["citations"]]


def cite(caller: RestCaller, studio: Studio) -> None:
    """The answer to a frequent question, from an address of its own."""
    del studio
    text = caller.section("/api/faq", limit="1")
    for slug in anchors(text):
        caller.get(f"/api/faq/{slug}")


def newest(caller: RestCaller, studio: Studio) -> None:
    """The newest change in full, from an address of its own."""
    del studio
    text = caller.section("/api/changelog", limit="1", fields="title")
    for slug in anchors(text):
        caller.get(f"/api/changelog/{slug}.md")


def issuer(caller: RestCaller, studio: Studio) -> None:
    """The certificates of an issuer whose name the caller does not know well."""
    told = caller.refused("/api/certifications", issuer=WRONG_ISSUER)
    for name in known_in(told)[:1]:
        caller.get("/api/certifications", issuer=name)
    del studio


def leave(caller: RestCaller, url: str) -> None:
    """A webhook that is subscribed and ended."""
    made = caller.post("/api/subscribe", {"url": url})
    caller.delete(made["unsubscribe"]["path"], made["secret"])


def plan(caller: RestCaller, studio: Studio) -> None:
    """Terms, hours and what the studio looks for, before a message that is only tried."""
    del studio
    for path in ("/api/engagement", "/api/scheduling", "/api/looking-for"):
        caller.section(path)
    caller.post("/api/contact", {**LETTER, "dryRun": True})


def mend(caller: RestCaller, studio: Studio) -> None:
    """A project by a name that is wrong, and then by one that the error lists."""
    del studio
    for slug in known_in(caller.refused(f"/api/projects/{WRONG_SLUG}"))[:1]:
        caller.get(f"/api/projects/{slug}", fields="name,tagline")


def whole(caller: RestCaller, studio: Studio) -> None:
    """Everything at once, and from there the address of one entry."""
    del studio
    manifest = caller.get_json("/api/manifest")
    for slug in manifest["slugs"]["faq"][:1]:
        caller.get(f"/api/faq/{slug}")


def graph(caller: RestCaller, studio: Studio) -> None:
    """Each project with its own address, as linked data."""
    del studio
    for node in caller.get_json("/api/projects.jsonld")["itemListElement"]:
        caller.get(urlsplit(node["@id"]).path)


def rights(caller: RestCaller, studio: Studio) -> None:
    """What is allowed with the content."""
    del studio
    caller.section("/api/licensing")


def anchors(text: str) -> list[str]:
    """Return the slugs behind the names of a list in markdown."""
    return [part.partition("}")[0] for line in text.splitlines() for part in titled(line)]


def titled(line: str) -> list[str]:
    """Return what follows the anchor's beginning in a line that names an entry."""
    return line.split("{#")[1:] if line.startswith(("## ", "- ")) else []


def known_in(told: str) -> list[str]:
    """Return what an error lists as allowed."""
    fields = json.loads(told).get("fields", [])
    return [name for field in fields for name in field.get("allowed", [])]
