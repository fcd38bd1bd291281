"""The ten missions by REST alone."""

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
    caller.get(answer["citations"][0]["url"])


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
    name = studio.project(studio.projects[0])["name"]
    found = caller.get_json("/api/search", query=name, kinds="project", limit="1")
    caller.get(found["results"][0]["url"], fields="name,status,highlights,lastUpdated")


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
