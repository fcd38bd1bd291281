"""What the owner of the harbour expects."""

import base64
import copy
import json
from typing import Any

from foreign_expectations import MCP, Call, Caller, Probe, bearer, fails, private, rpc, says
from relay_app import STORE

FRESH = copy.deepcopy(STORE.__dict__)


def before() -> None:
    """Every probe finds the harbour as it was."""
    STORE.__dict__.update(copy.deepcopy(FRESH))


def global_id(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def names(page: dict[str, Any]) -> list[str]:
    return [edge["node"]["name"] for edge in page["edges"]]


CURSOR3 = base64.b64encode(b"arrayconnection:2").decode()
PROBES: list[Probe] = [
    Probe(
        "first page, by its default",
        "GET /ships",
        200,
        lambda r: names(r.json()) == ["Aurora", "Borealis", "Corvus"],
    ),
    Probe(
        "pageInfo says that there is more",
        "GET /ships",
        200,
        lambda r: r.json()["pageInfo"]["hasNextPage"] is True,
    ),
    Probe(
        "first=2", "GET /ships?first=2", 200, lambda r: names(r.json()) == ["Aurora", "Borealis"]
    ),
    Probe(
        "after the third",
        f"GET /ships?after={CURSOR3}",
        200,
        lambda r: names(r.json()) == ["Dorado", "Eridanus", "Fornax"],
    ),
    Probe(
        "the last page has no next",
        "GET /ships?first=50",
        200,
        lambda r: (
            r.json()["pageInfo"]["hasNextPage"] is False
            and len(names(r.json())) == 8
            and ('rel="next"' not in r.headers.get("link", ""))
        ),
    ),
    Probe(
        "Link header rel=next leads to the next page",
        "GET /ships?first=2",
        200,
        lambda r: (
            'rel="next"' in r.headers["link"]
            and "first=2" in r.headers["link"]
            and ("after=" in r.headers["link"])
        ),
    ),
    Probe(
        "the total of a connection of its own",
        "GET /ships?first=1",
        200,
        lambda r: r.json()["total"] == 8,
    ),
    Probe(
        "filter and pages together",
        "GET /ships?nameStarts=C",
        200,
        lambda r: names(r.json()) == ["Corvus"],
    ),
    Probe(
        "nothing found is an empty page",
        "GET /ships?nameStarts=Z",
        200,
        lambda r: r.json()["edges"] == [],
    ),
    Probe("first must be a number", "GET /ships?first=many", 400, lambda r: says(r, "first")),
    Probe("first=-1 is the caller's fault", "GET /ships?first=-1", 400),
    Probe("first beyond the relay maximum is the caller's fault", "GET /ships?first=1000", 400),
    Probe("a broken cursor is the caller's fault", "GET /ships?after=%25%25", 400),
    Probe(
        "the last two",
        "GET /last-ships?last=2",
        200,
        lambda r: names(r.json()) == ["Gemini", "Hydra"],
    ),
    Probe("last is required", "GET /last-ships", 400, lambda r: says(r, "last")),
    Probe(
        "one ship, asynchronous fleet",
        f"GET /ships/{global_id('Ship', 1)}",
        200,
        lambda r: r.json()["name"] == "Aurora" and r.json()["fleet"]["name"] == "North",
    ),
    Probe(
        "the global id comes back",
        f"GET /ships/{global_id('Ship', 4)}",
        200,
        lambda r: r.json()["id"] == global_id("Ship", 4),
    ),
    Probe("no such ship", f"GET /ships/{global_id('Ship', 99)}", 404),
    Probe("the id of a fleet is no ship", f"GET /ships/{global_id('Fleet', 1)}", 400),
    Probe(
        "no global id at all", "GET /ships/not-an-id", 400, lambda r: says(r, hides=("Traceback",))
    ),
    Probe(
        "node: a ship",
        f"GET /nodes/{global_id('Ship', 2)}",
        200,
        lambda r: (
            r.json()["kind"] == "Ship"
            and r.json()["name"] == "Borealis"
            and ("ships" not in {k for k, v in r.json().items() if v is not None})
        ),
    ),
    Probe(
        "node: a fleet, and its ships",
        f"GET /nodes/{global_id('Fleet', 2)}",
        200,
        lambda r: (
            r.json()["kind"] == "Fleet"
            and names(r.json()["ships"]) == ["Dorado", "Eridanus"]
            and r.json()["ships"]["pageInfo"]["hasNextPage"]
        ),
    ),
    Probe("node: an unknown type", f"GET /nodes/{global_id('Whale', 1)}", 400),
    Probe(
        "nodes: two kinds, in order",
        f"GET /nodes?ids={global_id('Fleet', 1)},{global_id('Ship', 1)}",
        200,
        lambda r: [n["__typename"] for n in r.json()] == ["Fleet", "Ship"],
    ),
    Probe(
        "nodes: ids given twice",
        f"GET /nodes?ids={global_id('Fleet', 1)}&ids={global_id('Ship', 1)}",
        200,
        lambda r: [n["name"] for n in r.json()] == ["North", "Aurora"],
    ),
    Probe(
        "a connection in a connection",
        "GET /fleets",
        200,
        lambda r: (
            names(r.json()) == ["North", "South"]
            and len(r.json()["edges"][1]["node"]["ships"]["edges"]) == 5
        ),
    ),
    Probe(
        "interface without __typename",
        "GET /flagship",
        200,
        lambda r: r.json()["name"] == "Aurora" and r.json()["id"] == global_id("Ship", 1),
    ),
    Probe(
        "mutation: success, GET and POST share a path",
        "POST /ships",
        200,
        lambda r: r.json()["kind"] == "ShipAdded" and r.json()["ship"]["fleet"]["name"] == "North",
        body={"name": "Indus", "fleet": global_id("Fleet", 1)},
    ),
    Probe(
        "mutation: the name is taken, 409 by @fails",
        "POST /ships",
        409,
        lambda r: says(r, "There is a ship called Hydra."),
        body={"name": "Hydra", "fleet": global_id("Fleet", 1)},
    ),
    Probe(
        "mutation: no such fleet, 404 by @fails",
        "POST /ships",
        404,
        lambda r: says(r, "No such fleet."),
        body={"name": "Indus", "fleet": global_id("Fleet", 9)},
    ),
    Probe(
        "mutation: a name is missing",
        "POST /ships",
        400,
        lambda r: says(r, "name"),
        body={"fleet": global_id("Fleet", 1)},
    ),
    Probe(
        "mutation: a number is no name",
        "POST /ships",
        400,
        lambda r: says(r, "name"),
        body={"name": 3, "fleet": global_id("Fleet", 1)},
    ),
    Probe(
        "mutation: what nobody knows",
        "POST /ships",
        400,
        lambda r: says(r, "colour"),
        body={"name": "Indus", "fleet": global_id("Fleet", 1), "colour": "red"},
    ),
    Probe(
        "DELETE with a path variable",
        f"DELETE /ships/{global_id('Ship', 8)}",
        200,
        lambda r: r.json() in ({"name": "Hydra"}, "Hydra"),
    ),
    Probe(
        "PUT is not allowed, and the answer says what is",
        "PUT /ships",
        405,
        lambda r: {"GET", "POST"} <= {m.strip() for m in r.headers["allow"].split(",")},
        body={"name": "x"},
    ),
    Probe(
        "the caller reaches the resolver",
        "GET /captain",
        200,
        lambda r: says(r, "Ahab") and private(r),
        headers=bearer("Ahab"),
    ),
    Probe(
        "markdown of the page",
        "GET /ships.md",
        200,
        lambda r: (
            r.headers["content-type"].startswith("text/markdown")
            and says(r, "Aurora", hides=("Dorado",))
        ),
    ),
    Probe(
        "markdown leads on",
        "GET /ships.md?first=2",
        200,
        lambda r: "after=" in r.text or "after=" in r.headers.get("link", ""),
    ),
    Probe("HEAD", "HEAD /ships", 200, lambda r: r.content == b""),
    Probe(
        "query endpoint: introspection of a node",
        "POST /graphql",
        200,
        lambda r: r.json()["data"]["node"]["__typename"] == "Ship",
        body={
            "query": "query($i: ID!) { node(id: $i) { __typename id } }",
            "variables": {"i": global_id("Ship", 1)},
        },
    ),
    Probe(
        "query endpoint: no mutation",
        "POST /graphql",
        400,
        lambda _: 1 in STORE.ships,
        body={"query": 'mutation { scuttle(id: "U2hpcDox") { name } }'},
    ),
]
TOOLS: list[Call] = [
    Call("ships", {}, lambda t: names(t["structuredContent"]) == ["Aurora", "Borealis", "Corvus"]),
    Call(
        "ships",
        {"first": 2, "after": CURSOR3},
        lambda t: names(t["structuredContent"]) == ["Dorado", "Eridanus"],
    ),
    Call("ships", {"first": "two"}, lambda t: fails(t, "first")),
    Call(
        "ship", {"id": global_id("Ship", 3)}, lambda t: t["structuredContent"]["name"] == "Corvus"
    ),
    Call(
        "node",
        {"id": global_id("Fleet", 1)},
        lambda t: (
            t["structuredContent"]["kind"] == "Fleet"
            and names(t["structuredContent"]["ships"]) == ["Aurora", "Borealis"]
        ),
    ),
    Call("node", {}, lambda t: fails(t, "id")),
    Call(
        "nodes",
        {"ids": [global_id("Ship", 1), global_id("Fleet", 2)]},
        lambda t: [n["name"] for n in t["structuredContent"]["items"]] == ["Aurora", "South"],
    ),
    Call(
        "add_ship",
        {"name": "Lyra", "fleet": global_id("Fleet", 2)},
        lambda t: t["structuredContent"]["ship"]["name"] == "Lyra",
    ),
    Call(
        "add_ship",
        {"name": "Aurora", "fleet": global_id("Fleet", 2)},
        lambda t: "There is a ship called Aurora." in json.dumps(t),
    ),
    Call("captain", {}, lambda t: "Nemo" in json.dumps(t), bearer("Nemo")),
    Call(
        "scuttle",
        {"id": global_id("Ship", 2)},
        lambda t: "Borealis" in json.dumps(t) and 2 not in STORE.ships,
    ),
    Call("no_such_tool", {}, fails),
]
CALLERS: list[Caller] = [
    Caller("GET /captain", bearer("Ahab"), "Ahab", "Nemo"),
    Caller("GET /captain", bearer("Nemo"), "Nemo", "Ahab"),
    Caller(
        "POST /mcp",
        {**MCP, **bearer("Ahab")},
        "Ahab",
        "Nemo",
        rpc("tools/call", name="captain", arguments={}),
    ),
    Caller(
        "POST /mcp",
        {**MCP, **bearer("Nemo")},
        "Nemo",
        "Ahab",
        rpc("tools/call", name="captain", arguments={}),
    ),
    Caller("GET /captain.md", bearer("Ahab"), "Ahab", "Nemo"),
]
