"""The twenty missions by MCP tools alone. What is not published, the caller is told so."""

import json
import re
from typing import Any

from callers import McpCaller
from rest_missions import LETTER, WHO, WRONG_ISSUER, WRONG_SLUG, anchors
from studios import Studio


def can_do(caller: McpCaller, studio: Studio) -> None:
    """Whether the studio does a job."""
    caller.call("search", query=studio.job, limit=3)
    caller.section("engagement", fields="scope,notInScope")


def by_when(caller: McpCaller, studio: Studio) -> None:
    """By when it can be done."""
    del studio
    caller.section("status", fields="asOf,studio")
    caller.section("engagement", fields="availability,responseSla")


def price(caller: McpCaller, studio: Studio) -> None:
    """What it costs, in the words of the entry that the search finds."""
    del studio
    caller.call("ask", query="What do you charge?")
    found = caller.call("search", query="What do you charge?", kind="faq", limit=1)
    for result in found["structuredContent"]["results"]:
        caller.call("fetch", id=result["id"])


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
    name = studio.entries("projects")[0]["name"] if studio.entries("projects") else studio.job
    found = caller.call("search", query=name, kind="project", limit=1)
    fields = "name,status,highlights,lastUpdated"
    for result in found["structuredContent"]["results"]:
        caller.section("projects", slug=result["slug"], fields=fields)


def compare(caller: McpCaller, studio: Studio) -> None:
    """What two projects have in common, and where they differ."""
    fields = "name,tagline,status,stack,highlights"
    for slug in studio.projects:
        caller.section("projects", slug=slug, fields=fields)


def who(caller: McpCaller, studio: Studio) -> None:
    """Who is behind the studio."""
    del studio
    caller.section("about", fields=WHO)


def since(caller: McpCaller, studio: Studio) -> None:
    """What has changed since the last visit."""
    day = studio.since.strftime("%Y-%m-%dT%H:%M:%SZ")
    caller.call("get_changes", since=day, fields="kind,title,publishedAt")


def proven(caller: McpCaller, studio: Studio) -> list[Any]:
    """Who is behind the studio, with the proof of each statement that the answer cites."""
    del studio
    answer = caller.call("ask", query="Who is behind the studio?", proof=True)
    return [json.loads(proof) for proof in answer["structuredContent"]["proofs"]]


def cite(caller: McpCaller, studio: Studio) -> None:
    """The answer to a frequent question, from an id of its own."""
    del studio
    for slug in anchors(caller.section("faq", limit=1)):
        caller.call("fetch", id=f"faq/{slug}")


def newest(caller: McpCaller, studio: Studio) -> None:
    """The newest change in full, from an id of its own."""
    del studio
    changes = caller.call("get_changes", limit=1, fields="id,title")
    for change in changes["structuredContent"]["items"]:
        caller.call("fetch", id=f"changelog/{change['id']}")


def issuer(caller: McpCaller, studio: Studio) -> None:
    """The certificates of an issuer whose name the caller does not know well."""
    del studio
    told = caller.refused("read", section="certifications", parameters=f"issuer={WRONG_ISSUER}")
    for name in known_in(told, "issuer")[:1]:
        caller.section("certifications", parameters=f"issuer={name}")


def leave(caller: McpCaller, url: str) -> None:
    """A webhook that is subscribed and ended."""
    made = caller.call("subscribe", url=url)["structuredContent"]
    caller.call("unsubscribe", id=made["id"], secret=made["secret"])


def plan(caller: McpCaller, studio: Studio) -> None:
    """Terms, hours and what the studio looks for, before a message that is only tried."""
    del studio
    for section in ("engagement", "scheduling", "looking-for"):
        caller.section(section)
    caller.call("send_contact", **LETTER, dryRun=True)


def mend(caller: McpCaller, studio: Studio) -> None:
    """A project by a name that is wrong, and then by one that the error lists."""
    del studio
    for slug in known_in(caller.refused("get_project", slug=WRONG_SLUG), "slug")[:1]:
        caller.call("get_project", slug=slug, fields="name,tagline")


def whole(caller: McpCaller, studio: Studio) -> None:
    """What there is of each section, and from there one entry."""
    del studio
    text = caller.section("manifest", fields="slugs")
    for slug in re.findall(r"- FAQ:\s+(?:- )?([a-z0-9-]+)", text):
        caller.call("fetch", id=f"faq/{slug}")


def graph(caller: McpCaller, studio: Studio) -> None:
    """Each project with its own address."""
    del studio
    listed = caller.call("list_projects", fields="slug,name")
    for project in listed["structuredContent"]["items"]:
        caller.call("fetch", id=f"projects/{project['slug']}")


def rights(caller: McpCaller, studio: Studio) -> None:
    """What is allowed with the content."""
    del studio
    caller.section("licensing")


def known_in(told: str, name: str) -> list[str]:
    """Return what an error lists as allowed of an argument."""
    found = re.search(rf"{name}: .*\(allowed: (.*)\)", told)
    return found[1].split(", ") if found else []
