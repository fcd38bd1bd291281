"""What the owner of the garage expects."""

import json

from foreign_expectations import Call, Caller, Probe

PROBES: list[Probe] = [
    Probe(
        "names stay as they are",
        "GET /vehicles",
        200,
        lambda r: [v["owner_name"] for v in r.json()] == ["Mo", "Flo"],
    ),
    Probe(
        "__typename without an alias; fields of one kind alone",
        "GET /vehicles",
        200,
        lambda r: (
            (v := r.json())[0]["__typename"] == "BigTruck"
            and v[0]["load_limit"] == 7
            and v[1]["top_speed"] == 220
            and not {"plate", "top_speed"} & {*v[0]}
        ),
    ),
    Probe(
        "a parameter in snake case",
        "GET /vehicles?owner_name=Flo",
        200,
        lambda r: len(r.json()) == 1,
    ),
    Probe(
        "a class as context", "GET /who", 200, lambda r: r.json() == "me", headers={"x-who": "me"}
    ),
    Probe("a name of its own", "GET /odd", 200, lambda r: r.json() == 1),
    Probe(
        "one input, not named $input: by its name",
        "POST /trucks",
        200,
        lambda r: r.json() == {"owner_name": "Jo", "load_limit": 5},
        body={"truck": {"owner_name": "Jo"}},
    ),
    Probe("no graphql unless asked for", "POST /graphql", 404, body={"query": "{ oddName }"}),
]
TOOLS: list[Call] = [
    Call(
        "all_vehicles",
        {"owner_name": "Mo"},
        lambda t: t["structuredContent"]["items"][0]["load_limit"] == 7,
    ),
    Call(
        "who_am_i",
        {},
        lambda t: '"me"' in json.dumps(t) or "me" in t["content"][0]["text"],
        {"x-who": "me"},
    ),
    Call(
        "add_truck",
        {"truck": {"owner_name": "Jo", "load_limit": 9}},
        lambda t: t["structuredContent"]["load_limit"] == 9,
    ),
    Call("odd", {}, lambda t: not t.get("isError")),
]
CALLERS: list[Caller] = [
    Caller("GET /who", {"x-who": "one-a"}, "one-a", "two-b"),
    Caller("GET /who", {"x-who": "two-b"}, "two-b", "one-a"),
]
