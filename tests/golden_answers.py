"""Every answer of two studios as text: what `make golden` writes and `make test` compares.

    python tests/golden_answers.py

The requests follow from the stored operations, from their examples, and from what the service
lists of itself, so a new operation is covered without a line here. They are sent from outside, to
the whole application, in this process. Of what a model computes the shape alone is kept.
"""

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent / "support"))  # what tests share has no package

from golden_refusals import GRAPHQL_REFUSALS, HTTP_REFUSALS, MANNERS, MCP_REFUSALS, Call
from graphql_documents import public_query, with_enum_names
from local_service import bound, stored_operations
from repository import ROOT, SAMPLE
from served_studio import BASE_URL, JSON_ALONE, Studio, address, arguments, rpc, served, with_query
from steady_text import Asked, Steady, readable

from sdl.errors import ApiError
from sdl.operations.operation import Operation

GOLDEN = ROOT / "tests" / "golden"
STUDIOS = {"sample": SAMPLE, "second": ROOT / "evals" / "second"}
COMPUTED = ("SearchContent", "Ask", "AskStreaming", "RouteIntent", "EmbedTexts")
"""The operations of which the shape alone is kept."""
NAMED = 5_000
"""The length from which a text that a read answers word for word is named, and not shown again."""
WHOLE = "Everything at once"
"""The section of the index whose markdown would make one file too large."""
JSON, MARKDOWN, LINKED_DATA = "application/json", "text/markdown", "application/ld+json"
EVENTS = "text/event-stream"
SAME = "as in the sample"

Parts = Iterator[Asked]


def read_as(is_wanted: Callable[[Operation, str], bool]) -> Callable[[Studio], Parts]:
    """Return the surface of all examples of all reads, in the forms that are wanted."""

    def parts(studio: Studio) -> Parts:
        for operation, _, forms in studio.reads:
            for form in forms:
                if is_wanted(operation, form):
                    for values in studio.examples(operation):
                        yield studio.read(address(operation, values), form)

    return parts


def is_whole(operation: Operation) -> bool:
    """Whether it answers with the whole content."""
    return operation.llms is not None and operation.llms.section == WHOLE


def writes(studio: Studio) -> Parts:
    """Ask for every example of what is no read, in each form; by GET too, where that asks it."""
    for operation in studio.operations:
        rest, is_shape = operation.rest, operation.name in COMPUTED
        for values in studio.examples(operation) if rest and rest.method != "GET" else ():
            assert rest is not None
            sent = arguments(values)
            path = address(operation, {name: sent.pop(name) for name in operation.path_variables})
            told = f" {json.dumps(sent, ensure_ascii=False)}" if sent else ""
            for form in rest.media:
                more: dict[str, Any] = {"json": sent} if sent else {}
                answer = studio.ask(path, rest.method, headers={"accept": form}, **more)
                title = f"{rest.method} {path} {form}{told}"
                yield Asked(title, answer, is_shape and answer.is_success)
                if sent and {*sent} <= {*rest.get_parameters}:
                    yield studio.read(with_query(path, sent), form, shape_alone=is_shape)


def envelopes(studio: Studio) -> Parts:
    """Ask for every signed form."""
    for operation in studio.operations:
        if operation.sign is not None and operation.signed_path is not None:
            section = operation.sign.section
            query = f"?section={section}" if section else ""
            yield studio.read(f"{operation.signed_path}{query}", "*/*")


def tools(studio: Studio) -> Parts:
    """Call the tool of each operation with each example."""
    for operation in studio.operations:
        for values in studio.examples(operation) if operation.mcp else ():
            assert operation.mcp is not None
            params = {"name": operation.mcp.tool, "arguments": arguments(values)}
            yield studio.mcp("tools/call", params, shape_alone=operation.name in COMPUTED)


def other_tools(studio: Studio) -> Parts:
    """Call each tool that no operation has, with every word that it lists, or entries' ids."""
    own = {operation.mcp.tool for operation in studio.operations if operation.mcp}
    ids = [
        address(operation, item).removeprefix("/api/")
        for operation, _, _ in studio.reads
        if operation.path_variables
        for item in studio.items(operation)[:1]
    ]
    for tool in studio.tools:
        if tool["name"] not in own:
            first = tool["inputSchema"]["required"][0]
            for value in tool["inputSchema"]["properties"][first].get("enum", ids):
                given = {"name": tool["name"], "arguments": {first: value}}
                yield studio.mcp("tools/call", given)


def resources(studio: Studio) -> Parts:
    """Read every resource that is listed, and some of each template."""
    for resource in studio.mcp("resources/list").body["result"]["resources"]:
        yield studio.mcp("resources/read", {"uri": resource["uri"]})
    for operation in studio.operations:
        if operation.resource is not None and operation.path_variables:
            for values in studio.examples(operation):
                name = operation.resource.name.format(**values)
                yield studio.mcp("resources/read", {"uri": f"studio://{name}"})


def prompts(studio: Studio) -> Parts:
    """Get every example of every prompt, and the completions of each argument."""
    for operation in studio.operations:
        if operation.prompt is not None:
            name = operation.prompt.name
            for values in studio.examples(operation):
                yield studio.mcp("prompts/get", {"name": name, "arguments": values})
            for variable in operation.variables:
                given = {"name": variable.name, "value": ""}
                ref = {"type": "ref/prompt", "name": name}
                yield studio.mcp("completion/complete", {"ref": ref, "argument": given})


def graphql(studio: Studio) -> Parts:
    """Send each stored document of a public field, as a caller would."""
    for operation in studio.operations:
        is_public = operation.root.name.value in studio.public_fields
        for values in studio.examples(operation) if is_public else ():
            given = with_enum_names(operation, values)
            sent = {"query": public_query(operation), "variables": given}
            answer = studio.ask("/api/graphql", "POST", json=sent)
            is_shape = operation.name in COMPUTED and "errors" not in answer.json()
            yield Asked(
                f"{operation.name} {json.dumps(given, ensure_ascii=False)}", answer, is_shape
            )


def openapi(studio: Studio) -> Parts:
    """Take the OpenAPI description apart, by path and by component."""
    frame = {n: v for n, v in studio.openapi.items() if n not in ("paths", "components")}
    yield Asked("frame", readable(frame))
    for path, item in studio.openapi["paths"].items():
        for method, operation in item.items():
            yield Asked(f"{method.upper()} {path}", readable(operation))
    for kind, components in studio.openapi["components"].items():
        for name, component in components.items():
            yield Asked(f"{kind} {name}", readable(component))


def documents(studio: Studio) -> Parts:
    """Ask for what the description has besides reads and envelopes, in each form."""
    others = {path for _, path, _ in studio.reads} | {o.signed_path for o in studio.operations}
    for path, item in sorted(studio.openapi["paths"].items()):
        if "get" in item and path not in {*others, "/openapi.json"}:
            for form in item["get"]["responses"]["200"]["content"]:
                if form != EVENTS:  # which answers a question
                    yield studio.read(path, form)


def mcp(studio: Studio) -> Parts:
    """Begin as clients of each era do, and ask for all lists."""
    client = {"name": "golden", "version": "1"}
    for version in ("2024-11-05", "2025-11-25", "1999-01-01"):
        given = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        yield studio.mcp("initialize", given)
    lists = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
    for method in ("ping", *lists):
        yield studio.mcp(method)
    version, prefix = "2026-07-28", "io.modelcontextprotocol/"
    own = {"protocolVersion": version, "clientCapabilities": {}, "clientInfo": client}
    meta = {f"{prefix}{name}": value for name, value in own.items()}
    for method in ("server/discover", *lists, "skills/list"):
        sent = rpc(method, _meta=meta)
        headers = {"mcp-protocol-version": version, "mcp-method": method}
        answer = studio.ask("/mcp", "POST", json=sent, headers={**JSON_ALONE, **headers})
        yield Asked(f"{method} of {version}", answer)


def sent_out(studio: Studio) -> Parts:
    """Run what no caller asks for: the bodies of webhooks and mails, and the directory."""
    snapshot = bound(stored_operations(), studio.settings.content, BASE_URL)
    for operation in studio.operations:
        ways = (operation.rest, operation.mcp, operation.resource, operation.prompt, operation.sign)
        for values in [] if any(ways) else studio.examples(operation):
            title = f"{operation.name} {json.dumps(values, ensure_ascii=False)}"
            try:
                yield Asked(title, readable(snapshot.run(operation, values)))
            except ApiError as error:
                yield Asked(title, f"{error.status} {error.code}")


def by_hand(calls: Sequence[Call]) -> Callable[[Studio], Parts]:
    """Return the surface of requests that are written down."""

    def parts(studio: Studio) -> Parts:
        for method, path, options in calls:
            told = " ".join([method, short(path), *map(short, options.values())])
            yield Asked(told, studio.ask(path, method, **options))

    return parts


def short(value: Any) -> str:
    """Return a part of a request as a title shows it."""
    text = value.decode() if isinstance(value, bytes) else value
    text = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:60]}… of {len(text)} characters"


SURFACES: dict[str, Callable[[Studio], Parts]] = {
    "json": read_as(lambda _, form: form == JSON),
    "markdown": read_as(lambda o, form: form == MARKDOWN and not is_whole(o)),
    "markdown-whole": read_as(lambda o, form: form == MARKDOWN and is_whole(o)),
    "linked-data": read_as(lambda _, form: form == LINKED_DATA),
    "other-forms": read_as(lambda _, form: form not in (JSON, MARKDOWN, LINKED_DATA)),
    "writes": writes,
    "envelopes": envelopes,
    "tools": tools,
    "other-tools": other_tools,
    "resources": resources,
    "prompts": prompts,
    "graphql": graphql,
    "openapi": openapi,
    "documents": documents,
    "mcp": mcp,
    "sent-out": sent_out,
    "refusals": by_hand(HTTP_REFUSALS),
    "refusals-mcp": by_hand(MCP_REFUSALS),
    "refusals-graphql": by_hand(GRAPHQL_REFUSALS),
    "manners": by_hand(MANNERS),
}
"""Each surface by the name of its file."""


def long_texts(studio: Studio) -> dict[str, str]:
    """Return the long texts that reads answer, as JSON, each with its name."""
    names = {}
    for operation, path, forms in studio.reads:
        for form in [] if operation.path_variables else forms:
            text = studio.ask(path, headers={"accept": form}).text
            names[text] = f"<as in GET {path} {form}>"
            if text.startswith("> "):  # MCP leaves out the line that leads to the index
                names[text.partition("\n\n")[2]] = f"<as in GET {path} {form}, from # on>"
    return {json.dumps(t, ensure_ascii=False): n for t, n in names.items() if len(t) >= NAMED}


def golden_files() -> dict[str, str]:
    """Return the text of each file by its name.

    What the second studio answers as the first does is not said twice.
    """
    files: dict[str, str] = {}
    known: dict[str, dict[str, str]] = {}
    for name, folder in STUDIOS.items():
        steady = Steady()
        with served(folder) as studio:
            steady.learn(studio.ask)
            names = long_texts(studio)
            for surface, parts in SURFACES.items():
                told = steady.answers([*parts(studio)], names)
                first = known.setdefault(surface, {})
                files[f"{name}/{surface}.txt"] = "\n".join(
                    f"=== {title}\n{SAME if first.get(title) == text else text.strip()}\n"
                    for title, text in told.items()
                )
                first.update(told)
    return files


def main() -> None:
    """Write all files anew."""
    shutil.rmtree(GOLDEN, ignore_errors=True)
    for name, text in golden_files().items():
        file = GOLDEN / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
