"""No surface names our settings, our code or the libraries that it uses."""

import ast
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from local_service import Ask
from mcp_messages import BOTH, headers_of, message
from openapi_description import Description
from repository import ROOT, SAMPLE

from sdl.running.runner import Operations

PACKAGES = ("content", "mcp_bridge", "resolvers", "rest_bridge", "schema", "sdl", "studiograph")
SETTINGS = re.compile(r"STUDIOGRAPH_\w*|\bTraceback\b")
ORDINARY = {"click", "idna", "limits"}
"""Libraries that are named as a word of English or as a standard."""
REFUSED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("/nothing", "GET", {}),
    ("/api/faq", "PURGE", {}),
    ("/api/faq", "GET", {"headers": {"accept": "image/png"}}),
    ("/api/faq", "GET", {"headers": {"host": "elsewhere.example"}}),
    ("/api/faq?since=x&fields=x", "GET", {}),
    (f"/{'a' * 9000}", "GET", {}),
    (
        "/api/search",
        "POST",
        {"json": {"query": 1, "limit": 0, "kind": "x", "kinds": "x", "y": None}},
    ),
    ("/api/contact", "POST", {"json": {"name": "I", "email": "x", "message": [], "dryRun": 1}}),
    ("/api/chat", "POST", {"json": {"messages": [{"role": "x"}], "topK": "x"}}),
    ("/api/embed", "POST", {"content": "{", "headers": {"content-type": "application/json"}}),
    ("/api/subscribe", "POST", {"json": {"url": "http://127.0.0.1/", "kinds": ["x"]}}),
    ("/api/subscribe/x", "DELETE", {}),
    ("/api/graphql?query={nothing", "GET", {}),
    ("/api/graphql?query={nothing{x}}", "GET", {}),
)


def internal_names(operations: Operations) -> re.Pattern[str]:
    """Names of our packages, modules and classes, and of the libraries."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    libraries = {re.split(r"[^\w-]", name)[0] for name in project["dependencies"]} - ORDINARY
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    modules = {file.stem for file in files if "_" in file.stem.strip("_")}
    classes = {
        node.name
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ClassDef) and re.search(r"[a-z0-9][A-Z]", node.name)
    }
    ours = {*classes, *modules, "rest_bridge", "mcp_bridge"} - {*operations.schema.type_map}
    ours -= {operation.name for operation in operations}
    said = " ".join(file.read_text() for file in SAMPLE.glob("*.toml")).lower()
    names = {name for name in {*libraries, *ours} if name.lower() not in said}
    return re.compile(rf"(?<![\w/-])(?:{'|'.join(sorted(map(re.escape, names)))})(?![\w-])")


def surfaces(ask: Ask) -> Iterator[tuple[str, str]]:
    """Everything that a caller can read, with its place."""
    description = Description(ask("/openapi.json").json())
    for operation in description.operations:
        if operation.method == "get":
            here = description.addresses(operation)[0]
            for form in {*description.forms(operation)} - {"text/plain", "text/event-stream"}:
                yield f"{here} {form}", ask(here, headers={"accept": form}).text
    for path, method, options in REFUSED:
        answer = ask(path, method, **options)
        assert answer.status_code >= 400, path
        yield f"{method} {path[:60]}", f"{answer.text} {answer.headers}"
    lists = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
    for revision in BOTH:
        for method in ("server/discover", "initialize", *lists, "nothing"):
            sent = message(method, revision)
            answer = ask("/mcp", "POST", json=sent, headers=headers_of(sent, revision))
            yield f"MCP {revision} {method}", answer.text


def test_no_surface_names_what_it_is_made_with(ask: Ask, operations: Operations) -> None:
    internal = internal_names(operations)
    places = dict(surfaces(ask))
    assert len(places) > 100
    named = {
        place: sorted({*SETTINGS.findall(text), *internal.findall(text)})
        for place, text in places.items()
    }
    assert {place: names for place, names in named.items() if names} == {}
