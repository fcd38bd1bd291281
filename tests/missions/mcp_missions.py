"""The ten missions by MCP tools alone."""

from callers import McpCaller
from rest_missions import LETTER, WHO
from studios import Studio


def can_do(caller: McpCaller, studio: Studio) -> None:
    """Whether the studio does a job."""
    caller.call("search", query=studio.job, limit=3)
    caller.call("read", section="engagement", fields="scope,notInScope")


def by_when(caller: McpCaller, studio: Studio) -> None:
    """By when it can be done."""
    del studio
    caller.call("read", section="status", fields="asOf,studio")
    caller.call("read", section="engagement", fields="availability,responseSla")


def price(caller: McpCaller, studio: Studio) -> None:
    """What it costs, in the words of the entry that the search finds."""
    del studio
    caller.call("ask", query="What do you charge?")
    found = caller.call("search", query="What do you charge?", kind="faq", limit=1)
    caller.call("fetch", id=found["structuredContent"]["results"][0]["id"])


def authentic(caller: McpCaller, studio: Studio) -> dict[str, object]:
    """The terms with a signature, and the key that made it."""
    del studio
    proof = caller.call("verify", section="engagement", payload=True)["structuredContent"]
    return {"envelope": proof["envelope"], "keys": {"keys": [proof["key"]]}}


def write(caller: McpCaller, studio: Studio) -> None:
    """A message to the human: tried first, then sent."""
    del studio
    letter = {**LETTER, "company": "Harbour Works"}  # the same letter as over HTTP is one message
    caller.call("send_contact", **letter, dryRun=True)
    caller.call("send_contact", **letter)


def subscribe(caller: McpCaller, url: str) -> None:
    """A webhook for changes."""
    caller.call("subscribe", url=url)


def follow_up(caller: McpCaller, studio: Studio) -> None:
    """How a project fares that the caller has heard of by name."""
    name = studio.project(studio.projects[0])["name"]
    found = caller.call("search", query=name, kind="project", limit=1)
    slug = found["structuredContent"]["results"][0]["slug"]
    caller.call("read", section="projects", slug=slug, fields="name,status,highlights,lastUpdated")


def compare(caller: McpCaller, studio: Studio) -> None:
    """What two projects have in common, and where they differ."""
    fields = "name,tagline,status,stack,highlights"
    for slug in studio.projects:
        caller.call("read", section="projects", slug=slug, fields=fields)


def who(caller: McpCaller, studio: Studio) -> None:
    """Who is behind the studio."""
    del studio
    caller.call("read", section="about", fields=WHO)


def since(caller: McpCaller, studio: Studio) -> None:
    """What has changed since the last visit."""
    day = studio.since.strftime("%Y-%m-%dT%H:%M:%SZ")
    caller.call("get_changes", since=day, fields="kind,title,publishedAt")
